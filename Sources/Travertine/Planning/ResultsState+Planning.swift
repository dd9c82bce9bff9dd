import TravertineStore

/// What results ask the planner.
extension ResultsState {
    /// Keys in this table among which all matches are; nil if its rows should be scanned.
    func candidates() throws -> Candidates? {
        try QueryPlanning.candidates(for: readyCondition()?.condition, in: table)
    }

    /// The plan of the query in this table alone.
    /// - Parameter limit: how many results are asked for; nil for all.
    func queryPlan(limit: Int? = nil) throws -> QueryPlan {
        try Planner.plan(readyCondition()?.condition, table, descriptors, limit: limit)
    }

    /// The matches in the order of the first of descriptors, if that sorts, an index has that order
    /// and following it is cheaper than to sort; else nil. No more of them than a limit right after
    /// the sorting asks for.
    func sortedByIndex(_ descriptors: [ResultsDescriptor]) throws -> [FoundRow]? {
        guard source == nil, derived.isEmpty, !QueryPlanning.isScanOnly,
            case .sorted? = descriptors.first
        else { return nil }
        let plan = try Planner.plan(readyCondition()?.condition, table, descriptors, limit: nil)
        guard let order = plan.order else { return nil }
        let countMax = plan.limit ?? .max
        if countMax <= 0 { return [] }
        return try rows(in: order, upTo: countMax)
    }

    /// The first matches in an order, whose rows are looked up several at a time.
    private func rows(in order: OrderedWalk, upTo countMax: Int) throws -> [FoundRow] {
        let test = readyTest()
        let held = session.snapshot
        defer { withExtendedLifetime(held) {} }
        var rows: [FoundRow] = []
        // No more are looked up than are asked for, if all match.
        try order.forEachRow(in: table) {
            countMax - rows.count
        } _: { key, row in
            if let test, try !test.matches(row, try table.binding(of: row), key) { return true }
            rows.append(FoundRow(key: key, bytes: row))
            return rows.count < countMax
        }
        return rows
    }
}
