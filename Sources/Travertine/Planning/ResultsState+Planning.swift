/// What results ask the planner.
extension ResultsState {
    /// The condition in this table, as the planner takes it.
    private var condition: Condition? { predicate.map { Condition($0, table) } }

    /// Keys in this table, in ascending order, among which all matches are; nil if its rows should
    /// be scanned.
    func candidates() throws -> [UInt64]? {
        try QueryPlanning.candidates(for: condition, in: table)
    }

    /// The plan of the query in this table alone.
    /// - Parameter limit: how many results are asked for; nil for all.
    func queryPlan(limit: Int? = nil) throws -> QueryPlan {
        try Planner.plan(condition, table, descriptors, limit: limit)
    }

    /// The matches in the order of the first sorting, if an index has that order and following it
    /// is cheaper than to sort; else nil. No more of them than a limit right after the sorting asks
    /// for, or `limit`.
    func sortedByIndex(limit: Int? = nil) throws -> [FoundRow]? {
        guard source == nil, derived.isEmpty, case .sorted? = descriptors.first else { return nil }
        let plan = try queryPlan(limit: limit)
        guard let order = plan.order else { return nil }
        let test = readyTest()
        let access = try session.access
        var rows: [FoundRow] = []
        let countMax = plan.limit ?? .max
        if countMax <= 0 { return [] }
        try order.forEachKey(in: table) { key in
            session.noteVisit(.row)
            guard let row = try access.value(forKey: key, in: table.rows) else { return true }
            if let test, try !test.matches(row, try table.binding(of: row), key) { return true }
            rows.append(FoundRow(key: key, bytes: row))
            return rows.count < countMax
        }
        return rows
    }
}
