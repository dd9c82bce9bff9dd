import TravertineStore

extension ObjectChanges {
    /// Compares the backlinks of properties: what linking objects show.
    mutating func addLinks(_ comparison: VersionComparison, of origins: Set<Origin>?) throws {
        for origin in origins ?? comparison.allOrigins {
            let changes = try comparison.links(of: origin)
            if !changes.isEmpty { links[origin] = changes }
        }
    }
}

extension VersionComparison {
    /// Every property that links, in either version.
    fileprivate var allOrigins: Set<ObjectChanges.Origin> {
        var origins: Set<ObjectChanges.Origin> = []
        for type in oldTypes.schema.types + newTypes.schema.types {
            for property in type.properties where property.backlinks != .absent {
                origins.insert(.init(type: type.number, property: property.number))
            }
        }
        return origins
    }

    /// The links by a property that differ.
    fileprivate func links(of origin: ObjectChanges.Origin) throws -> [ObjectChanges.Link] {
        func property(_ types: StoredTypes) -> StoredProperty? {
            types[origin.type]?.stored.properties.first { $0.number == origin.property }
        }
        guard let property = property(newTypes) ?? property(oldTypes),
            property.backlinks != .absent,
            !newer.shares(property.backlinks, with: older)
        else { return [] }
        let target =
            (newTypes.schema.type(named: property.target)
            ?? oldTypes.schema.type(named: property.target))?.number
        var found: [ObjectChanges.Link] = []
        let difference = try KeyspaceDifference(from: older, to: newer, in: property.backlinks)
        while try difference.next() {
            let key = difference.key
            guard key.count == 16 || key.count == 20 else { continue }
            let type =
                key.count == 16 ? target : UInt32(bigEndian: key.loadUnaligned(as: UInt32.self))
            guard let type else { continue }
            found.append(
                ObjectChanges.Link(
                    targetType: type, target: objectKey(in: key, at: key.count - 16),
                    source: objectKey(in: key, at: key.count - 8),
                    oldCount: difference.oldNumber ?? 0, newCount: difference.newNumber ?? 0))
        }
        return found
    }
}
