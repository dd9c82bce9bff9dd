/// What results ask the planner.
extension ResultsState {
    /// Keys in this table, in ascending order, among which all matches are; nil if its rows should
    /// be scanned.
    func candidates() throws -> [UInt64]? { try plannedCandidates()?.keys }

    /// As `candidates`, with whether they are the matches.
    func plannedCandidates() throws -> QueryPlanning.Candidates? {
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
