import TravertineStore

/// The query of results, and what it found as of one generation of its realm.
final class ResultsState {
    let session: RealmSession
    @exclusivity(unchecked) private(set) var table: TableState
    let predicate: Predicate?
    let descriptors: [ResultsDescriptor]
    /// The same query on the tables of derived classes, if they are included; of a collection on
    /// the tables of other classes than its own that were found in it.
    var derived: [ResultsState]
    /// What is looked in; nil for every object of the tables.
    let source: ResultsSource?
    /// The predicate bound to the table, and the test of its rows.
    var ready: ReadyCondition?
    private(set) var found: [FoundRow] = []
    /// What was found in place of `found`, where columns found it: rows of which none was read.
    private var selection: RowSelection?
    /// The same, where columns sorted it.
    private var sorted: SortedSelection?
    /// The leaf of the selection that has the position that was asked for last.
    private var lastLeaf = 0
    private var foundGeneration: UInt64 = 0
    private var foundChangeCount: UInt64 = 0
    /// How often the realm had been invalidated when the results were made.
    private let invalidationCount: UInt32
    /// The realm's count of deletions when the objects were found.
    private var foundMembershipCount = UInt64.max
    /// The values that were found, in their order, if they are sorted or distinct.
    private(set) var foundValues: [RawConstant] = []
    /// The number of results as they were counted last without being found, and when.
    private var counted: (count: Int, generation: UInt64, changeCount: UInt64)?
    /// Where the rows are, if these are all objects of one table.
    private var positionTable = PositionTable()
    /// How often types had been removed when the tables were looked at.
    @exclusivity(unchecked) private var goneCount = 0
    /// The types whose changes count where reads are tracked, as of one schema.
    var trackedTypes: (types: Set<UInt32>, schemaChangeCount: UInt64)?
    /// What other threads have in place of frozen results.
    let copies: ThreadCopies<ResultsState>?

    init(
        _ session: RealmSession, _ table: TableState, _ predicate: Predicate?,
        _ descriptors: [ResultsDescriptor], derived: [TableState] = [],
        source: ResultsSource? = nil
    ) {
        self.source = source
        copies = session.isFrozen ? ThreadCopies() : nil
        self.derived = derived.map { ResultsState(session, $0, predicate, []) }
        self.session = session
        invalidationCount = session.counts.invalidationCount
        goneCount = session.tracker == nil ? session.counts.goneCount : -1
        self.table = table
        self.predicate = predicate
        self.descriptors = descriptors
    }

    /// Whether the realm was invalidated since, so that the results have nothing to show any more.
    var isInvalidated: Bool { session.counts.invalidationCount != invalidationCount }

    /// Whether what was found is what the realm shows now.
    var isCurrent: Bool {
        foundGeneration == session.generation.pointee.number
            && foundChangeCount == session.counts.changeCount
    }

    /// Whether these are all objects of one table in key order, of which none were found yet.
    var isEverything: Bool {
        predicate == nil && descriptors.isEmpty && derived.isEmpty && source == nil && !isCurrent
    }

    /// The tables whose objects can be among the results.
    var tables: [TableState] { [table] + derived.map(\.table) }

    /// The table of a row.
    @inline(__always)
    func table(of row: FoundRow) -> TableState {
        row.part == 0 ? table : derived[Int(row.part) - 1].table
    }

    /// The class of handles: the declared one, or the table's where that is given at run time only,
    /// as for `let type: Object.Type = City.self`.
    @inline(__always)
    func handleType(_ declared: ObjectBase.Type) -> ObjectBase.Type {
        guard let own = table.classInfo?.type, own != declared, declared.isBase(of: own) else {
            return declared
        }
        return own
    }

    /// Takes the table that the class has by now, if the former one was removed with the
    /// transaction that used the class first, so that the results stay live. Stops if the realm was
    /// invalidated.
    @inline(__always)
    func takeTable() {
        if table.isGone || session.counts.goneCount != goneCount { takeOtherTables() }
    }

    @inline(never)
    private func takeOtherTables() {
        require(
            !isInvalidated,
            "Access to invalidated Results objects: the realm was invalidated since these results "
                + "were made. Ask the realm again.")
        if session.tracker == nil { goneCount = session.counts.goneCount } else { track() }
        for other in derived { other.takeTable() }
        guard table.isGone, source == nil, let type = table.classInfo?.type else { return }
        table = session.table(of: type)
        ready = nil
        take(.rows([]))
        foundValues = []
        foundGeneration = 0
        foundMembershipCount = .max
        counted = nil
        positionTable = PositionTable()
    }

    /// Runs a read; the realm's next throwing call throws damage (O13).
    func read<Result>(_ fallback: Result, _ body: () throws -> Result) -> Result {
        session.checkThread()
        takeTable()
        do {
            return try body()
        } catch {
            session.damage = error
            return fallback
        }
    }

    /// Every match in the order of the results.
    func all() throws -> [FoundRow] {
        if let selection = try selectedRows() {
            take(.rows(try selection.rows(try session.access)))
        } else if let sorted {
            take(.rows(try sorted.rows(try session.access)))
        }
        return found
    }

    private func take(_ matches: Matches) {
        (selection, sorted, found) = (nil, nil, [])
        switch matches {
        case .selection(let made): selection = made
        case .sorted(let made): sorted = made
        case .rows(let rows): found = rows
        }
    }

    /// Finds every match; gives the selection of those whose rows were not read and that are in the
    /// order of their keys, or nil where `all()` has the rows.
    func selectedRows() throws -> RowSelection? {
        _ = try session.access
        if isCurrent { return selection }
        foundValues = []
        take(try matchesOfColumns() ?? matches(after: descriptors))
        lastLeaf = 0
        foundGeneration = session.generation.pointee.number
        foundChangeCount = session.counts.changeCount
        foundMembershipCount = session.counts.membershipCount
        return selection
    }

    /// The row of a selection at one of its positions.
    private func row(at position: Int, of selection: RowSelection) throws -> FoundRow {
        lastLeaf = selection.leafNumber(at: position, near: lastLeaf)
        session.noteVisit(.row)
        return try selection.row(at: position, ofLeaf: lastLeaf, try session.access)
    }

    /// The number of matches if they were found already and are what the realm shows.
    private var currentCount: Int? {
        isCurrent ? selection?.count ?? sorted?.count ?? found.count : nil
    }

    /// The row at a position of what was found and is current; nil beyond the end.
    private func currentRow(at position: Int) throws -> FoundRow? {
        guard position >= 0, let currentCount, position < currentCount else { return nil }
        if let selection { return try row(at: position, of: selection) }
        guard let sorted else { return found[position] }
        session.noteVisit(.row)
        return try sorted.row(at: position, try session.access)
    }

    /// Every match by its position. Where these are all objects of their tables, and none came or
    /// went since they were found, their keys are right and their rows may be others by now, unless
    /// `isCurrent`.
    func positions() throws -> [FoundRow] {
        guard !isCurrent, isEveryObject, descriptors.isEmpty,
            foundMembershipCount == session.counts.membershipCount
        else { return try all() }
        // Stores what waits, and so reports damage.
        _ = try session.access
        let count = tables.reduce(0) { $0 + session.count(of: $1) }
        return count == found.count ? found : try all()
    }

    /// Keeps the values of the rows that are found.
    func keep(_ values: [RawConstant]) { foundValues = values }

    /// The row at a position, and whether it is where it was; nil if the position is beyond the
    /// end.
    func row(at position: Int) throws -> (row: FoundRow, isCurrent: Bool)? {
        if !isCurrent, predicate == nil, descriptors.isEmpty, derived.isEmpty, source == nil,
            foundMembershipCount != session.counts.membershipCount
                || found.count != session.count(of: table)
        {
            _ = try session.access
            if let row = try positionTable.row(at: position, of: table, session) { return row }
            // It was asked for so many positions that it pays to find them all.
        }
        if source == nil, predicate != nil || !descriptors.isEmpty,
            try selectedRows() != nil || sorted != nil
        {
            return try currentRow(at: position).map { ($0, true) }
        }
        let rows = try positions()
        return rows.indices.contains(position) ? (rows[position], isCurrent) : nil
    }

    /// The number of results. Sorting changes it never, and so is not done.
    func count() throws -> Int {
        _ = try session.access
        if let currentCount { return currentCount }
        let generation = session.generation.pointee.number
        if let counted, counted.generation == generation,
            counted.changeCount == session.counts.changeCount
        {
            return counted.count
        }
        let descriptors = descriptors.counting
        if source == nil, predicate == nil, descriptors.isEmpty {
            return tables.reduce(0) { $0 + session.count(of: $1) }
        }
        let count = try self.count(after: descriptors)
        counted = (count, generation, session.counts.changeCount)
        return count
    }

    private func count(after descriptors: [ResultsDescriptor]) throws -> Int {
        guard descriptors.count <= 1 else { return try all().count }
        var (offset, countMax) = (0, Int.max)
        switch descriptors.first {
        case nil: break
        case .limited(let skipped, let limit)?: (offset, countMax) = (skipped, limit)
        default: return try all().count
        }
        if countMax == 0 { return 0 }
        let (end, isBeyond) = offset.addingReportingOverflow(countMax)
        var matchCount = 0
        if source == nil, predicate == nil {
            matchCount = tables.reduce(0) { $0 + session.count(of: $1) }
        } else if source == nil, isBeyond || end == .max {
            matchCount = try ([self] + derived).reduce(0) { $0 + (try $1.matchCount()) }
        } else {
            try forEachFound(mayStop: true) { _ in
                matchCount += 1
                return isBeyond || matchCount < end
            }
        }
        return min(countMax, max(0, matchCount - offset))
    }

    /// Whether there are no results: ends with the first match.
    func isEmpty() throws -> Bool {
        _ = try session.access
        if let currentCount { return currentCount == 0 }
        if descriptors.isEmpty { return try firstMatch() == nil }
        return try rows(after: descriptors.counting.adding(.limited(offset: 0, count: 1))).isEmpty
    }

    func first() throws -> FoundRow? {
        _ = try session.access
        if isCurrent { return try currentRow(at: 0) }
        if descriptors.isEmpty { return try firstMatch() }
        return try rows(after: descriptors.adding(.limited(offset: 0, count: 1))).first
    }

    private func firstMatch() throws -> FoundRow? {
        var first: FoundRow?
        try forEachFound(mayStop: true) {
            first = $0
            return false
        }
        return first
    }

    func last() throws -> FoundRow? {
        _ = try session.access
        if let currentCount { return try currentRow(at: currentCount - 1) }
        if source?.element == nil, descriptors.count == 1,
            case .sorted(let sorting) = descriptors[0]
        {
            let rows = try self.rows(after: [])
            return try RowSorter(sorting, tables).last(of: rows)
        }
        guard descriptors.isEmpty, source == nil else { return try all().last }
        for (index, other) in derived.enumerated().reversed() {
            if let row = try other.lastMatch(part: index + 1) { return row }
        }
        return try lastMatch(part: 0)
    }
}

extension RealmSession {
    /// The number of objects of a table; costs the same for any number.
    func count(of table: TableState) -> Int {
        do {
            return try access.count(in: table.stored.rows)
        } catch {
            damage = error
            return 0
        }
    }
}
