import OrderedIndex
import TravertineStore

/// Sorts the rows of one table by values from columns, which have those of the first descriptor.
struct ColumnSort {
    let state: ResultsState
    let sorter: RowSorter
    let reader: PropertyReader
    let columns: LeafColumns
    private let number: Int
    private let condition: ColumnCondition?
    let test: RowTest?

    /// Nil where rows must be looked at.
    init?(_ state: ResultsState, _ sorter: RowSorter) throws {
        guard state.source == nil, state.derived.isEmpty, !QueryPlanning.isScanOnly,
            let column = sorter.columns.first, column.options.isEmpty,
            let slot = column.readers[0].directSlot
        else { return nil }
        let table = state.table
        let access = try state.session.access
        let cache = table.session.columns
        guard access.isOfSnapshot, cache.isUsed,
            state.session.count(of: table) <= SortedSelection.countMax
        else { return nil }
        var sources = ColumnCondition.Sources()
        condition =
            state.readyCondition().map {
                ColumnCondition($0.condition, table, &sources)
            } ?? .constant(true)
        guard condition != nil, let number = sources.number(of: slot, table),
            let columns = try? LeafColumns(table, access, cache, sources.columns)
        else { return nil }
        self.state = state
        self.sorter = sorter
        reader = column.readers[0]
        self.columns = columns
        self.number = number
        test = state.readyTest()
    }

    // MARK: The first ones

    /// The first matches in order: only rows of such are read as may be among them.
    func first(_ countMax: Int) throws -> [FoundRow] {
        if countMax == 0 { return [] }
        columns.buildAhead()
        var visitor = Selector(sort: self, countMax: countMax)
        try columns.access.visitNodes(of: columns.table.rows, &visitor)
        return try sorter.sorted(try visitor.rows(), first: countMax)
    }

    /// Keeps the matches whose ranks are among the least, and those of equal rank.
    private struct Selector: NodeVisitor {
        private struct Candidate {
            var rank: UInt64
            var leaf: Int32
            var position: Int32
        }

        let sort: ColumnSort
        let countMax: Int
        private var candidates: [Candidate] = []
        private var leaves: [LeafEntries] = []
        private var loaded: [LeafColumn] = []
        /// Greater ranks are not among the first.
        private var rankMax = UInt64.max
        /// Candidates are looked through when there are so many.
        private var candidateCountMax: Int

        init(sort: ColumnSort, countMax: Int) {
            self.sort = sort
            self.countMax = countMax
            candidateCountMax = 2 * min(countMax, Int.max / 4) + 256
        }

        mutating func enter(_ node: NodeIdentity) -> Bool { true }

        mutating func leave(_ node: NodeIdentity) {}

        mutating func visit(_ leaf: LeafEntries) throws {
            let formerCount = candidates.count
            let number = Int32(leaves.count)
            if try sort.columns.load(leaf, into: &loaded) {
                let column = sort.value(loaded)
                let (ascending, type) = (sort.sorter.columns[0].ascending, sort.reader.type.type)
                try sort.withMask(loaded, leaf.count) { mask in
                    for position in 0..<leaf.count where mask[position] != 0 {
                        let rank = ColumnSort.rank(column.value(position, type), type, ascending)
                        if rank <= rankMax {
                            candidates.append(
                                Candidate(rank: rank, leaf: number, position: Int32(position)))
                        }
                    }
                }
            } else {
                let (ascending, type) = (sort.sorter.columns[0].ascending, sort.reader.type.type)
                try sort.forEachRow(of: leaf) { position, _, _, value in
                    let rank = ColumnSort.rank(value, type, ascending)
                    if rank <= rankMax {
                        candidates.append(
                            Candidate(rank: rank, leaf: number, position: Int32(position)))
                    }
                }
            }
            if candidates.count == formerCount { return }
            leaves.append(leaf)
            if candidates.count > candidateCountMax { removeOthers() }
        }

        /// Removes those that more than enough others are before.
        private mutating func removeOthers() {
            let ranks = candidates.map(\.rank).sorted()
            rankMax = ranks[min(countMax, ranks.count) - 1]
            candidates.removeAll { $0.rank > rankMax }
            candidateCountMax = 2 * candidates.count + 256
        }

        /// The rows of the candidates, in key order.
        mutating func rows() throws -> [FoundRow] {
            if candidates.count > countMax { removeOthers() }
            let (access, session) = (sort.columns.access, sort.state.session)
            return try candidates.map { candidate in
                session.noteVisit(.row)
                let (leaf, position) = (leaves[Int(candidate.leaf)], Int(candidate.position))
                return FoundRow(
                    key: leaf.number(position), bytes: try access.value(at: position, of: leaf))
            }
        }
    }

    /// A number that is never greater for an earlier value than for a later one.
    @inline(__always)
    private static func rank(_ value: _RawValue, _ type: PropertyType, _ ascending: Bool) -> UInt64
    {
        if value.isNull { return ascending ? 0 : .max }
        let prefix = RowSorter.prefix(value, type)
        return (ascending ? prefix : ~prefix) >> 1
    }

    // MARK: Values

    func value(_ loaded: [LeafColumn]) -> ValueColumn {
        ValueColumn(loaded[number], isText: reader.type.type == .string)
    }

    /// The positions of the matches in a leaf.
    func positions(_ loaded: [LeafColumn], _ count: Int) -> LeafPositions {
        condition?.positions(loaded, count) ?? LeafPositions(before: 0)
    }

    func withMask(
        _ loaded: [LeafColumn], _ count: Int, _ body: (UnsafeMutablePointer<UInt8>) throws -> Void
    ) throws {
        try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: LeafColumn.countMax) { mask in
            guard let mask = mask.baseAddress, let condition else { return }
            condition.evaluate(loaded, count, mask)
            try body(mask)
        }
    }

    /// Calls `body` with each match in a leaf without columns.
    func forEachRow(
        of leaf: LeafEntries,
        _ body: (Int, UInt64, UnsafeRawBufferPointer, _RawValue) throws -> Void
    ) throws {
        let (table, access) = (columns.table, columns.access)
        for position in 0..<leaf.count {
            table.noteVisits(.row)
            let row = try access.value(at: position, of: leaf)
            let (key, binding) = (leaf.number(position), try table.binding(of: row))
            if let test, try !test.matches(row, binding, key) { continue }
            try body(position, key, row, try reader.value(row, binding, key))
        }
    }
}
