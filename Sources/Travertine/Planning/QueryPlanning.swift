import TravertineStore

/// The planner's entrance for results, and how tests make it choose.
enum QueryPlanning {
    /// Whether every query reads all rows.
    @TaskLocal static var isScanOnly = false
    /// Whether an index is used wherever there is one, whatever it costs.
    @TaskLocal static var prefersIndexes = false

    /// Keys, in ascending order, among which all matches are; nil if the rows should be scanned.
    static func candidates(
        for condition: Condition?, in table: TableState
    ) throws -> [UInt64]? {
        guard let condition, !isScanOnly else { return nil }
        switch try PointLookup.find(condition, in: table) {
        case .scan: return nil
        case .keys(let keys): return keys
        case .unplanned: break
        }
        return try Planner.plan(condition, table).keys()
    }
}
