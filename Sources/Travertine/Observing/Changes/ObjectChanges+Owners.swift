import TravertineStore

/// Owners of embedded objects that changed: they changed too (D-L2b).
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
        let search = OwnerSearch(
            access: comparison.newer.access, types: comparison.newTypes, among: numbers)
        while let (type, keys) = waiting.popFirst() {
            let properties = search.owningProperties(ofType: type)
            var owners: [UInt32: [UInt64: PropertyNumbers]] = [:]
            for key in keys {
                // Never another than before: an object is not handed from one owner to another.
                guard let owner = try search.owner(of: key, type, properties) else { continue }
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
