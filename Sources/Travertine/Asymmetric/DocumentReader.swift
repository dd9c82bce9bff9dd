#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension RowType {
    /// The field of an embedded object's document that names its class, where that is one derived
    /// from the property's: as MongoDB's drivers for C# and Java name it.
    package static let classField = "_t"
}

/// Makes documents of stored rows, by the stored schema alone: no class is needed.
struct DocumentReader {
    let session: RealmSession

    /// How deep embedded objects may be nested; schemas without cycles stay far below.
    private static let depthMax = 256

    /// The document of an object; nil if it has no row.
    func document(
        _ key: UInt64, in table: TableState, depth: Int = 0
    ) throws -> StoredDocument? {
        guard depth <= Self.depthMax else { throw table.damagedRow() }
        guard let row = try session.access.value(forKey: key, in: table.stored.rows) else {
            return nil
        }
        let binding = try table.binding(of: row)
        var document = StoredDocument()
        document.fields.reserveCapacity(table.properties.count)
        for (slot, property) in table.properties.enumerated() {
            let storage = CollectionStorage(session, table, key, slot)
            let value =
                property.collection == .none
                ? try self.value(table.value(at: slot, in: row, binding), storage, depth)
                : try elements(of: storage, depth)
            document.fields.append(StoredDocument.Field(name: property.name, value: value))
        }
        return document
    }

    private func value(
        _ raw: _RawValue, _ storage: CollectionStorage, _ depth: Int
    ) throws -> StoredValue {
        switch (storage.property.type, raw) {
        case (_, .null): return .null
        case (.object, .word(let word)):
            return try target(UInt64(bitPattern: word), storage.property, depth)
        case (.any, .bytes(let bytes)): return try mixed(bytes, storage, depth)
        default: return StoredValue(raw, storage.property.type) ?? .null
        }
    }

    private func mixed(
        _ bytes: UnsafeRawBufferPointer, _ storage: CollectionStorage, _ depth: Int
    ) throws -> StoredValue {
        switch MixedCode.reference(in: bytes) {
        case .object(let type, let key):
            guard let table = session.table(number: type) else { return .null }
            // A class derived from the property's is named; the property names its own.
            let isOwn = storage.property.isVarying && table.stored.name == storage.property.target
            if table.stored.isEmbedded {
                guard var document = try document(key, in: table, depth: depth + 1) else {
                    return .null
                }
                if !isOwn, document[RowType.classField] == nil {
                    document.fields.insert(
                        StoredDocument.Field(
                            name: RowType.classField, value: .string(table.stored.name)),
                        at: 0)
                }
                return .document(document)
            }
            guard let identity = try identity(of: key, in: table) else { return .null }
            if case .link = identity { return identity }
            return isOwn ? identity : .link(type: table.stored.name, key: identity)
        case .collection(let kind, let number):
            let nested = storage.nested(kind, number)
            guard let level = nested.nesting?.depth, level <= MixedCode.depthMax,
                try nested.isPresent()
            else { throw storage.table.damagedRow() }
            return try elements(of: nested, depth)
        case nil: return StoredValue(mixed: bytes) ?? .null
        }
    }

    /// The elements, copied before any is looked at: what they link to is read by the same paths.
    private func elements(of storage: CollectionStorage, _ depth: Int) throws -> StoredValue {
        var found: [(name: String, value: RawConstant)] = []
        let isMap = storage.run.collection == .map
        try storage.visitElements { element in
            let name = isMap ? String(decoding: element.key, as: UTF8.self) : ""
            found.append((name, RawConstant(element.value)))
            return true
        }
        let values = try found.map { element in
            StoredDocument.Field(
                name: element.name,
                value: try element.value.withRaw { raw in
                    Result { try value(raw, storage, depth) }
                }.get())
        }
        return isMap ? .document(StoredDocument(values)) : .array(values.map(\.value))
    }

    /// What a link leads to whose type the property has: an embedded object as it is, another by
    /// its key.
    private func target(
        _ key: UInt64, _ property: StoredProperty, _ depth: Int
    ) throws -> StoredValue {
        guard let table = session.table(named: property.target) else { return .null }
        if table.stored.isEmbedded {
            return try document(key, in: table, depth: depth + 1).map { .document($0) } ?? .null
        }
        return try identity(of: key, in: table) ?? .null
    }

    /// The primary key of an object; of a type without one, the link by the number that it has in
    /// its type, which no key of another type can be taken for. Nil if it is not there.
    private func identity(of key: UInt64, in table: TableState) throws -> StoredValue? {
        guard let row = try session.access.value(forKey: key, in: table.stored.rows) else {
            return nil
        }
        guard let slot = table.properties.firstIndex(where: \.isPrimaryKey) else {
            return .link(type: table.stored.name, key: .int(Int64(bitPattern: key)))
        }
        let raw = table.value(at: slot, in: row, try table.binding(of: row))
        return StoredValue(raw, table.properties[slot].type) ?? .null
    }
}
