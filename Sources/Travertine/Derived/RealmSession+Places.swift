import TravertineStore

/// Keeping indexes of places in step with the objects that link to points, and with the points.
///
/// An entry is a function of two rows: the owner's, which has the link, and the point's. A change of
/// the first comes with `DerivedRules`, as that of any index. A change of the second finds the owner
/// by its backlink. Each is applied at once, so that at any time an index has what the rows say (O7);
/// that of a point which has no row yet is entered with its row.
extension RealmSession {
    /// Enters, or takes out, the point that a link of an object leads to.
    @inline(never)
    func applyPlace(
        _ entry: DerivedEntries.Entry, _ link: PlaceLink, of object: UInt64, in table: TableState
    ) throws {
        guard case .index(let position) = entry.origin else { return }
        let property = table.properties[table.rules.indexes[position].slots[0]]
        let target =
            link.type == 0 ? self.table(named: property.target) : self.table(number: link.type)
        guard let target, let point = try StoredPoint(target)?.value(of: link.target) else {
            return
        }
        let place = PlaceEntry(point, of: object)
        if entry.change == .enterPlace {
            try enter(place, in: entry.keyspace)
        } else {
            try remove(place, in: entry.keyspace)
        }
    }

    /// Enters a point whose row was just stored for the first time, if an owner links to it already.
    @inline(never)
    func enterNewPoint(_ key: UInt64, in table: TableState) throws {
        guard var changed = try indexedPoint(key, in: table) else { return }
        changed.point = nil
        try move(changed)
    }

    /// The point of an object that is about to be changed, and the entries that have it; nil if no
    /// index has points of the table.
    @inline(never)
    func indexedPoint(_ key: UInt64, in table: TableState) throws -> IndexedPoint? {
        var owners: [IndexedPoint.Owner] = []
        for source in linkSources(to: table) {
            for index in source.table.rules.indexes
            where index.kind == .places && index.slots[0] == source.slot {
                var found: [(source: UInt64, count: Int)] = []
                try appendBacklinks(to: key, in: table, source, to: &found)
                owners += found.map {
                    IndexedPoint.Owner(object: $0.source, keyspace: index.keyspace)
                }
            }
        }
        guard !owners.isEmpty, let stored = StoredPoint(table) else { return nil }
        return IndexedPoint(
            stored: stored, key: key, point: try stored.value(of: key), owners: owners)
    }

    /// Moves the entries of a point to where it is now.
    @inline(never)
    func move(_ changed: IndexedPoint) throws {
        let point = try changed.stored.value(of: changed.key)
        // Entries have the coordinates bit by bit, of which 0 and −0 differ.
        if point?.bits == changed.point?.bits { return }
        counts.changeCount &+= 1
        for owner in changed.owners {
            if let before = changed.point {
                try remove(PlaceEntry(before, of: owner.object), in: owner.keyspace)
            }
            if let point {
                try enter(PlaceEntry(point, of: owner.object), in: owner.keyspace)
            }
        }
    }

    private func enter(_ place: PlaceEntry, in keyspace: KeyspaceID) throws {
        try place.withKey { (key) throws(StoreError) in
            try requireTransaction().indexEnter(key, value: place.value, in: keyspace)
        }
    }

    private func remove(_ place: PlaceEntry, in keyspace: KeyspaceID) throws {
        _ = try place.withKey { (key) throws(StoreError) in
            try requireTransaction().indexDelete(key, in: keyspace)
        }
    }
}

extension GeoPoint {
    fileprivate var bits: SIMD2<UInt64> {
        SIMD2(latitude.bitPattern, longitude.bitPattern)
    }
}

/// A point of which indexes have entries.
struct IndexedPoint {
    struct Owner {
        var object: UInt64
        var keyspace: KeyspaceID
    }

    let stored: StoredPoint
    let key: UInt64
    /// Where it was before a change.
    fileprivate(set) var point: GeoPoint?
    let owners: [Owner]
}
