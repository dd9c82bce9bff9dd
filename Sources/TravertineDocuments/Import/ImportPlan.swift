import Travertine

/// How documents become objects of one type.
final class ImportPlan {
    let type: RowType
    /// The plans of embedded types, by slot.
    var embedded: [Int: ImportPlan] = [:]
    /// The plans of an embedded class and of those derived from it, by name, by slot.
    var variants: [Int: [String: ImportPlan]] = [:]
    /// The types that links lead to, by slot.
    var targets: [Int: RowType] = [:]
    unowned let plans: ImportPlans
    /// The names in UTF-8, to be compared with those of a text.
    let names: [[UInt8]]
    private let slots: [NameBytes: Int]
    private(set) var isRequired: [Bool]
    /// The integers that a property holds, where that is less than 64 bits, by slot.
    private(set) var ranges: [Int: ClosedRange<Int64>] = [:]
    /// Whether a slot has such a range.
    private(set) var isNarrow: [Bool]
    /// Whether storing an object, or one that it embeds, can fail because of another one.
    private(set) lazy var hasUniqueIndexes: Bool = {
        // Embedded types can hold themselves.
        var seen: Set<String> = []
        var pending = [self]
        while let plan = pending.popLast() {
            guard seen.insert(plan.type.name).inserted else { continue }
            if plan.type.hasUniqueIndexes { return true }
            pending += plan.embedded.values
            pending += plan.variants.values.flatMap(\.values)
        }
        return false
    }()
    /// Fields without property, and how often they came.
    var unknownFields: [String: Int] = [:]
    /// Fields that were null where the property cannot be nil.
    var defaultedFields: [String: Int] = [:]

    init(_ type: RowType, _ plans: ImportPlans) {
        self.type = type
        self.plans = plans
        names = type.fields.map { Array($0.name.utf8) }
        slots = Dictionary(
            uniqueKeysWithValues: type.fields.enumerated().map { (NameBytes($1.name), $0) })
        let own = plans.realm.schema.objectSchema.first { $0.objectTypeName == type.name }
        isNarrow = type.fields.map { _ in false }
        isRequired = type.fields.map { field in
            field.isPrimaryKey || field.isRequired
                || !field.isOptional && field.collection == .none && field.type != .object
                    && field.type != .any && !field.isHidden
        }
        for property in own?.properties ?? [] {
            guard let own, let range = own.integerRange(property),
                let slot = slots[NameBytes(property.columnName)]
            else { continue }
            narrow(slot, to: range)
        }
    }

    private func narrow(_ slot: Int, to range: ClosedRange<Int64>) {
        ranges[slot] = ranges[slot].map { $0.clamped(to: range) } ?? range
        isNarrow[slot] = true
    }

    /// Takes from a schema what is required, and which integers have 32 bits, in embedded types
    /// too.
    ///
    /// - Returns: the ways to properties of the schema that the types lack.
    func require(_ schema: DocumentSchema) -> [String] {
        var missing = schema.properties.map(\.name).filter { slots[NameBytes($0)] == nil }
        for (slot, field) in type.fields.enumerated() {
            isRequired[slot] =
                field.isPrimaryKey || field.isRequired || schema.required.containsName(field.name)
            if field.type == .int, schema[field.name]?.hasNarrowIntegers == true {
                narrow(slot, to: Int64(Int32.min)...Int64(Int32.max))
            }
            guard let inner = schema[field.name]?.innerSchema else { continue }
            // What a schema says is of the property's own class; others have more properties.
            let plan = embedded[slot] ?? variants[slot]?[field.target]
            missing += plan?.require(inner).map { field.name + "." + $0 } ?? []
        }
        return missing
    }

    /// The slot of a field; the one after the last is tried first, as documents are much alike.
    @inline(__always)
    func slot(_ name: String, after last: Int) -> Int? {
        let next = last + 1
        if next < type.fields.count, type.fields[next].name.isName(name) { return next }
        return slots[NameBytes(name)]
    }

    func noteUnknown(_ name: String) { unknownFields[name, default: 0] += 1 }

    func noteDefaulted(_ slot: Int) { defaultedFields[type.fields[slot].name, default: 0] += 1 }
}

extension RowType {
    /// Whether a property is called so, that the class can't be named.
    var hasClassField: Bool { fields.contains { $0.name == Self.classField } }
}
