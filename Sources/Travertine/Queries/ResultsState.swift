import TravertineStore

/// The query of results, and what it found as of one generation of its realm.
final class ResultsState {
    let session: RealmSession
    @exclusivity(unchecked) private(set) var table: TableState
    let predicate: FormerPredicate?
    let descriptors: [ResultsDescriptor]
    /// The same query on the tables of derived classes, if they are included; of a collection on
    /// the tables of other classes than its own that were found in it.
    var derived: [ResultsState]
    /// What is looked in; nil for every object of the tables.
    let source: ResultsSource?
    private var test: RowTest?
    private var found: [FoundRow] = []
    private var foundGeneration: UInt64 = 0
    private var foundChangeCount: UInt64 = 0
    /// How often the realm had been invalidated when the results were made.
    private let invalidationCount: UInt32
    /// The realm's count of deletions when the objects were found.
    private var foundMembershipCount = UInt64.max
    /// The values that were found, in their order, if they are sorted or distinct.
    private(set) var foundValues: [StoredDefault] = []
    /// The number of matches as they were counted last without being found, and when.
    private var counted: (count: Int, generation: UInt64, changeCount: UInt64)?
    /// How often types had been removed when the tables were looked at.
    @exclusivity(unchecked) private var goneCount = 0

    init(
        _ session: RealmSession, _ table: TableState, _ predicate: FormerPredicate?,
        _ descriptors: [ResultsDescriptor], derived: [TableState] = [],
        source: ResultsSource? = nil
    ) {
        self.source = source
        self.derived = derived.map { ResultsState(session, $0, predicate, []) }
        self.session = session
        invalidationCount = session.invalidationCount
        goneCount = session.counts.goneCount
        self.table = table
        self.predicate = predicate
        self.descriptors = descriptors
    }

    /// Whether the realm was invalidated since, so that the results have nothing to show any more.
    var isInvalidated: Bool { session.invalidationCount != invalidationCount }

    /// Whether what was found is what the realm shows now.
    private var isCurrent: Bool {
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

    func readyTest() -> RowTest? {
        if let test { return test }
        test = predicate.map { RowTest.make($0, table, source?.element) }
        return test
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
        goneCount = session.counts.goneCount
        for other in derived { other.takeTable() }
        guard table.isGone, source == nil, let type = table.classInfo?.type else { return }
        table = session.table(of: type)
        test = nil
        found = []
        foundValues = []
        foundGeneration = 0
        foundMembershipCount = .max
        counted = nil
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

    /// Calls `body` with each match in the results' own table, in key order, until it returns
    /// false.
    func forEachMatch(_ body: (UInt64, UnsafeRawBufferPointer) throws -> Bool) throws {
        guard let test = readyTest() else { return try session.scan(table, body) }
        if let keys = try candidates() {
            let access = try session.access
            for key in keys {
                session.noteVisit(.row)
                guard let row = try access.value(forKey: key, in: table.stored.rows) else {
                    continue
                }
                if try test.matches(row, try table.binding(of: row), key), try !body(key, row) {
                    return
                }
            }
            return
        }
        try session.scan(table) { key, row in
            try test.matches(row, try table.binding(of: row), key) ? try body(key, row) : true
        }
    }

    /// Every match in the order of the results.
    func all() throws -> [FoundRow] {
        _ = try session.access
        if isCurrent { return found }
        var rows: [FoundRow] = []
        var arrangedCount = 0
        foundValues = []
        if let source {
            try forEachMatch(in: source) {
                rows.append($0)
                return true
            }
        } else if let sorted = try sortedByIndex() {
            rows = sorted
            arrangedCount = 1
        } else {
            rows = try allOfTables()
        }
        if descriptors.count > arrangedCount { rows = try arranged(rows, after: arrangedCount) }
        found = rows
        foundGeneration = session.generation.pointee.number
        foundChangeCount = session.counts.changeCount
        foundMembershipCount = session.counts.membershipCount
        return rows
    }

    /// Every match by its position. Where these are all objects of their tables, and none came or
    /// went since they were found, their rows may be others by now, unless `areRowsCurrent`.
    func positions() throws -> [FoundRow] {
        guard !isCurrent, isEveryObject, descriptors.isEmpty,
            foundMembershipCount == session.counts.membershipCount
        else { return try all() }
        // Stores what waits, and so reports damage.
        _ = try session.access
        let count = tables.reduce(0) { $0 + session.count(of: $1) }
        return count == found.count ? found : try all()
    }

    /// Whether the rows that were found are where they were.
    var areRowsCurrent: Bool { isCurrent }

    /// Keeps the values of the rows that are found.
    func keep(_ values: [StoredDefault]) { foundValues = values }

    /// Every match in the tables, in the order of the keys.
    private func allOfTables() throws -> [FoundRow] {
        var rows: [FoundRow] = []
        if predicate == nil { rows.reserveCapacity(session.count(of: table)) }
        try forEachMatch { key, row in
            rows.append(FoundRow(key: key, bytes: row))
            return true
        }
        for (index, other) in derived.enumerated() {
            try other.forEachMatch { key, row in
                rows.append(FoundRow(key: key, bytes: row, part: index + 1))
                return true
            }
        }
        return rows
    }

    func count() throws -> Int {
        if !descriptors.isEmpty || source != nil { return try all().count }
        if isCurrent { return found.count }
        var count = 0
        for other in derived { count += try other.count() }
        if predicate == nil { return count + session.count(of: table) }
        if let counted, counted.generation == session.generation.pointee.number,
            counted.changeCount == session.counts.changeCount
        {
            return counted.count
        }
        try forEachMatch { _, _ in
            count += 1
            return true
        }
        counted = (count, session.generation.pointee.number, session.counts.changeCount)
        return count
    }

    func first() throws -> FoundRow? {
        if !descriptors.isEmpty {
            if !isCurrent, descriptors.count == 1, let sorted = try sortedByIndex(limit: 1) {
                return sorted.first
            }
            return try all().first
        }
        var first: FoundRow?
        if let source {
            try forEachMatch(in: source) {
                first = $0
                return false
            }
            return first
        }
        try forEachMatch { key, row in
            first = FoundRow(key: key, bytes: row)
            return false
        }
        for (index, other) in derived.enumerated() where first == nil {
            first = try other.first().map {
                FoundRow(key: $0.key, bytes: $0.bytes, part: index + 1)
            }
        }
        return first
    }

    func last() throws -> FoundRow? {
        if !descriptors.isEmpty || predicate != nil || !derived.isEmpty || source != nil {
            return try all().last
        }
        var cursor = try session.access.cursor(in: table.stored.rows)
        guard try cursor.seekToLast() else { return nil }
        return FoundRow(key: cursor.withKey { objectKey(in: $0) }, bytes: try cursor.value())
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
