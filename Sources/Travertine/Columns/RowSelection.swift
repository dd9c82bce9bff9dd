import OrderedIndex
import TravertineStore

/// Which rows of a snapshot fulfil a condition: bits for each leaf of the index that has any
/// (S-Q1).
///
/// No row is read for it, and none until it is asked for. Valid while the snapshot is pinned.
struct RowSelection {
    /// The matches in one leaf.
    struct Leaf {
        let node: NodeHandle
        let positions: LeafPositions
        /// How many matches there are up to the last one of this leaf.
        let end: Int
        /// The part of the results, as `FoundRow` has it.
        let part: Int32
    }

    /// In the order of parts and keys; none is without a match.
    private(set) var leaves: [Leaf] = []
    private(set) var count = 0

    /// Adds the matches of the next leaf.
    mutating func append(_ positions: LeafPositions, of leaf: LeafEntries, part: Int) {
        if positions.isEmpty { return }
        count += positions.count
        leaves.append(
            Leaf(node: leaf.handle, positions: positions, end: count, part: Int32(part)))
    }

    /// The number of the leaf that has the match at a position. `near` is that of the position
    /// that was asked for last.
    func leafNumber(at position: Int, near: Int) -> Int {
        precondition(position >= 0 && position < count, "a selection has no such position")
        for number in near..<min(near + 2, leaves.count)
        where position < leaves[number].end && position >= start(of: number) {
            return number
        }
        return leaves.indices.partitioningIndex { leaves[$0].end > position }
    }

    /// The position of a leaf's first match.
    func start(of number: Int) -> Int { number == 0 ? 0 : leaves[number - 1].end }

    /// The row of the match at a position in a leaf that has it.
    func row(at position: Int, ofLeaf number: Int, _ access: ReadAccess) throws -> FoundRow {
        let leaf = leaves[number]
        let entries = leaf.node.entries
        let place = leaf.positions.position(after: position - start(of: number))
        return FoundRow(
            key: entries.number(place), bytes: try access.value(at: place, of: entries),
            part: Int(leaf.part))
    }

    /// All rows.
    func rows(_ access: ReadAccess) throws -> [FoundRow] {
        var rows: [FoundRow] = []
        rows.reserveCapacity(count)
        try withUnsafeTemporaryAllocation(
            of: NumberedRow.self, capacity: SelectionWalk.rowCountMax
        ) { buffer in
            guard let start = buffer.baseAddress else { return }
            var walk = SelectionWalk(self, access)
            while true {
                let part = walk.part
                let taken = walk.take(into: start)
                for row in buffer[..<taken.count] {
                    rows.append(
                        FoundRow(
                            key: row.key,
                            bytes: UnsafeRawBufferPointer(start: row.base, count: row.byteCount),
                            part: part))
                }
                if let failure = taken.failure { throw failure }
                if taken.count == 0 { return }
            }
        }
        return rows
    }
}
