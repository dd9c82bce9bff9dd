import OrderedIndex
import TravertineStore

/// A condition that columns answer, for one table.
struct ColumnQuery {
    let condition: ColumnCondition
    let columns: LeafColumns

    private let subject: SummarySubject

    /// Nil for a condition that looks at more than columns have, and in a transaction, whose nodes
    /// may still change.
    init?(_ condition: Condition, _ table: TableState, _ access: ReadAccess) {
        guard access.isOfSnapshot, table.session.columns.isUsed else {
            return nil
        }
        var sources = ColumnCondition.Sources()
        guard let made = ColumnCondition(condition, table, &sources),
            let columns = try? LeafColumns(
                table, access, table.session.columns, sources.columns)
        else { return nil }
        self.condition = made
        self.columns = columns
        subject = .condition(made, of: sources.subjects)
    }

    /// The number of rows that fulfil the condition: of what did not change since it was counted
    /// last, from the summaries of the index's nodes. They are kept of what is asked again.
    ///
    /// - Parameter test: the same condition for rows.
    func count(_ test: RowTest) throws -> Int {
        try columns.summary(
            of: subject, MatchCounter(query: self, test: test),
            isKept: { columns.cache.summaries.isSeen(subject, in: columns.table.rows) }
        ).count
    }

    /// Calls `body` with the rows that fulfil the condition, in key order, until it returns false;
    /// only their records are read.
    ///
    /// - Parameters:
    ///   - test: the same condition for rows.
    ///   - mayStop: whether few rows may be wanted: then no columns are built, for which all rows
    ///     of a leaf are read.
    func forEachMatch(
        _ test: RowTest, mayStop: Bool, _ body: (UInt64, UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        try withoutActuallyEscaping(body) { body in
            if !mayStop { columns.buildAhead() }
            var visitor = MatchVisitor(query: self, test: test, mayStop: mayStop, body: body)
            try columns.access.visitNodes(of: columns.table.rows, &visitor)
        }
    }
}

/// Counts the matches in leaves.
private struct MatchCounter: LeafSummarizer {
    let query: ColumnQuery
    let test: RowTest
    var loaded: [LeafColumn] = []

    mutating func summary(of leaf: LeafEntries) throws -> RowCount {
        if try query.columns.load(leaf, into: &loaded) {
            return RowCount(count: query.condition.matchCount(loaded, leaf.count))
        }
        var count = 0
        try query.columns.forEachRow(of: leaf, test) { _, _ in
            count += 1
            return true
        }
        return RowCount(count: count)
    }
}

/// Reads the rows that fulfil a condition.
private struct MatchVisitor: NodeVisitor {
    let query: ColumnQuery
    let test: RowTest
    let mayStop: Bool
    let body: (UInt64, UnsafeRawBufferPointer) throws -> Bool
    var loaded: [LeafColumn] = []
    var isDone = false

    mutating func enter(_ node: NodeIdentity) throws -> Bool { true }

    mutating func leave(_ node: NodeIdentity) throws {}

    mutating func visit(_ leaf: LeafEntries) throws {
        let areWhole =
            mayStop
            ? query.columns.find(leaf, into: &loaded)
            : try query.columns.load(leaf, into: &loaded)
        guard areWhole == true else {
            return try query.columns.forEachRow(of: leaf, test) { key, row in
                isDone = try !body(key, row)
                return !isDone
            }
        }
        try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Column.countMax) { mask in
            guard let mask = mask.baseAddress else { return }
            query.condition.evaluate(loaded, leaf.count, mask)
            let access = query.columns.access
            for position in 0..<leaf.count where mask[position] != 0 {
                access.prefetchRecord(at: position, of: leaf)
            }
            for position in 0..<leaf.count where mask[position] != 0 {
                query.columns.table.noteVisits(.row)
                let row = try access.value(at: position, of: leaf)
                if try !body(leaf.number(position), row) {
                    isDone = true
                    return
                }
            }
        }
    }
}

extension LeafColumns {
    /// Calls `body` with the rows of a leaf that pass a test, without columns, until it returns
    /// false.
    fileprivate func forEachRow(
        of leaf: LeafEntries, _ test: RowTest,
        _ body: (UInt64, UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        for position in 0..<leaf.count {
            table.noteVisits(.row)
            let row = try access.value(at: position, of: leaf)
            let key = leaf.number(position)
            if try test.matches(row, try table.binding(of: row), key), try !body(key, row) {
                return
            }
        }
    }

    /// What the rows amount to, from what the tree of summaries has that was made last.
    ///
    /// - Parameter isKept: whether the tree that is made is kept.
    func summary<Leaves: LeafSummarizer>(
        of subject: SummarySubject, _ leaves: Leaves, isKept: () -> Bool = { true }
    ) throws -> Leaves.Summary {
        // From an earlier version there is little to build.
        if cache.summaries.tree(subject, in: table.rows, Leaves.Summary.self) == nil {
            buildAhead()
        }
        return try SummaryPass.total(
            access, of: table.rows, leaves, subject, cache.summaries, isKept: isKept)
    }
}
