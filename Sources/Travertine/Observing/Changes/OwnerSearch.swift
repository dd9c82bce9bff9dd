import TravertineStore

/// Finds the owners of embedded objects in one version, by the backlinks of what owns.
struct OwnerSearch {
    struct Owner {
        let type: UInt32
        let property: UInt32
        let key: UInt64
    }

    typealias OwningProperty = (type: UInt32, property: StoredProperty)

    let access: ReadAccess
    let types: StoredTypes
    /// The types among which owners are looked for; nil for all.
    let numbers: Set<UInt32>?

    init(access: ReadAccess, types: StoredTypes, among numbers: Set<UInt32>? = nil) {
        self.access = access
        self.types = types
        self.numbers = numbers
    }

    /// The properties that may own objects of an embedded type.
    func owningProperties(ofType number: UInt32) -> [OwningProperty] {
        types.schema.types.filter { numbers?.contains($0.number) ?? true }.flatMap { type in
            type.properties.filter { property in
                property.isOwning && property.backlinks != .absent
                    && (property.type == .any
                        || types.schema.type(named: property.target)?.number == number)
            }.map { (type.number, $0) }
        }
    }

    /// The owner of an embedded object by one of some properties; nil if it is not there.
    func owner(
        of key: UInt64, _ type: UInt32, _ properties: [OwningProperty]
    ) throws -> Owner? {
        for (ownerType, property) in properties {
            var prefix =
                property.type == .any ? withUnsafeBytes(of: type.bigEndian, Array.init) : []
            prefix += withUnsafeBytes(of: key.bigEndian, Array.init)
            let source = try prefix.withUnsafeBytes { (prefix) throws -> UInt64? in
                var cursor = access.cursor(in: property.backlinks)
                guard try cursor.seek(atOrAfter: prefix) else { return nil }
                return cursor.withKey {
                    $0.begins(with: prefix) && $0.count == prefix.count + 8
                        ? objectKey(in: $0, at: prefix.count) : nil
                }
            }
            if let source {
                return Owner(type: ownerType, property: property.number, key: source)
            }
        }
        return nil
    }
}
