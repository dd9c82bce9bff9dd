import OrderedIndex
import TravertineStore

/// A condition that columns answer, for one table.
struct ColumnQuery {
    let condition: ColumnCondition
    let columns: LeafColumns

    /// Nil for a condition that looks at more than columns have, and in a transaction, whose nodes
    /// may still change.
    init?(_ condition: Condition, _ table: TableState, _ access: ReadAccess) {
        guard access.isOfSnapshot, table.session.shared.columns.isUsed else {
            return nil
        }
        var sources = ColumnCondition.Sources()
        guard let made = ColumnCondition(condition, table, &sources),
            let columns = try? LeafColumns(
                table, access, table.session.shared.columns, sources.slots)
        else { return nil }
        self.condition = made
        self.columns = columns
        subject = Subject(condition: made, columns: sources.subjects)
    }

    private struct Subject: Hashable, Sendable {
        let condition: ColumnCondition
        let columns: [ColumnSubject]
    }

    private let subject: Subject

    /// The number of rows that fulfil the condition: of what did not change since it was counted
    /// last, from the summaries of the index's nodes.
    func count() throws -> Int {
        var counter = MatchCounter(self, columns.cache.number(of: subject))
        try columns.access.visitNodes(of: columns.table.rows, &counter)
        return counter.total
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
            var visitor = MatchVisitor(query: self, test: test, mayStop: mayStop, body: body)
            try columns.access.visitNodes(of: columns.table.rows, &visitor)
        }
    }
}

/// Counts matches, with a summary for each node.
private struct MatchCounter: NodeVisitor {
    private let query: ColumnQuery
    private let subject: UInt32
    private var loaded: [Column] = []
    /// The matches below each node on the way.
    private var counts: [Int] = [0]

    var total: Int { counts[0] }

    init(_ query: ColumnQuery, _ subject: UInt32) {
        self.query = query
        self.subject = subject
    }

    private func known(_ node: NodeIdentity) -> Int? {
        query.columns.cache.summary(ColumnCache.Key(node: node, subject: subject))?.count
    }

    private mutating func add(_ count: Int) { counts[counts.count - 1] += count }

    mutating func enter(_ node: NodeIdentity) throws -> Bool {
        if let count = known(node) {
            add(count)
            return false
        }
        counts.append(0)
        return true
    }

    mutating func leave(_ node: NodeIdentity) throws {
        let count = counts.removeLast()
        query.columns.cache.keep(
            ColumnCache.Summary(count: count), ColumnCache.Key(node: node, subject: subject))
        add(count)
    }

    /// Nothing is kept of a leaf: comparing its columns again costs no more than looking for that.
    mutating func visit(_ leaf: LeafEntries) throws {
        try query.columns.load(leaf, into: &loaded)
        add(query.condition.matchCount(loaded, leaf.count))
    }
}

/// Reads the rows that fulfil a condition.
private struct MatchVisitor: NodeVisitor {
    let query: ColumnQuery
    let test: RowTest
    let mayStop: Bool
    let body: (UInt64, UnsafeRawBufferPointer) throws -> Bool
    var loaded: [Column] = []
    var isDone = false

    mutating func enter(_ node: NodeIdentity) throws -> Bool { true }

    mutating func leave(_ node: NodeIdentity) throws {}

    mutating func visit(_ leaf: LeafEntries) throws {
        if mayStop, !query.columns.find(leaf, into: &loaded) { return try visitRows(leaf) }
        if !mayStop { try query.columns.load(leaf, into: &loaded) }
        try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Column.countMax) { mask in
            guard let mask = mask.baseAddress else { return }
            query.condition.evaluate(loaded, leaf.count, mask)
            let access = query.columns.access
            for position in 0..<leaf.count where mask[position] != 0 {
                access.prefetchRecord(at: position, of: leaf)
            }
            for position in 0..<leaf.count where mask[position] != 0 {
                query.columns.table.session.noteVisit(.row)
                let row = try access.value(at: position, of: leaf)
                if try !body(leaf.number(position), row) {
                    isDone = true
                    return
                }
            }
        }
    }

    /// Tests each row of a leaf without columns.
    private mutating func visitRows(_ leaf: LeafEntries) throws {
        let (access, table) = (query.columns.access, query.columns.table)
        for position in 0..<leaf.count {
            table.session.noteVisit(.row)
            let row = try access.value(at: position, of: leaf)
            let key = leaf.number(position)
            if try test.matches(row, try table.binding(of: row), key), try !body(key, row) {
                isDone = true
                return
            }
        }
    }
}
