import TravertineStore

/// The stored values that a declared type can hold.
enum ValueDomain: Hashable, Sendable {
    /// All of its stored type, or not determined.
    case any
    /// The raw values of an enum's cases.
    case cases([RawConstant])
    /// The numbers of an integer type of less than 64 bits, or of one that is stored as such.
    case range(ClosedRange<Int64>)
}

/// The domains of a type's properties, or of the elements of its collections, when its class was
/// last opened: raw values of enums, numbers of narrow integers.
///
/// Only verification reads them; it reports stored values outside of them. Each property has its
/// own record, which older programs skip.
extension StoredSchema {
    /// A property in the store.
    struct PropertyName: Hashable {
        var type: UInt32
        var property: UInt32
    }

    private static let casesTag: UInt8 = 4

    /// What the keys of a type's domains begin with.
    static func valueDomainKey(_ type: UInt32) -> [UInt8] {
        [casesTag] + withUnsafeBytes(of: type.bigEndian, Array.init)
    }

    private static func casesKey(_ name: PropertyName) -> [UInt8] {
        [casesTag] + withUnsafeBytes(of: name.type.bigEndian, Array.init)
            + withUnsafeBytes(of: name.property.bigEndian, Array.init)
    }

    /// Reads the domains of all properties.
    static func loadValueDomains(
        _ access: ReadAccess, keyspace: KeyspaceID
    ) throws -> [PropertyName: ValueDomain] {
        var found: [PropertyName: ValueDomain] = [:]
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
            // A record that can't be read is one that the next opening writes.
            if let domain = try? ValueDomain(&reader) { found[name] = domain }
            isValid = try cursor.next()
        }
        return found
    }

    /// Stores the domain of a property.
    static func put(
        _ domain: ValueDomain, of name: PropertyName, _ transaction: WriteTransaction,
        _ keyspace: KeyspaceID
    ) throws {
        try put(casesKey(name), domain.encoded, transaction, keyspace)
    }
}

/// The stored form: each raw value by itself, or the bounds of the numbers after a 3.
extension ValueDomain {
    fileprivate var encoded: [UInt8] {
        var writer = ByteWriter()
        switch self {
        case .any: break
        case .cases(let cases):
            for value in cases where value != .null { value.write(to: &writer) }
        case .range(let range):
            writer.append(UInt8(3))
            writer.append(range.lowerBound)
            writer.append(range.upperBound)
        }
        return writer.bytes
    }

    fileprivate init(_ reader: inout ByteReader) throws(SchemaDamage) {
        var cases: [RawConstant] = []
        while !reader.isAtEnd {
            switch try reader.take(UInt8.self) {
            case 1: cases.append(.word(try reader.take(Int64.self)))
            case 2: cases.append(.bytes(try reader.takeCounted()))
            case 3 where cases.isEmpty:
                let least = try reader.take(Int64.self)
                let greatest = try reader.take(Int64.self)
                guard reader.isAtEnd, least <= greatest else { throw SchemaDamage() }
                self = .range(least...greatest)
                return
            default: throw SchemaDamage()
            }
        }
        self = cases.isEmpty ? .any : .cases(cases)
    }
}

extension SchemaInstaller {
    /// The domains of the classes' properties where the store has others.
    private func changedDomains(
        _ access: ReadAccess
    ) throws -> [(name: StoredSchema.PropertyName, domain: ValueDomain)] {
        let stored = try StoredSchema.loadValueDomains(access, keyspace: keyspace)
        var changed: [(name: StoredSchema.PropertyName, domain: ValueDomain)] = []
        for info in classes {
            guard let type = self.stored.type(named: info.storedName) else { continue }
            for declared in info.properties {
                guard let domain = declared.valueDomain,
                    let property = type.properties.first(where: { $0.name == declared.storedName })
                else { continue }
                let name = StoredSchema.PropertyName(type: type.number, property: property.number)
                if stored[name] ?? .any != domain { changed.append((name, domain)) }
            }
        }
        return changed
    }

    /// Whether the classes have other domains than when they were last opened.
    func hasChangedDomains() throws -> Bool {
        let snapshot = try store.snapshot()
        return try withExtendedLifetime(snapshot) { try !changedDomains(snapshot.access).isEmpty }
    }

    /// Writes the domains that are not those in the store.
    func writeValueDomains(_ transaction: WriteTransaction) throws {
        for (name, domain) in try changedDomains(transaction.access) {
            try StoredSchema.put(domain, of: name, transaction, keyspace)
        }
    }
}

extension PersistableEnum {
    /// The raw values of all cases, as they are stored.
    fileprivate static var storedRawValues: [RawConstant] {
        allCases.map { $0._withRaw { RawConstant($0) } }
    }
}

extension _Persistable {
    /// The domain of the type of a property, or of the elements of a collection; `any` for optional
    /// ones, which are nil where the type has no value.
    static var valueDomain: ValueDomain {
        let isCollection = Self.self is any _StoredCollection.Type
        let type = isCollection ? (Self.self as? any HoldingType.Type)?.heldType : Self.self
        if let type = type as? any PersistableEnum.Type { return .cases(type.storedRawValues) }
        guard let type, !(type is any HoldingType.Type),
            let range = ClassInfo.Property.integerRange(of: type),
            range != Int64.min...Int64.max
        else { return .any }
        return .range(range)
    }
}
