import TravertineStore

/// What is done with the rows that were found.
extension ResultsState {
    /// The same query with what is found in another order, or with fewer of them.
    func arranged(by descriptor: ResultsDescriptor) -> ResultsState {
        if source?.element != nil, let name = descriptor.names.first(where: { $0 != "self" }) {
            misuse(Self.valuesHaveNoProperty(name).message)
        }
        takeTable()
        return ResultsState(
            session, table, predicate, descriptors.adding(descriptor),
            derived: source == nil ? derived.map(\.table) : [], source: source)
    }

    /// A condition that comes after a limit, ready for the rows of one of the results' tables, or
    /// for the element of a collection of values.
    func laterTest(_ predicate: Predicate, _ table: TableState) -> RowTest {
        do throws(QueryProblems) {
            return RowTest.make(
                try ConditionResolver.condition(predicate, table, element: source?.element))
        } catch {
            misuse(error.message)
        }
    }

    /// Whether every object of the tables is among the results.
    var isEveryObject: Bool { predicate == nil && source == nil && !descriptors.leavesOutRows }

    /// Whether every element of the results is the handle of a row.
    var areRows: Bool { source.map { $0.element == nil && !$0.mayHoldNothing } ?? true }

    // MARK: Rows

    /// Calls `body` with each match, in the order of the tables or of the collection, until it
    /// returns false.
    @inline(__always)
    func forEachFound(mayStop: Bool = false, _ body: (FoundRow) throws -> Bool) throws {
        if let source { return try forEachMatch(in: source, body) }
        var goesOn = true
        try forEachMatch(mayStop: mayStop) { key, row in
            goesOn = try body(FoundRow(key: key, bytes: row))
            return goesOn
        }
        for (index, other) in derived.enumerated() where goesOn {
            try other.forEachMatch(mayStop: mayStop) { key, row in
                goesOn = try body(FoundRow(key: key, bytes: row, part: index + 1))
                return goesOn
            }
        }
    }

    /// Calls `body` with each result in any order.
    func forEachResult(_ body: (FoundRow) throws -> Void) throws {
        if isCurrent || descriptors.leavesOutRows {
            for row in try all() { try body(row) }
        } else {
            try forEachFound {
                try body($0)
                return true
            }
        }
    }

    /// The matches that descriptors leave, in their order.
    ///
    /// Those before the first sorting look at each match when it is found, so that a limit ends the
    /// search. Sorting before a limit keeps no more than the limit takes.
    func rows(after descriptors: [ResultsDescriptor]) throws -> [FoundRow] {
        try matches(after: descriptors).rows(session)
    }

    /// As `rows(after:)`; nothing is read of what columns sort if no other descriptor follows.
    func matches(after descriptors: [ResultsDescriptor]) throws -> Matches {
        if let source, let element = source.element {
            return .rows(try values(after: descriptors, of: source, element))
        }
        if let sorted = try sortedByIndex(descriptors) {
            return .rows(try arranged(sorted, by: descriptors.dropFirst()))
        }
        if let sorted = try sortedByColumn(descriptors) {
            if descriptors.count == 1 { return sorted }
            return .rows(try arranged(try sorted.rows(session), by: descriptors.dropFirst()))
        }
        let sorting = descriptors.firstIndex { $0.isSorting } ?? descriptors.count
        var rows: [FoundRow] = []
        let stages = descriptors[..<sorting].compactMap { RowStage.make($0, self) }
        if stages.isEmpty {
            if predicate == nil, source == nil { rows.reserveCapacity(session.count(of: table)) }
            try forEachFound {
                rows.append($0)
                return true
            }
        } else if !stages.contains(where: \.isFull) {
            try forEachFound(mayStop: true) { row in
                if try stages.allSatisfy({ try $0.takes(row) }) { rows.append(row) }
                return !stages.contains(where: \.isFull)
            }
        }
        return .rows(try arranged(rows, by: descriptors[sorting...]))
    }

    /// The matches sorted by the first descriptor, from columns; nil where indexes find them, or
    /// rows must be looked at.
    private func sortedByColumn(_ descriptors: [ResultsDescriptor]) throws -> Matches? {
        guard case .sorted(let sorting)? = descriptors.first, !sorting.isEmpty,
            let sort = try ColumnSort(self, RowSorter(sorting, tables))
        else { return nil }
        let countMax = Self.countMax(descriptors.dropFirst())
        if let ready = readyCondition(), let candidates = try candidates() {
            var rows: [FoundRow] = []
            try forEachMatch(of: ready, among: candidates) { key, row in
                rows.append(FoundRow(key: key, bytes: row))
                return true
            }
            return .rows(try RowSorter(sorting, tables).sorted(rows, first: countMax))
        }
        let held = session.snapshot
        defer { withExtendedLifetime(held) {} }
        if let countMax, countMax < session.count(of: table) / 4 {
            return .rows(try sort.first(countMax))
        }
        return try sort.sorted()
    }

    /// How many rows a limit after a sorting takes.
    private static func countMax(_ rest: ArraySlice<ResultsDescriptor>) -> Int? {
        guard case .limited(let offset, let count)? = rest.first else { return nil }
        let (end, isBeyond) = offset.addingReportingOverflow(count)
        return isBeyond ? nil : end
    }

    /// Rows as descriptors say, one after the other.
    private func arranged(
        _ rows: [FoundRow], by descriptors: ArraySlice<ResultsDescriptor>
    ) throws -> [FoundRow] {
        var (rows, rest) = (rows, descriptors)
        while let descriptor = rest.popFirst() {
            guard case .sorted(let sorting) = descriptor else {
                rows = try left(of: rows, by: descriptor)
                continue
            }
            rows = try RowSorter(sorting, tables).sorted(rows, first: Self.countMax(rest))
        }
        return rows
    }

    private func left(
        of rows: [FoundRow], by descriptor: ResultsDescriptor
    ) throws -> [FoundRow] {
        if case .limited(let offset, let count) = descriptor {
            return Array(rows.dropFirst(offset).prefix(count))
        }
        guard let stage = RowStage.make(descriptor, self) else { return rows }
        return try rows.filter { try stage.takes($0) }
    }

    // MARK: Values

    private typealias FoundValue = (position: Int, value: RawConstant)

    /// The same of a collection of values. Their copies are kept, unless their positions suffice.
    private func values(
        after descriptors: [ResultsDescriptor], of source: ResultsSource,
        _ element: ScannedElement
    ) throws -> [FoundRow] {
        let type = element.type.type
        var rest = descriptors[...]
        var (offset, count) = (0, Int.max)
        if case .limited(let skipped, let limit)? = rest.first {
            (offset, count) = (skipped, limit)
            rest = rest.dropFirst()
        }
        let limit = RowLimit(offset: offset, count: count)
        var rows: [FoundRow] = []
        if !limit.isFull {
            try forEachFound { row in
                if limit.takes(row) { rows.append(row) }
                return !limit.isFull
            }
        }
        if rest.isEmpty { return rows }
        var values = try copies(of: rows, in: source)
        for descriptor in rest {
            switch descriptor {
            case .sorted(let descriptors):
                guard let descriptor = descriptors.first else { continue }
                RowSorter.requireString(type, descriptor)
                values = Self.sorted(values, type, descriptor)
            case .distinct:
                var seen: Set<[UInt8]> = []
                values = values.filter { item in
                    item.value.withRaw { seen.insert(IndexKey.identity(of: $0, type)).inserted }
                }
            case .limited(let offset, let count):
                values = Array(values.dropFirst(offset).prefix(count))
            case .filtered(let predicate):
                values = try filtered(values, predicate, element)
            }
        }
        keep(values.map(\.value))
        return values.map { FoundRow(elementAt: $0.position) }
    }

    /// Copies of the values at positions that were found.
    private func copies(of rows: [FoundRow], in source: ResultsSource) throws -> [FoundValue] {
        var isFound = Set(rows.map(\.key))
        var values: [FoundValue] = []
        values.reserveCapacity(rows.count)
        if isFound.isEmpty { return values }
        try source.forEachValue { position, raw in
            if isFound.remove(UInt64(position)) != nil {
                values.append((position, RawConstant(raw)))
            }
            return !isFound.isEmpty
        }
        return values
    }

    private func filtered(
        _ values: [FoundValue], _ predicate: Predicate, _ element: ScannedElement
    ) throws -> [FoundValue] {
        let test = laterTest(predicate, table)
        let binding = try table.currentBinding()
        defer { element.raw = .null }
        return try values.filter { item in
            try item.value.withRaw { raw in
                element.raw = raw
                return try test.matches(
                    UnsafeRawBufferPointer(start: nil, count: 0), binding, 0)
            }
        }
    }

    private static func sorted(
        _ values: [FoundValue], _ type: PropertyType, _ descriptor: SortDescriptor
    ) -> [FoundValue] {
        let keys =
            descriptor.options.isEmpty
            ? values.map(\.value)
            : values.map { item in
                item.value.withRaw { raw in
                    guard case .bytes(let bytes) = raw else { return item.value }
                    return .bytes(SortKey.bytes(of: bytes, descriptor.options))
                }
            }
        let order = values.indices.sorted { left, right in
            let order = keys[left].withRaw { first in
                keys[right].withRaw { RowSorter.order(first, $0, type) }
            }
            return order == 0 ? left < right : (order < 0) == descriptor.ascending
        }
        return order.map { values[$0] }
    }
}
