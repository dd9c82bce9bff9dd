import TravertineStore

/// The planner's entrance for results, and how tests make it choose.
enum QueryPlanning {
    /// Whether every query reads all rows.
    @TaskLocal static var isScanOnly = false
    /// Whether an index is used wherever there is one, whatever it costs.
    @TaskLocal static var prefersIndexes = false

    /// Keys among which all matches are.
    struct Candidates {
        /// In ascending order.
        var keys: [UInt64]
        /// Whether they are known to be the matches, so that no row need be tested: of full-text
        /// indexes, whose tests take longest.
        var areMatches = false
    }

    /// Keys among which all matches are; nil if the rows should be scanned.
    static func candidates(
        for condition: Condition?, in table: TableState
    ) throws -> Candidates? {
        guard let condition, !isScanOnly else { return nil }
        switch try PointLookup.find(condition, in: table) {
        case .scan: return nil
        case .keys(let keys): return Candidates(keys: keys)
        case .unplanned: break
        }
        let plan = try Planner.plan(condition, table)
        guard let keys = try plan.keys() else { return nil }
        guard case .words? = plan.path?.kind else { return Candidates(keys: keys) }
        return Candidates(keys: keys, areMatches: plan.isExact)
    }
}
