import TravertineStore

/// Queries over a collection or backlinks instead of whole tables, and what is done with the rows
/// that were found.
extension ResultsState {
    /// The same query with one more condition. Conditions come before sorting and `distinct`,
    /// whichever was read first.
    func narrowed(by condition: FormerPredicate) -> ResultsState {
        takeTable()
        return ResultsState(
            session, table, predicate.map { .and($0, condition) } ?? condition, descriptors,
            derived: source == nil ? derived.map(\.table) : [], source: source)
    }

    /// The same query with what is found in another order, or with fewer of them.
    func arranged(by descriptor: ResultsDescriptor) -> ResultsState {
        if source?.element != nil, let name = descriptor.names.first(where: { $0 != "self" }) {
            misuse(
                "'\(name)' is a property, and the elements of this collection are values: they are "
                    + "sorted and made distinct as they are, by \"self\".")
        }
        takeTable()
        return ResultsState(
            session, table, predicate, descriptors.adding(descriptor),
            derived: source == nil ? derived.map(\.table) : [], source: source)
    }

    /// Whether every object of the tables is among the results.
    var isEveryObject: Bool { predicate == nil && source == nil && !descriptors.hasDistinct }

    /// Whether every element of the results is the handle of a row.
    var areRows: Bool { source.map { $0.element == nil && !$0.mayHoldNothing } ?? true }

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

    // MARK: Arranging

    /// Found rows as the descriptors say, one after the other, those from a position on.
    func arranged(_ rows: [FoundRow], after position: Int = 0) throws -> [FoundRow] {
        if let source, let element = source.element {
            return try arranged(rows, valuesOf: source, element.type.type)
        }
        var rows = rows
        for descriptor in descriptors.dropFirst(position) {
            switch descriptor {
            case .sorted(let descriptors):
                let order = try RowSorter(descriptors, tables).order(rows)
                rows = order.map { rows[$0] }
            case .distinct(let names):
                rows = try DistinctRows(names, tables).first(of: rows)
            case .limited, .filtered: misuse("Not yet.")
            }
        }
        return rows
    }

    private func arranged(
        _ rows: [FoundRow], valuesOf source: ResultsSource, _ type: PropertyType
    ) throws -> [FoundRow] {
        var isFound = Set(rows.map(\.key))
        var items: [(position: Int, value: StoredDefault)] = []
        try source.forEachValue { position, raw in
            if isFound.remove(UInt64(position)) != nil {
                items.append((position, StoredDefault(raw)))
            }
            return !isFound.isEmpty
        }
        for descriptor in descriptors {
            switch descriptor {
            case .sorted(let descriptors):
                guard let descriptor = descriptors.first else { continue }
                items = Self.sorted(items, type, descriptor.ascending)
            case .distinct:
                var seen: Set<[UInt8]> = []
                items = items.filter { item in
                    item.value.withRaw { seen.insert(IndexKey.identity(of: $0, type)).inserted }
                }
            case .limited, .filtered: misuse("Not yet.")
            }
        }
        keep(items.map(\.value))
        return items.map { FoundRow(elementAt: $0.position) }
    }

    private static func sorted(
        _ items: [(position: Int, value: StoredDefault)], _ type: PropertyType, _ ascending: Bool
    ) -> [(position: Int, value: StoredDefault)] {
        let order = items.indices.sorted { left, right in
            let order = items[left].value.withRaw { first in
                items[right].value.withRaw { RowSorter.order(first, $0, type) }
            }
            return order == 0 ? left < right : (order < 0) == ascending
        }
        return order.map { items[$0] }
    }
}
