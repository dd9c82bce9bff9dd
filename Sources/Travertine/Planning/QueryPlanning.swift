import TravertineStore

/// The planner's entrance for results, and how tests make it choose.
enum QueryPlanning {
    /// Whether every query reads all rows.
    @TaskLocal static var isScanOnly = false
    /// Whether an index is used wherever there is one, whatever it costs.
    @TaskLocal static var prefersIndexes = false
    /// How many rows a table has at least whose columns several threads build.
    @TaskLocal static var rowCountMinForThreads = 1 << 15

    /// The number of matches, if an index says it without a key or a row being looked at; else nil.
    static func count(of condition: Condition?, in table: TableState) throws -> Int? {
        guard let condition, !isScanOnly else { return nil }
        if let query = try LinkCountQuery(condition, in: table) { return try query.count() }
        guard case .isWithin = condition,
            case .places(let search) = try PointLookup.find(condition, in: table)
        else { return nil }
        return try search.count(try table.session.access)
    }

    /// Keys among which all matches are; nil if the rows should be scanned.
    static func candidates(
        for condition: Condition?, in table: TableState
    ) throws -> Candidates? {
        guard let condition else { return nil }
        // Before any row is found: rows of the transaction may lie elsewhere after it.
        if table.session.unstored.postings != nil, condition.readsWords {
            try table.session.flushPostings()
        }
        if isScanOnly { return nil }
        switch try PointLookup.find(condition, in: table) {
        case .scan: return nil
        case .keys(let keys, let areMatches):
            return Candidates(keys: keys, areMatches: areMatches)
        case .places(let search):
            return Candidates(keys: try search.keys(try table.session.access), areMatches: true)
        case .unplanned: break
        }
        let plan = try Planner.plan(condition, table)
        return try plan.keys().map {
            Candidates(
                keys: $0, areMatches: plan.isExact, areRows: plan.path?.findsRowsOnly ?? true)
        }
    }
}

/// Keys of objects, in ascending order, among which all matches are.
struct Candidates {
    let keys: [UInt64]
    /// Whether all of them match, so that no row need be tested (P-Q2).
    let areMatches: Bool
    /// Whether each is the key of a row (P-Q9).
    var areRows = true
}
