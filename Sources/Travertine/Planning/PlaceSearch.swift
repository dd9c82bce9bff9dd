import OrderedIndex
import TravertineStore

/// A search for objects whose points are in a shape.
struct PlaceSearch {
    let keyspace: KeyspaceID
    let slot: Int
    let shape: ShapeConstant
    /// A covering of the shape.
    let ranges: [CellRange]
    /// About how many entries the covering has, where that was asked for to make it.
    private let coveredCount: KeyCount?

    /// So few entries are tested in less time than a covering takes.
    static let testedMax = 128

    /// Nil if the slot's points have no index, and for a shape of which nothing is known.
    init?(_ table: TableState, slot: Int, _ shape: ShapeConstant, _ access: ReadAccess) throws {
        guard
            let index = table.rules.indexes.first(where: {
                $0.kind == .places && $0.slots[0] == slot
            }), let region = CellRegion(shape)
        else { return nil }
        keyspace = index.keyspace
        self.slot = slot
        self.shape = shape
        var coveredCount: KeyCount?
        ranges = try CellCovering.ranges(of: region) { ranges in
            let count = try Self.entryCount(ranges, in: index.keyspace, access)
            if count.count > Self.testedMax { return false }
            coveredCount = count
            return true
        }
        self.coveredCount = coveredCount
    }

    /// About how many entries the covering has.
    func entryCount(_ access: ReadAccess) throws(StoreError) -> KeyCount {
        if let coveredCount { return coveredCount }
        return try Self.entryCount(ranges, in: keyspace, access)
    }

    /// About how many entries are in ranges. Those that follow each other are looked at as one.
    static func entryCount(
        _ ranges: [CellRange], in keyspace: KeyspaceID, _ access: ReadAccess
    ) throws(StoreError) -> KeyCount {
        var total = KeyCount(count: 0, isExact: true)
        var rest = ranges[...]
        while var range = rest.popFirst() {
            while let next = rest.first, next.lower == range.upper {
                range.upper = next.upper
                rest.removeFirst()
            }
            let found = try IndexRanges.count(keys(of: range), in: keyspace, access)
            total.count += found.count
            total.isExact = total.isExact && found.isExact
        }
        return total
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

    /// The number of the objects.
    func count(_ access: ReadAccess) throws -> Int {
        var count = 0
        try forEachEntry(access) { _ in count += 1 }
        return count
    }

    @inline(__always)
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
