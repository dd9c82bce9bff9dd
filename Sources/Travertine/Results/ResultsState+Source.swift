import TravertineStore

/// Queries over a collection or backlinks instead of whole tables.
extension ResultsState {
    /// The same query with one more condition. Conditions come before sorting and `distinct`,
    /// whichever was read first, but after a limit.
    ///
    /// - Throws: what is wrong with the condition for the tables, or with its objects (Q17).
    func narrowed(by condition: Predicate) throws(QueryProblems) -> ResultsState {
        takeTable()
        let condition = try condition.withObjects(of: session)
        if descriptors.hasLimit {
            for table in tables {
                _ = try ConditionResolver.condition(condition, table, element: source?.element)
            }
            return arranged(by: .filtered(condition))
        }
        let narrowed = ResultsState(
            session, table, predicate.map { .all([$0, condition]) } ?? condition, descriptors,
            derived: source == nil ? derived.map(\.table) : [], source: source)
        try narrowed.check()
        return narrowed
    }

    // MARK: Finding

    /// Calls `body` with each match in a collection, in its order, until it returns false.
    func forEachMatch(in source: ResultsSource, _ body: (FoundRow) throws -> Bool) throws {
        if let element = source.element {
            return try forEachValue(in: source, element, body)
        }
        let access = try session.access
        try source.forEachLink(from: table) { position, link in
            guard let link else {
                // A condition on an object is on none that is nil.
                guard predicate == nil, source.mayHoldNothing else { return true }
                return try body(FoundRow(elementAt: position))
            }
            guard let part = part(of: link.table, source),
                let row = try access.value(forKey: link.key, in: link.table.stored.rows)
            else { return true }
            session.noteVisit(.row)
            let state = part == 0 ? self : derived[part - 1]
            if let test = state.readyTest(),
                try !test.matches(row, try state.table.binding(of: row), link.key)
            {
                return true
            }
            return try body(FoundRow(key: link.key, bytes: row, part: part))
        }
    }

    private func forEachValue(
        in source: ResultsSource, _ element: ScannedElement, _ body: (FoundRow) throws -> Bool
    ) throws {
        guard let test = readyTest() else {
            return try source.forEachValue { position, _ in
                try body(FoundRow(elementAt: position))
            }
        }
        let binding = try table.currentBinding()
        try source.forEachValue { position, raw in
            element.raw = raw
            defer { element.raw = .null }
            guard try test.matches(UnsafeRawBufferPointer(start: nil, count: 0), binding, 0) else {
                return true
            }
            return try body(FoundRow(elementAt: position))
        }
    }

    /// The results' table of an object that was found in a collection, by position; nil for an
    /// object that the collection's class can't show.
    private func part(of found: TableState, _ source: ResultsSource) -> Int? {
        let number = found.stored.number
        if number == table.stored.number { return 0 }
        if let index = derived.firstIndex(where: { $0.table.stored.number == number }) {
            return index + 1
        }
        var shown: TableState? = found
        if found.classInfo == nil, !source.isDynamic {
            shown = session.view(of: found, as: table.info.type)
        }
        guard let shown else { return nil }
        derived.append(ResultsState(session, shown, predicate, []))
        return derived.count
    }
}
