import TravertineStore

/// An object type as one realm uses it: the stored type, the class, and the layouts met so far.
final class ObjectTable {
    unowned let core: RealmCore
    /// The class; nil for a stored type whose class the realm doesn't have.
    let classInfo: ClassInfo?
    @exclusivity(unchecked) var stored: StoredObjectType { didSet { renew() } }
    /// The stored type's record as the schema keyspace has it.
    private var record: [UInt8] = []
    private let typeKey: [UInt8]
    /// Slots that the class declares; stored properties that it leaves out come behind them.
    @exclusivity(unchecked) private(set) var visibleCount = 0
    /// Whether the class can be encoded.
    let isEncodable: Bool
    /// Whether the class has persisted properties without wrapper.
    let hasBareFields: Bool
    @exclusivity(unchecked) private(set) var slots: [TableSlot] = []
    /// The stored property of each slot.
    @exclusivity(unchecked) private(set) var properties: [StoredProperty] = []
    /// Slots of required links that the class declares.
    @exclusivity(unchecked) private(set) var requiredSlots: [Int] = []
    /// Slots of required links that the class leaves out.
    @exclusivity(unchecked) private(set) var hiddenRequiredSlots: [Int] = []
    /// Indexes beside those of single properties, and which slots these are over.
    @exclusivity(unchecked) private(set) var indexes: [TableIndex] = []
    @exclusivity(unchecked) private(set) var isInIndexes: [Bool] = []
    @exclusivity(unchecked) private var bindings: [UInt16: LayoutBinding] = [:]
    @exclusivity(unchecked) private var lastBinding: LayoutBinding?
    /// Stored defaults by slot.
    @exclusivity(unchecked) private var defaults = StoredDefaults([])
    /// Whether the transaction changed the stored type.
    var isSchemaChanged = false
    /// Whether the transaction deleted an object, so that the next key must be written down.
    var needsFloor = false

    init(_ core: RealmCore, _ stored: StoredObjectType, classInfo: ClassInfo?) {
        self.core = core
        self.stored = stored
        self.classInfo = classInfo
        isEncodable = classInfo?.isEncodable ?? false
        hasBareFields = classInfo.map { !$0.bareFields.isEmpty } ?? false
        typeKey = StoredSchema.typeKey(stored.number)
        renew()
    }

    var info: ClassInfo {
        guard let classInfo else {
            preconditionFailure("\(stored.name) is not among the realm's object types")
        }
        return classInfo
    }

    var className: String { classInfo?.className ?? stored.name }

    /// Whether there are stored properties that the class leaves out.
    var hasHiddenSlots: Bool { visibleCount < properties.count }

    /// The type as `Realm.schema` has it.
    var schema: ObjectSchema {
        if let classInfo { return core.configuration.schema(of: classInfo) }
        return core.configuration.schema(withoutClass: stored.name) ?? ObjectSchema(stored)
    }

    /// Takes the stored type over if its record is another than the one known.
    func renew(_ access: ReadAccess) throws {
        let found = try typeKey.withBytes { (key) throws(StoreError) in
            try access.value(forKey: key, in: core.shared.schemaKeyspace)
        }
        guard let found, !record.withUnsafeBytes({ $0.isSame(as: found) }) else { return }
        let changed: StoredObjectType
        do {
            changed = try StoredObjectType(encoded: found)
        } catch {
            throw Realm.Error.damagedSchema
        }
        // Another process may have opened the store with other classes.
        let problems =
            classInfo.map { SchemaComparison.differences(changed, $0, isSubset: true) } ?? []
        guard problems.isEmpty else {
            throw Realm.Error(
                .schemaMismatch,
                "The stored schema was changed while this realm was open with classes that don't fit "
                    + "it any more:\n- " + problems.joined(separator: "\n- "),
                fileURL: core.shared.fileURL)
        }
        stored = changed
    }

    private func renew() {
        record = stored.encoded
        lastBinding = nil
        bindings.removeAll()
        if let classInfo {
            properties = classInfo.properties.compactMap { declared in
                stored.properties.first { $0.name == declared.storedName }
            }
            precondition(
                properties.count == classInfo.properties.count,
                "the stored \(stored.name) lacks declared properties; it was opened by other means")
            slots = zip(properties, classInfo.properties).map { TableSlot($0, $1) }
            visibleCount = properties.count
            if stored.properties.count > visibleCount {
                let declared = Set(properties.map(\.number))
                let hidden = stored.properties.filter { !declared.contains($0.number) }
                properties += hidden
                slots += hidden.map { TableSlot($0) }
            }
        } else {
            properties = stored.properties
            slots = properties.map { TableSlot($0) }
            visibleCount = properties.count
        }
        let required = properties.indices.filter { properties[$0].isRequired }
        requiredSlots = required.filter { $0 < visibleCount }
        hiddenRequiredSlots = required.filter { $0 >= visibleCount }
        indexes = stored.indexes.compactMap { TableIndex($0, properties) }
        isInIndexes = properties.indices.map { slot in
            indexes.contains { $0.slots.contains(slot) }
        }
        defaults = StoredDefaults(properties)
    }

    /// The layout of a row, its fixed part being there.
    @inline(__always)
    func binding(of row: UnsafeRawBufferPointer) throws -> LayoutBinding {
        guard row.count >= 2, let base = row.baseAddress else { throw damagedRow() }
        let number = UInt16(littleEndian: base.loadUnaligned(as: UInt16.self))
        if let lastBinding, lastBinding.layout.number == number {
            guard row.count >= Int(lastBinding.layout.fixedByteCount) else { throw damagedRow() }
            return lastBinding
        }
        return try otherBinding(number, row)
    }

    @inline(never)
    private func otherBinding(
        _ number: UInt16, _ row: UnsafeRawBufferPointer
    ) throws -> LayoutBinding {
        let binding = try self.binding(number)
        guard row.count >= Int(binding.layout.fixedByteCount) else { throw damagedRow() }
        return binding
    }

    /// The layout with a number.
    func binding(_ number: UInt16) throws -> LayoutBinding {
        if let binding = bindings[number] {
            lastBinding = binding
            return binding
        }
        guard
            let layout = try StoredSchema.loadLayout(
                core.access, keyspace: core.shared.schemaKeyspace, type: stored.number,
                number: number)
        else { throw damagedRow() }
        let binding = LayoutBinding(layout, slots: slots)
        bindings[number] = binding
        lastBinding = binding
        return binding
    }

    /// The layout that new rows get.
    func currentBinding() throws -> LayoutBinding { try binding(stored.currentLayout) }

    /// Keeps a layout that was just made.
    func keep(_ layout: Layout) { bindings[layout.number] = LayoutBinding(layout, slots: slots) }

    /// The value of a slot in a row, or what rows older than the property have.
    @inline(__always)
    func value(
        at slot: Int, in row: UnsafeRawBufferPointer, _ binding: LayoutBinding
    ) -> _RawValue {
        let value = binding.value(at: slot, in: row) ?? defaults[slot]
        if case .null = value {
            return slots[slot].type.isOptional ? .null : .zero(slots[slot].type.shape)
        }
        return value
    }

    /// What rows older than a property have.
    func defaultValue(at slot: Int) -> _RawValue { defaults[slot] }

    func slot(ofProperty number: UInt32) -> Int? { slots.firstIndex { $0.property == number } }

    func slot(named name: String) -> Int? {
        if let slot = classInfo?.slot(named: name) { return slot }
        if !core.configuration.objectSchemas.isEmpty,
            let property = schema.properties.first(where: { $0.name == name })
        {
            return properties.firstIndex { $0.name == property.columnName }
        }
        return properties.firstIndex { $0.name == name }
    }

    /// The slot of a stored property that the class does not declare.
    func hiddenSlot(named name: String) -> Int? {
        slot(named: name).flatMap { $0 >= visibleCount ? $0 : nil }
    }

    func damagedRow() -> Realm.Error {
        Realm.Error(
            .invalidDatabase,
            "A row of \(stored.name) is shorter than its layout says, or has an unknown one. Run "
                + "`travertine fsck` on the directory.", fileURL: core.shared.fileURL)
    }
}

extension StoredObjectType {
    /// The type of a class that is not stored, in keyspaces that no store has.
    init(missing info: ClassInfo) {
        self.init(number: .max, name: info.storedName, rows: .max, pieces: .max, keyIndex: .max)
        isEmbedded = info.isEmbedded
        isAsymmetric = info.isAsymmetric
        properties = info.properties.map { StoredProperty($0) }
    }
}

extension _RawValue {
    /// What null in a row means for a property that can't be nil.
    @inline(never)
    static func zero(_ shape: PieceShape) -> _RawValue {
        switch shape {
        case .word: .word(0)
        case .fixed(let count): .bytes(UnsafeRawBufferPointer(start: zeros, count: Int(count)))
        case .variable: .bytes(UnsafeRawBufferPointer(start: zeros, count: 0))
        }
    }

    /// Zeros for as long as the process runs.
    private nonisolated(unsafe) static let zeros = {
        let zeros = UnsafeMutableRawBufferPointer.allocate(byteCount: 256, alignment: 8)
        zeros.initializeMemory(as: UInt8.self, repeating: 0)
        return UnsafeRawPointer(zeros.baseAddress)
    }()
}
