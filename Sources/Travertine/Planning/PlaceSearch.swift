import TravertineStore

/// A search for objects whose points are in a shape.
struct PlaceSearch {
    let keyspace: UInt32
    let slot: Int
    let shape: ShapeConstant
    /// A covering of the shape.
    let ranges: [CellRange]

    /// Nil for a shape of which nothing is known.
    init?(_ index: TableIndex, _ shape: ShapeConstant) {
        guard let region = CellRegion(shape) else { return nil }
        keyspace = index.keyspace
        slot = index.slots[0]
        self.shape = shape
        ranges = CellCovering.ranges(of: region)
    }

    /// The entries of a range; those of the last cells have no key after them.
    static func keys(of range: CellRange) -> KeyRange {
        KeyRange(lower: PlaceEntry.bound(range.lower), upper: PlaceEntry.bound(range.upper))
    }

    /// The keys of the objects in ascending order, each once. Points in cells that the edge of the
    /// shape crosses are tested by the coordinates in their entries.
    func keys(_ access: ReadAccess) throws -> [UInt64] {
        var found: [UInt64] = []
        try forEachEntry(access) { entry in found.append(entry) }
        SortedKeys.sort(&found)
        return found
    }

    private func forEachEntry(_ access: ReadAccess, _ body: (UInt64) -> Void) throws {
        let shape = shape.shape
        var cursor = access.cursor(in: keyspace)
        for range in ranges {
            guard try cursor.seekForward(to: PlaceEntry.bound(range.lower)) else { break }
            let upper = PlaceEntry.bound(range.upper)
            try upper.withBytes { (upper) throws(StoreError) in
                if range.isInside {
                    try cursor.forEachNumber(before: upper) { key, _ in
                        if key.count == PlaceEntry.keyByteCount { body(objectKey(in: key, at: 16)) }
                    }
                } else {
                    try cursor.forEachNumber(before: upper) { key, value in
                        guard let entry = PlaceEntry(key, value), shape.contains(entry.point) else {
                            return
                        }
                        body(entry.object)
                    }
                }
            }
        }
    }
}
