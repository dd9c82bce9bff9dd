import TravertineStore

extension Results {
    /// How the results are found, as text: for each table the indexes that are used and the ranges
    /// in them, with the numbers of objects that were counted (`=`) or estimated (`≈`), and the
    /// conditions that each object is tested for after that.
    ///
    /// ```
    /// index City(population): population > 1000000 (≈ 312)
    /// test name CONTAINS "a"
    /// ```
    /// The text is for people: it can change with each release. Planning reads a few nodes of each
    /// index.
    ///
    /// - Parameter running: whether the query is run too, without being sorted, to print how many
    ///   objects were looked at and matched, and in what time. That costs what the query does.
    public func explain(running: Bool = false) -> String {
        state.read("") { try state.explanation(running: running) }
    }
}

extension RealmCollection {
    /// How the elements are found, as text, as ``Results/explain(running:)``: those of a list, a
    /// set, a map or linking objects are read one after the other.
    public func explain(running: Bool = false) -> String { _results.explain(running: running) }
}

extension ResultsState {
    /// The plans of the tables, one after the other.
    fileprivate func explanation(running: Bool) throws -> String {
        guard source == nil else { return "each element of the collection" }
        var parts: [String] = []
        for state in [self] + derived {
            let plan = try state.queryPlan()
            var text = plan.text()
            if running { text += "\n" + (try state.measured(plan)) }
            parts.append(text)
        }
        return parts.joined(separator: "\n")
    }

    /// Finds the matches in this table alone.
    private func measured(_ plan: QueryPlan) throws -> String {
        let start = ContinuousClock.now
        var matchCount = 0
        try forEachMatch { _, _ in
            matchCount += 1
            return true
        }
        let duration = ContinuousClock.now - start
        let candidateCount = try plan.keys()?.count ?? plan.rowCount
        let (seconds, attoseconds) = duration.components
        let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        return "found \(matchCount) among \(candidateCount) in \(microseconds) µs"
    }
}
