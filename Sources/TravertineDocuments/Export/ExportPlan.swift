import Travertine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How objects of one type become documents.
final class ExportPlan {
    let type: RowType
    let names: [FieldName]
    /// The properties that are written, in this order.
    private let slots: [Int]
    /// Whether a link to an object without primary key is the number of its object key.
    let writesObjectKeys: Bool
    /// Whether integers of a slot are written with 32 bits.
    let isNarrow: [Bool]
    private var embedded: [Int: ExportPlan] = [:]
    private var targets: [Int: RowType] = [:]
    /// The types that links of a base class lead to, by slot.
    var bases: [Int: RowType] = [:]
    /// The plans of embedded types that only the values of such links name.
    var derived: [String: ExportPlan] = [:]
    /// What a schema that was given says of the embedded base classes among them.
    var baseSchemas: [String: DocumentSchema] = [:]
    /// Whether the keys of types that DBRefs name have 32 bits.
    var narrowKeys: [String: Bool] = [:]
    let realm: Realm
    let waitingLinks: WaitingLinks
    /// How DBRefs name types.
    let references: ReferenceNames

    init(
        _ type: RowType, _ schema: DocumentSchema?, _ realm: Realm, _ waitingLinks: WaitingLinks,
        _ references: ReferenceNames, slots: [Int]? = nil, writesObjectKeys: Bool = false
    ) throws(MappingError) {
        self.type = type
        self.slots = slots ?? Array(type.fields.indices)
        self.writesObjectKeys = writesObjectKeys
        self.realm = realm
        self.waitingLinks = waitingLinks
        self.references = references
        names = type.fields.map { FieldName($0.name) }
        // A derived class may have no schema: its integers have the widths of its declaration.
        let own = realm.schema.objectSchema.first { $0.objectTypeName == type.name }
        isNarrow = type.fields.map { field in
            if let schema { return schema[field.name]?.hasNarrowIntegers ?? false }
            guard let own,
                let property = own.properties.first(where: { $0.columnName == field.name })
            else { return false }
            return own.scalar(of: property) == .int
        }
        for slot in self.slots {
            let field = type.fields[slot]
            guard field.type == .object || field.isVarying else { continue }
            guard let target = realm.rowType(field.target) else {
                throw .unknownTargets(["\(type.name).\(field.name)"])
            }
            if field.isVarying {
                bases[slot] = target
                baseSchemas[target.name] = schema?[field.name]?.innerSchema
                continue
            }
            if target.isEmbedded {
                embedded[slot] = try ExportPlan(
                    target, schema?[field.name]?.innerSchema, realm, waitingLinks, references,
                    writesObjectKeys: writesObjectKeys)
            } else if target.keySlot != nil || writesObjectKeys {
                targets[slot] = target
            } else {
                throw .keylessTargets(["\(type.name).\(field.name)"])
            }
        }
    }

    // MARK: Objects

    /// Writes an object as a document, with the name of its class if asked for.
    func write<Output: DocumentOutput>(
        _ row: StoredRow, to output: inout Output, _ name: OutputName, namesClass: Bool = false
    ) throws {
        let start = try output.begin(isArray: false, name)
        if namesClass {
            try Array(type.name.utf8).withUnsafeBytes {
                try output.text($0, .field(Self.className))
            }
        }
        let waiting = try waitingLinks.links(of: row, type)
        for slot in slots {
            let field = type.fields[slot]
            let name = OutputName.field(names[slot])
            // Inside values of any type a dictionary represents a link.
            let links =
                waiting.isEmpty
                ? [] : waiting.filter { $0.property == field.name && $0.path.isEmpty }
            do {
                switch field.collection {
                case .none: try write(slot, of: row, links, to: &output, name)
                case .map: try writeMap(slot, of: row, links, to: &output, name)
                case .list, .set: try writeArray(slot, of: row, links, to: &output, name)
                }
            } catch let error as DocumentError {
                throw error.below(field.name)
            }
        }
        try output.end(start, isArray: false)
    }

    /// The document of an object, by way of BSON.
    func document(_ row: StoredRow) throws -> Document {
        var output = BSONOutput()
        try write(row, to: &output, .root)
        return try Document(bson: output.bytes)
    }

    private func write<Output: DocumentOutput>(
        _ slot: Int, of row: StoredRow, _ waiting: [UnresolvedLink], to output: inout Output,
        _ name: OutputName
    ) throws {
        if type.fields[slot].type == .any {
            let value = type.mixed(slot, of: row)
            if case .none = value, bases[slot] != nil, let link = waiting.first {
                return try write(link, slot, to: &output, name)
            }
            return try write(value, slot, to: &output, name)
        }
        let raw = type.value(slot, of: row)
        if case .null = raw, let link = waiting.first {
            return try write(link, slot, to: &output, name)
        }
        try write(raw, slot, to: &output, name)
    }

    // MARK: Collections

    private func writeArray<Output: DocumentOutput>(
        _ slot: Int, of row: StoredRow, _ waiting: [UnresolvedLink], to output: inout Output,
        _ name: OutputName
    ) throws {
        let start = try output.begin(isArray: true, name)
        let isMixed = type.fields[slot].type == .any
        var position = 0
        var rest = waiting[...]
        try type.forEachElement(slot, of: row) { _, raw in
            while let link = rest.first, Int(link.position) <= position {
                try write(link, slot, to: &output, .position(position))
                rest.removeFirst()
                position += 1
            }
            try writeElement(raw, isMixed, slot, of: row, to: &output, .position(position))
            position += 1
        }
        for link in rest {
            try write(link, slot, to: &output, .position(position))
            position += 1
        }
        try output.end(start, isArray: true)
    }

    private func writeMap<Output: DocumentOutput>(
        _ slot: Int, of row: StoredRow, _ waiting: [UnresolvedLink], to output: inout Output,
        _ name: OutputName
    ) throws {
        let start = try output.begin(isArray: false, name)
        let isMixed = type.fields[slot].type == .any
        try type.forEachElement(slot, of: row) { key, raw in
            let isNone =
                switch raw {
                case .null: true
                case .bytes(let bytes): isMixed && bytes.isEmpty
                case .word: false
                }
            if isNone, let link = waiting.first(where: { $0.mapKey.elementsEqual(key) }) {
                try write(link, slot, to: &output, .key(key))
            } else {
                try writeElement(raw, isMixed, slot, of: row, to: &output, .key(key))
            }
        }
        try output.end(start, isArray: false)
    }

    @inline(__always)
    private func writeElement<Output: DocumentOutput>(
        _ raw: _RawValue, _ isMixed: Bool, _ slot: Int, of row: StoredRow,
        to output: inout Output, _ name: OutputName
    ) throws {
        if isMixed, case .bytes(let bytes) = raw {
            let value = type.elements(slot, of: row).mixed(bytes)
            try write(value, slot, to: &output, name)
        } else {
            try write(raw, slot, to: &output, name)
        }
    }

    // MARK: Values

    private func write<Output: DocumentOutput>(
        _ raw: _RawValue, _ slot: Int, to output: inout Output, _ name: OutputName
    ) throws {
        guard type.fields[slot].type == .object else {
            return try Self.write(
                raw, type.fields[slot].type, isNarrow: isNarrow[slot], to: &output, name)
        }
        guard case .word(let word) = raw else { return try output.null(name) }
        let key = UInt64(bitPattern: word)
        if let plan = embedded[slot] {
            let found: Void? = try plan.type.withRow(ofKey: key) { row in
                try plan.write(row, to: &output, name)
            }
            if found == nil { try output.null(name) }
            return
        }
        guard let target = targets[slot] else { return }
        try Self.writeKey(of: target, key, isNarrow: isNarrow[slot], to: &output, name)
    }

    static func writeKey<Output: DocumentOutput>(
        of target: RowType, _ key: UInt64, isNarrow: Bool, to output: inout Output,
        _ name: OutputName
    ) throws {
        guard let keySlot = target.keySlot else {
            return try output.int(Int64(bitPattern: key), isNarrow: false, name)
        }
        let type = target.fields[keySlot].type
        let found: Void? = try target.withPrimaryKey(ofKey: key) { raw in
            try write(raw, type, isNarrow: isNarrow, to: &output, name)
        }
        if found == nil { try output.null(name) }
    }

    /// Writes the key that a link waits for, as a DBRef where its target is one.
    private func write<Output: DocumentOutput>(
        _ link: UnresolvedLink, _ slot: Int, to output: inout Output, _ name: OutputName
    ) throws {
        let own = targets[slot] ?? bases[slot]
        let named = own?.name == link.target ? own : realm.rowType(link.target)
        guard let target = named, let keySlot = target.keySlot else {
            return try output.null(name)
        }
        let type = target.fields[keySlot].type
        if own?.name == target.name {
            return try link.withTargetKey { raw in
                try Self.write(raw, type, isNarrow: isNarrow[slot], to: &output, name)
            }
        }
        try writeReference(to: target, &output, name) { output, idName in
            try link.withTargetKey { raw in
                try Self.write(
                    raw, type, isNarrow: hasNarrowKey(target.name), to: &output, idName)
            }
        }
    }

    static func write<Output: DocumentOutput>(
        _ raw: _RawValue, _ type: PropertyType, isNarrow: Bool, to output: inout Output,
        _ name: OutputName
    ) throws {
        switch (type, raw) {
        case (.string, .bytes(let text)): try output.text(text, name)
        case (.int, .word(let number)): try output.int(number, isNarrow: isNarrow, name)
        case (.double, .word(let bits)):
            try output.double(Double(bitPattern: UInt64(bitPattern: bits)), name)
        case (.float, .word):
            try output.double(Double(Float._from(raw) ?? 0), name)
        case (.bool, .word(let word)): try output.bool(word != 0, name)
        case (.date, .word):
            try output.value(Date._from(raw).map { .datetime($0) } ?? .null, name)
        case (.data, .bytes(let bytes)): try output.value(.binary(Data(bytes)), name)
        case (.objectId, .bytes):
            try output.value(ObjectId._from(raw).map { .objectId($0) } ?? .null, name)
        case (.UUID, .bytes): try output.value(UUID._from(raw).map { .uuid($0) } ?? .null, name)
        case (.decimal128, .bytes):
            try output.value(Decimal128._from(raw).map { .decimal128($0) } ?? .null, name)
        default: try output.null(name)
        }
    }
}

extension ValueSchema {
    /// Whether the values, or their elements, are integers of 32 bits.
    var hasNarrowIntegers: Bool {
        switch type {
        case .scalar(let scalar): scalar == .int
        case .array(let items, _): items.hasNarrowIntegers
        case .dictionary(let values): values.hasNarrowIntegers
        case .object: false
        }
    }

    /// The schema of the embedded objects that the values are or hold.
    var innerSchema: DocumentSchema? {
        switch type {
        case .scalar: nil
        case .array(let items, _): items.innerSchema
        case .dictionary(let values): values.innerSchema
        case .object(let schema): schema
        }
    }
}
