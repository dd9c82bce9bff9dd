import OrderedIndex
import TravertineStore

/// The matches of results in one table as columns give them, with columns of further properties.
struct ColumnScan {
    let table: TableState
    let columns: LeafColumns
    /// The numbers of the columns of the properties that were asked for.
    let numbers: [Int]
    private let condition: ColumnCondition
    private let test: RowTest?

    /// Nil where rows must be looked at: in a transaction, of several tables or a collection, with
    /// a condition on more than columns have or that an index helps with.
    init?(_ state: ResultsState, slots: [Int]) throws {
        guard state.source == nil, state.derived.isEmpty, !QueryPlanning.isScanOnly else {
            return nil
        }
        let table = state.table
        let access = try state.session.access
        let cache = table.session.columns
        guard access.isOfSnapshot, cache.isUsed else { return nil }
        var sources = ColumnCondition.Sources()
        var condition = ColumnCondition.constant(true)
        if let ready = state.readyCondition() {
            guard let made = ColumnCondition(ready.condition, table, &sources),
                try state.queryPlan().path == nil
            else { return nil }
            condition = made
        }
        var numbers: [Int] = []
        for slot in slots {
            guard let number = sources.number(of: slot, table) else { return nil }
            numbers.append(number)
        }
        guard let columns = try? LeafColumns(table, access, cache, sources.columns) else {
            return nil
        }
        self.table = table
        self.columns = columns
        self.numbers = numbers
        self.condition = condition
        test = state.readyTest()
    }

    /// Calls `body` with the place of each match in a leaf, whose columns are loaded.
    @inline(__always)
    func forEachMatch(
        _ loaded: [LeafColumn], _ leaf: LeafEntries, _ body: (Int) throws -> Void
    ) rethrows {
        if case .constant(true) = condition {
            for position in 0..<leaf.count { try body(position) }
            return
        }
        try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: LeafColumn.countMax) { mask in
            guard let mask = mask.baseAddress else { return }
            condition.evaluate(loaded, leaf.count, mask)
            for position in 0..<leaf.count where mask[position] != 0 { try body(position) }
        }
    }

    /// Calls `body` with each match in a leaf that has no columns.
    func forEachRow(of leaf: LeafEntries, _ body: (FoundRow) throws -> Void) throws {
        for position in 0..<leaf.count {
            table.noteVisits(.row)
            let row = try row(position, of: leaf)
            if let test, try !test.matches(row.bytes, try table.binding(of: row.bytes), row.key) {
                continue
            }
            try body(row)
        }
    }

    /// A row of a leaf.
    func row(_ position: Int, of leaf: LeafEntries) throws -> FoundRow {
        FoundRow(
            key: leaf.number(position), bytes: try columns.access.value(at: position, of: leaf))
    }
}
