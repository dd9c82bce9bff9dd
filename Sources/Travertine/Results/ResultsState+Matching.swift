import TravertineStore

/// How the results' own table is searched.
extension ResultsState {
    /// The test of the predicate; nil without one.
    func readyTest() -> RowTest? { readyCondition()?.test }

    /// The predicate, bound; stops with a message for one that the table does not go with.
    func readyCondition() -> ReadyCondition? {
        if let ready, ready.tableChangeCount == session.counts.tableChangeCount { return ready }
        guard let predicate else { return nil }
        do throws(QueryProblems) {
            try bind(predicate)
        } catch {
            // What it was bound to went with a transaction that was cancelled: nothing is there.
            if let ready { return ready }
            misuse(error.message)
        }
        return ready
    }

    private func bind(_ predicate: Predicate) throws(QueryProblems) {
        ready = ReadyCondition(
            try ConditionResolver.condition(predicate, table, element: source?.element),
            session.counts.tableChangeCount)
    }

    /// Throws what is wrong with the predicate for the table, or for those of derived classes.
    func check() throws(QueryProblems) {
        if ready == nil, let predicate { try bind(predicate) }
        for other in derived { try other.check() }
    }

    /// The predicate as one that columns answer, if it is one.
    func columnQuery() throws -> ColumnQuery? {
        guard !QueryPlanning.isScanOnly, let condition = readyCondition()?.condition else {
            return nil
        }
        return ColumnQuery(condition, table, try session.access)
    }

    /// Calls `body` with each match, in key order, until it returns false.
    ///
    /// - Parameter mayStop: whether `body` may return false after few rows.
    func forEachMatch(
        mayStop: Bool = false, _ body: (UInt64, UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        guard let ready = readyCondition() else { return try session.scan(table, body) }
        if let candidates = try candidates() {
            return try forEachMatch(of: ready, among: candidates, mayStop: mayStop, body)
        }
        if let query = try columnQuery() {
            let held = session.snapshot
            defer { withExtendedLifetime(held) {} }
            return try query.forEachMatch(ready.test, mayStop: mayStop, body)
        }
        try scan(ready.test, body)
    }

    func forEachMatch(
        of ready: ReadyCondition, among candidates: Candidates, mayStop: Bool = false,
        _ body: (UInt64, UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        let rows = try CandidateRows(table)
        if candidates.areMatches {
            return try rows.forEach(candidates.keys, mayStop: mayStop, body)
        }
        let test = ready.test
        try rows.forEach(candidates.keys, mayStop: mayStop) { key, row in
            try test.matches(row, try table.binding(of: row), key) ? try body(key, row) : true
        }
    }

    private func scan(
        _ test: RowTest, _ body: (UInt64, UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        let table = table
        try session.scan(table) { key, row in
            // The table keeps the layout.
            guard let binding = try table.access(of: row).binding else { throw table.damagedRow() }
            let isMatch = try binding._withUnsafeGuaranteedRef { try test.matches(row, $0, key) }
            return try isMatch ? body(key, row) : true
        }
    }

    /// The number of matches.
    func matchCount() throws -> Int {
        guard let ready = readyCondition() else { return session.count(of: table) }
        if let count = try QueryPlanning.count(of: ready.condition, in: table) { return count }
        var count = 0
        func note(_: UInt64, _: UnsafeRawBufferPointer) -> Bool {
            count += 1
            return true
        }
        if let candidates = try candidates() {
            if candidates.areMatches {
                return candidates.areRows
                    ? candidates.keys.count : try CandidateRows(table).count(candidates.keys)
            }
            try forEachMatch(of: ready, among: candidates, note)
        } else if let query = try columnQuery() {
            let held = session.snapshot
            defer { withExtendedLifetime(held) {} }
            count = try query.count(ready.test)
        } else {
            // Not by `note`: what that counts in would be watched for overlapping access.
            var found = 0
            try scan(ready.test) { _, _ in
                found &+= 1
                return true
            }
            count = found
        }
        return count
    }

    /// The last match, looked for from the end.
    func lastMatch(part: Int) throws -> FoundRow? {
        let access = try session.access
        let test = readyTest()
        if test != nil, let candidates = try candidates() {
            for key in candidates.keys.reversed() {
                session.noteVisit(.row)
                guard let row = try access.value(forKey: key, in: table.stored.rows) else {
                    continue
                }
                if try test?.matches(row, try table.binding(of: row), key) ?? true {
                    return FoundRow(key: key, bytes: row, part: part)
                }
            }
            return nil
        }
        var cursor = access.cursor(in: table.stored.rows)
        guard try cursor.seekToLast() else { return nil }
        repeat {
            session.noteVisit(.row)
            let key = cursor.withKey { objectKey(in: $0) }
            let row = try cursor.value()
            if try test?.matches(row, try table.binding(of: row), key) ?? true {
                return FoundRow(key: key, bytes: row, part: part)
            }
        } while try cursor.previous()
        return nil
    }
}
