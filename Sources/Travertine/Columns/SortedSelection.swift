import TravertineStore

/// Rows of a snapshot in the order of a sorting, of which none was read: the selected ones in the
/// order of their keys, and how many of them are before each (S-Q8).
///
/// Valid while the snapshot is pinned. Takes 4 bytes for each row.
struct SortedSelection {
    private let selection: RowSelection
    private let ranks: [UInt32]

    /// The greatest number of rows.
    static var countMax: Int { Int(UInt32.max) }

    /// - Parameter ranks: the ranks of the rows in key order, in the order of the sorting.
    init(_ selection: RowSelection, ranks: [UInt32]) {
        self.selection = selection
        self.ranks = ranks
    }

    var count: Int { ranks.count }

    /// The row at a position; takes time in proportion to the logarithm of the number of leaves.
    func row(at position: Int, _ access: ReadAccess) throws -> FoundRow {
        let rank = Int(ranks[position])
        return try selection.row(
            at: rank, ofLeaf: selection.leafNumber(at: rank, near: 0), access)
    }

    /// All rows.
    func rows(_ access: ReadAccess) throws -> [FoundRow] {
        let rows = try selection.rows(access)
        return ranks.map { rows[Int($0)] }
    }
}
