import TravertineStore

/// Showing how results are found.
extension Results {
    /// How the results are found, as text: for each table the indexes that are used and the ranges
    /// in them, with the numbers of objects that were counted (`=`) or estimated (`≈`), and the
    /// conditions that each object is tested for after that. `columns of` names the properties
    /// whose values are compared in memory, if only they are. What is done after that with what was
    /// found has a line each, unless an index has the order.
    ///
    /// ```
    /// index City(population): population > 1000000 (≈ 312)
    /// test name CONTAINS "a"
    /// sort by name
    /// limit 10
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
        guard source == nil else {
            return (["each element of the collection"] + descriptorLines(isOrdered: false))
                .joined(separator: "\n")
        }
        var parts: [String] = []
        var isOrdered = false
        for state in [self] + derived {
            let plan = try state.queryPlan()
            isOrdered = isOrdered || plan.order != nil
            var text = plan.text()
            if plan.order == nil, plan.path == nil, let names = try state.columnNames() {
                text += "\ncolumns of \(names.joined(separator: ", "))"
            }
            if running { text += "\n" + (try state.measured(plan)) }
            parts.append(text)
        }
        return (parts + descriptorLines(isOrdered: isOrdered)).joined(separator: "\n")
    }

    /// The properties whose columns answer the condition of this table alone.
    private func columnNames() throws -> [String]? {
        guard let condition = readyCondition()?.condition,
            let query = ColumnQuery(condition, table, try session.access)
        else { return nil }
        return query.columns.slots.map { ConditionText.name($0, in: table) }
    }

    /// What is done with what was found.
    /// - Parameter isOrdered: whether an index has the order of the first descriptor.
    private func descriptorLines(isOrdered: Bool) -> [String] {
        descriptors.dropFirst(isOrdered ? 1 : 0).map { descriptor in
            switch descriptor {
            case .sorted(let sorting):
                let names = sorting.map { $0.keyPath + ($0.ascending ? "" : " descending") }
                return "sort by \(names.joined(separator: ", "))"
            case .distinct(let names): return "distinct \(names.joined(separator: ", "))"
            case .limited(let offset, let count):
                return "limit \(count)" + (offset == 0 ? "" : " from \(offset)")
            case .filtered(let predicate): return "test \(predicate)"
            }
        }
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
