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
        let access = try session.access
        let held = session.snapshot
        defer { withExtendedLifetime(held) {} }
        var batch = RowBatch(access, keyspace: table.rows)
        var rows: [FoundRow] = []
        func lookUp() throws {
            try batch.lookUp()
            for place in 0..<batch.count where rows.count < countMax {
                session.noteVisit(.row)
                guard let row = try batch.row(place) else { continue }
                let key = batch.key(place)
                if let test, try !test.matches(row, try table.binding(of: row), key) { continue }
                rows.append(FoundRow(key: key, bytes: row))
            }
            batch.removeAll()
        }
        try order.forEachKey(in: table) { key in
            batch.append(key)
            // No more than are asked for, if all match.
            if batch.count < min(RowBatch.capacity, countMax - rows.count) { return true }
            try lookUp()
            return rows.count < countMax
        }
        if batch.count > 0 { try lookUp() }
        return rows
    }
}
