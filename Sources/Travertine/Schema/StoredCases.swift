import TravertineStore

/// The raw values that the enums of a type's properties, or of the elements of its collections, had
/// when its class was last opened.
///
/// Nothing reads them but verification, which names stored values that no case has. They have
/// records of their own, which older programs pass over.
extension StoredSchema {
    /// A property in the store.
    struct PropertyName: Hashable {
        var type: UInt32
        var property: UInt32
    }

    private static let casesTag: UInt8 = 4

    private static func casesKey(_ name: PropertyName) -> [UInt8] {
        [casesTag] + withUnsafeBytes(of: name.type.bigEndian, Array.init)
            + withUnsafeBytes(of: name.property.bigEndian, Array.init)
    }

    /// Reads all lists of raw values.
    static func loadCases(
        _ access: ReadAccess, keyspace: UInt32
    ) throws -> [PropertyName: [StoredDefault]] {
        var found: [PropertyName: [StoredDefault]] = [:]
        var cursor = access.cursor(in: keyspace)
        var isValid = try [casesTag].withBytes { (key) throws(StoreError) in
            try cursor.seek(atOrAfter: key)
        }
        while isValid {
            let name = cursor.withKey { key -> PropertyName? in
                guard key.count == 9, key[0] == casesTag else { return nil }
                let number = objectKey(in: key, at: 1)
                return PropertyName(
                    type: UInt32(number >> 32), property: UInt32(truncatingIfNeeded: number))
            }
            guard let name else { break }
            var reader = ByteReader(try cursor.value(verified: true))
            // A list that can't be read is one that the next opening writes.
            if let cases = try? readCases(&reader) { found[name] = cases }
            isValid = try cursor.next()
        }
        return found
    }

    private static func readCases(
        _ reader: inout ByteReader
    ) throws(SchemaDamage) -> [StoredDefault] {
        var cases: [StoredDefault] = []
        while !reader.isAtEnd {
            switch try reader.take(UInt8.self) {
            case 1: cases.append(.word(try reader.take(Int64.self)))
            case 2: cases.append(.bytes(try reader.takeCounted()))
            default: throw SchemaDamage()
            }
        }
        return cases
    }

    /// Stores the raw values of a property's enum; none for a property that is no enum any more.
    static func put(
        cases: [StoredDefault], of name: PropertyName, _ transaction: WriteTransaction,
        _ keyspace: UInt32
    ) throws {
        var writer = ByteWriter()
        for value in cases {
            switch value {
            case .null: continue
            case .word(let word):
                writer.put(UInt8(1))
                writer.put(word)
            case .bytes(let bytes):
                writer.put(UInt8(2))
                writer.put(counted: bytes)
            }
        }
        try put(casesKey(name), writer.bytes, transaction, keyspace)
    }
}

extension SchemaInstaller {
    /// The raw values of enums that are not in the store as the classes have them.
    func changedCases(
        _ access: ReadAccess
    ) throws -> [(name: StoredSchema.PropertyName, cases: [StoredDefault])] {
        let known = try StoredSchema.loadCases(access, keyspace: keyspace)
        var changed: [(name: StoredSchema.PropertyName, cases: [StoredDefault])] = []
        for info in classes {
            guard let type = stored.type(named: info.storedName) else { continue }
            for declared in info.properties {
                guard let cases = declared.cases,
                    let property = type.properties.first(where: { $0.name == declared.storedName })
                else { continue }
                let name = StoredSchema.PropertyName(type: type.number, property: property.number)
                if known[name] ?? [] != cases { changed.append((name, cases)) }
            }
        }
        return changed
    }

    /// Whether the classes have other enums than when they were last opened.
    func hasChangedCases() throws -> Bool {
        let snapshot = try store.snapshot()
        return try withExtendedLifetime(snapshot) { try !changedCases(snapshot.access).isEmpty }
    }

    /// Writes the raw values of enums that are others than before.
    func writeCases(_ transaction: WriteTransaction) throws {
        for (name, cases) in try changedCases(transaction.access) {
            try StoredSchema.put(cases: cases, of: name, transaction, keyspace)
        }
    }
}

extension PersistableEnum {
    /// The raw values of all cases, as they are stored.
    fileprivate static var storedRawValues: [StoredDefault] {
        allCases.map { $0._withRaw { StoredDefault($0) } }
    }
}

extension _Persistable {
    /// The raw values of the enum that the values or elements of a property are of; none for other
    /// types, and for optional ones.
    static var storedCases: [StoredDefault] {
        let isCollection = Self.self is any _StoredCollection.Type
        let type = isCollection ? (Self.self as? any HoldingType.Type)?.heldType : Self.self
        return (type as? any PersistableEnum.Type)?.storedRawValues ?? []
    }
}
