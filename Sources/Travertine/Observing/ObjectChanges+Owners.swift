import TravertineStore

extension ObjectChanges {
    /// Adds the owners of modified embedded objects, and the owners of these.
    ///
    /// An embedded object that was inserted or deleted needs none: the property that owns it
    /// differs.
    mutating func addOwners(
        _ comparison: VersionComparison, among numbers: Set<UInt32>?
    ) throws {
        var waiting = types.filter { comparison.newTypes[$0.key]?.stored.isEmbedded ?? false }
            .mapValues { $0.modified.map(\.key) }
        while let (type, keys) = waiting.popFirst() {
            let properties = comparison.owningProperties(ofType: type, among: numbers)
            var owners: [UInt32: [UInt64: PropertyNumbers]] = [:]
            for key in keys {
                guard let owner = try comparison.owner(of: key, type, properties) else { continue }
                owners[owner.type, default: [:]][owner.key, default: .init()]
                    .insert(owner.property)
            }
            for (ownerType, found) in owners {
                let known = Set((types[ownerType]?.modified ?? []).map(\.key))
                types[ownerType, default: OfType()].add(
                    found.sorted { $0.key < $1.key }.map {
                        Modified(key: $0.key, properties: .init(), owned: $0.value)
                    })
                guard comparison.newTypes[ownerType]?.stored.isEmbedded ?? false else { continue }
                // One that is modified itself is waiting already, or was looked at.
                let new = found.keys.filter { !known.contains($0) }
                if !new.isEmpty { waiting[ownerType, default: []] += new }
            }
        }
        types = types.filter { !$0.value.isEmpty }
    }
}

extension VersionComparison {
    fileprivate struct Owner {
        let type: UInt32
        let property: UInt32
        let key: UInt64
    }

    fileprivate func owningProperties(
        ofType number: UInt32, among numbers: Set<UInt32>?
    ) -> [(type: UInt32, property: StoredProperty)] {
        newTypes.schema.types.filter { numbers?.contains($0.number) ?? true }.flatMap { type in
            type.properties.filter { property in
                property.isOwning && property.backlinks != .absent
                    && (property.type == .any
                        || newTypes.schema.type(named: property.target)?.number == number)
            }.map { (type.number, $0) }
        }
    }

    /// The owner of an embedded object that both versions have, and that therefore is the same in
    /// both: an object is never handed from one owner to another.
    fileprivate func owner(
        of key: UInt64, _ type: UInt32, _ properties: [(type: UInt32, property: StoredProperty)]
    ) throws -> Owner? {
        for (ownerType, property) in properties {
            var prefix =
                property.type == .any ? withUnsafeBytes(of: type.bigEndian, Array.init) : []
            prefix += withUnsafeBytes(of: key.bigEndian, Array.init)
            let source = try prefix.withUnsafeBytes { (prefix) throws -> UInt64? in
                var cursor = newer.access.cursor(in: property.backlinks)
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
