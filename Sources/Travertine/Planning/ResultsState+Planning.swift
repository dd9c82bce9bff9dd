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
    func queryPlan() throws -> QueryPlan { try Planner.plan(condition, table, descriptors) }
}
