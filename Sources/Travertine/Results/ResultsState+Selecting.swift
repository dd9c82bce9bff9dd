import TravertineStore

/// Results whose rows columns select.
extension ResultsState {
    /// What columns or indexes find.
    enum Matches {
        case selection(RowSelection)
        case sorted(SortedSelection)
        case rows([FoundRow])

        /// The rows, which are read if they were not.
        func rows(_ session: RealmSession) throws -> [FoundRow] {
            switch self {
            case .selection(let selection): try selection.rows(try session.access)
            case .sorted(let sorted): try sorted.rows(try session.access)
            case .rows(let rows): rows
            }
        }
    }

    /// The matches where the results have a condition and nothing else, and columns or an index
    /// answer it; nil where rows must be looked at.
    func matchesOfColumns() throws -> Matches? {
        guard predicate != nil, source == nil, descriptors.isEmpty, !QueryPlanning.isScanOnly else {
            return nil
        }
        var queries: [(query: ColumnQuery, test: RowTest)] = []
        for state in [self] + derived {
            guard let ready = state.readyCondition() else { return nil }
            if let candidates = try state.candidates() {
                return derived.isEmpty
                    ? .rows(try rows(of: ready, among: candidates)) : nil
            }
            guard let query = try state.columnQuery() else { return nil }
            queries.append((query, ready.test))
        }
        let held = session.snapshot
        defer { withExtendedLifetime(held) {} }
        var selection = RowSelection()
        for (part, (query, test)) in queries.enumerated() {
            try query.select(test, part: part, into: &selection)
        }
        return .selection(selection)
    }

    private func rows(
        of ready: ReadyCondition, among candidates: Candidates
    ) throws -> [FoundRow] {
        var rows: [FoundRow] = []
        if candidates.areMatches { rows.reserveCapacity(candidates.keys.count) }
        try forEachMatch(of: ready, among: candidates) { key, row in
            rows.append(FoundRow(key: key, bytes: row))
            return true
        }
        return rows
    }
}

extension RowSelection {
    /// Calls `body` with the key and the row of each match, in place while it runs; all are of one
    /// part.
    @inline(__always)
    func forEachRow(
        _ snapshot: Snapshot, _ body: (UInt64, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        defer { withExtendedLifetime(snapshot) {} }
        try withUnsafeTemporaryAllocation(
            of: NumberedRow.self, capacity: SelectionWalk.rowCountMax
        ) { rows in
            guard let start = rows.baseAddress else { return }
            var walk = SelectionWalk(self, snapshot.access)
            while true {
                let taken = walk.take(into: start)
                for row in rows[..<taken.count] {
                    try body(
                        row.key, UnsafeRawBufferPointer(start: row.base, count: row.byteCount))
                }
                if let failure = taken.failure { throw failure }
                if taken.count == 0 { return }
            }
        }
    }
}
