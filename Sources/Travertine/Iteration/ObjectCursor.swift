import TravertineStore

/// Iterates over the objects that results had at its start, for one iterator.
///
/// Without order the rows are read from the snapshot a few at a time, so that nothing is collected
/// first: all of the table, or those that columns selected. Otherwise they are those that the query
/// found. A handle that nobody but the cursor refers to any more becomes the handle of the next
/// object (`HandleRecycler`), so that a loop that keeps none makes one. What a link that the loop
/// follows leads to is looked up for several objects at once (`LinkPrefetcher`).
@usableFromInline
final class ObjectCursor {
    /// How many rows before its turn a row is asked for.
    private static let aheadCount = 8

    private let state: ResultsState
    private let session: RealmSession
    private let table: TableState
    private let generation: UInt64
    /// Rows that were found before the start; none if they come from the snapshot.
    private let rows: [FoundRow]
    /// Rows that were taken from the snapshot.
    private let part: UnsafeMutablePointer<NumberedRow>?
    @exclusivity(unchecked) private var partCount = 0
    /// The next of `part`, else of `rows`.
    @exclusivity(unchecked) private var position = 0
    /// The rows that are not in `part` yet, and the snapshot that pins them.
    @exclusivity(unchecked) private var cursor: RawCursor?
    /// The same where columns selected the rows.
    @exclusivity(unchecked) private var walk: SelectionWalk?
    /// How many rows columns selected.
    private let selectedCount: Int
    /// What has the values of their objects, while the loop reads nothing but what columns have.
    private let feeder: ColumnFeeder?
    /// The same, whose references need not be counted for each object.
    private let feederReference: Unmanaged<ColumnFeeder>?
    @exclusivity(unchecked) private var isFeeding = false
    private let snapshot: Snapshot?
    /// The key of the last row that was taken from the cursor.
    @exclusivity(unchecked) private var lastKey: UInt64?
    @exclusivity(unchecked) private var reuse: HandleRecycler
    /// Nil until the loop has followed links.
    @exclusivity(unchecked) private var prefetcher: LinkPrefetcher?
    /// Whether the session reuses handles on behalf of this cursor.
    @exclusivity(unchecked) private var isReusing = true

    init(_ state: ResultsState, _ type: ObjectBase.Type, reusesHandles: Bool = true) {
        self.state = state
        session = state.session
        state.takeTable()
        table = state.table
        reuse = HandleRecycler(type, state.table, isOn: reusesHandles)
        cursor = nil
        walk = nil
        if !state.isEverything, !session.isWriting, state.derived.isEmpty,
            let selection = state.read(nil, { try state.selectedRows() }),
            let shown = session.snapshot
        {
            rows = []
            part = .allocate(capacity: RawCursor.rowCountMax)
            snapshot = shown
            selectedCount = selection.count
            // Frozen handles may be read on other threads while the loop goes on.
            feeder =
                reuse.isReusing && session.tracker == nil && !session.isFrozen
                ? ColumnFeeder(selection, table, session) : nil
            isFeeding = feeder != nil
            if !isFeeding { walk = SelectionWalk(selection, shown.access) }
        } else if state.isEverything, !session.isWriting {
            rows = []
            selectedCount = 0
            feeder = nil
            part = .allocate(capacity: RawCursor.rowCountMax)
            session.checkThread()
            do {
                cursor = try session.access.firstRow(of: table, after: nil)
            } catch {
                session.damage = error
            }
            snapshot = session.snapshot
        } else {
            snapshot = nil
            part = nil
            selectedCount = 0
            feeder = nil
            rows = state.read([]) { try state.all() }
        }
        feederReference = feeder.map { Unmanaged.passUnretained($0) }
        // A frozen cursor may go on on another thread: no row is one of this session's own (Z2).
        generation = session.isFrozen ? 0 : session.generation.pointee.number
        beginReuse()
    }

    /// Lets the session reuse handles for this cursor; a frozen one reuses none.
    private func beginReuse() {
        isReusing = !session.isFrozen
        if isReusing { session.beginReuse() }
    }

    private init(_ other: ObjectCursor) {
        state = other.state
        session = other.session
        table = other.table
        generation = other.generation
        rows = other.rows
        part = other.part.map {
            let copy = UnsafeMutablePointer<NumberedRow>.allocate(capacity: RawCursor.rowCountMax)
            copy.initialize(from: $0, count: other.partCount)
            return copy
        }
        partCount = other.partCount
        position = other.position
        snapshot = other.snapshot
        lastKey = other.lastKey
        reuse = other.reuse
        reuse.end()
        cursor = nil
        feeder = nil
        feederReference = nil
        walk = other.walk
        if other.isFeeding, let snapshot { walk = other.feeder?.walk(snapshot.access) }
        selectedCount = other.selectedCount
        beginReuse()
        guard let snapshot, other.cursor != nil else { return }
        do {
            cursor = try snapshot.access.firstRow(of: table, after: lastKey)
        } catch {
            session.damage = error
        }
    }

    deinit {
        endReuse()
        part?.deallocate()
    }

    /// Releases the handles for the next objects.
    private func endReuse() {
        endFeeding()
        reuse.end()
        if isReusing { session.endReuse() }
        isReusing = false
    }

    /// A separate cursor at the same position.
    @usableFromInline
    func copy() -> ObjectCursor {
        session.here.checkThread()
        return ObjectCursor(self)
    }

    /// The number of objects, more if there is damage.
    var underestimatedCount: Int {
        if part == nil { return rows.count }
        if selectedCount > 0 { return selectedCount }
        return cursor == nil ? partCount : session.count(of: table)
    }

    /// A handle of the next object, or nil at the end.
    @usableFromInline
    func next() -> ObjectBase? {
        if isFeeding, let object = nextFed() { return object }
        guard let part, position < partCount || refill() else { return nextFound() }
        let row = part[position]
        position &+= 1
        if session.generation.pointee.number != generation {
            let bytes = UnsafeRawBufferPointer(start: row.base, count: row.byteCount)
            if session.isFrozen {
                if session.isHere { return reuse.handle(session, table, row.key, bytes) }
                return frozenHandle(FoundRow(key: row.key, bytes: bytes), table)
            }
            state.takeTable()
            return reuse.handle(session, table, later: row.key)
        }
        return reuse.handle(
            session, table, row.key, UnsafeRawBufferPointer(start: row.base, count: row.byteCount))
    }

    /// A handle of the next object, which columns feed; nil at the end, or once rows must be read.
    @inline(never)
    private func nextFed() -> ObjectBase? {
        guard let fed = feederReference?._withUnsafeGuaranteedRef({ nextFed(by: $0) }) else {
            endFeeding()
            if let snapshot { walk = feeder?.walk(snapshot.access) }
            return nil
        }
        return fed
    }

    @inline(__always)
    private func nextFed(by feeder: ColumnFeeder) -> ObjectBase? {
        guard session.generation.pointee.number == generation, !feeder.hasMissed, reuse.isReusing,
            let key = feeder.next()
        else { return nil }
        let object = reuse.handle(session, table, later: key)
        feeder.feed(object)
        session.recycling.feeder = feederReference
        return object
    }

    /// Lets the session forget what feeds the handle.
    private func endFeeding() {
        isFeeding = false
        guard let feeder else { return }
        if session.recycling.feeder?.toOpaque() == Unmanaged.passUnretained(feeder).toOpaque() {
            session.recycling.feeder = nil
        }
    }

    /// A handle of the next object that was found before the start, or nil at the end.
    @inline(never)
    private func nextFound() -> ObjectBase? {
        guard position < rows.count else {
            endReuse()
            return nil
        }
        let row = rows[position]
        // They were read when they were found, and may have left the nearer caches since.
        if position &+ Self.aheadCount < rows.count { rows[position &+ Self.aheadCount].prefetch() }
        if position & 63 == 0 { session.here.checkThread() }
        position &+= 1
        if row.part != 0 || session.generation.pointee.number != generation { return later(row) }
        return reuse.handle(session, table, row.key, row.bytes)
    }

    /// An object of a derived class, or one whose row may have moved since.
    @inline(never)
    private func later(_ row: FoundRow) -> ObjectBase {
        if session.generation.pointee.number != generation {
            if session.isFrozen { return frozenHandle(row, state.table(of: row)) }
            state.takeTable()
            if row.part == 0 { return reuse.handle(session, table, later: row.key) }
            let table = state.table(of: row)
            return reuse.make(session, table, later: row.key, isOwn: false)
        }
        return reuse.make(session, state.table(of: row), row, isOwn: false)
    }

    /// A handle of a frozen object for the calling thread, which may be another one each time. Only
    /// the session's own thread lets a handle be that of one object after another.
    @inline(never)
    private func frozenHandle(_ row: FoundRow, _ table: TableState) -> ObjectBase {
        if table === self.table, session.isHere {
            return reuse.handle(session, table, row.key, row.bytes)
        }
        let own = session.here
        guard let shown = own === session ? table : own.table(matching: table) else {
            misuse("The frozen results can't be read: their type is not in the realm.")
        }
        return reuse.make(own, shown, row, isOwn: table === self.table)
    }

    /// Reads the next rows of the snapshot; false when there are none, or at damage (O13).
    @inline(never)
    private func refill() -> Bool {
        position = 0
        partCount = 0
        guard let part, cursor != nil || walk != nil else { return false }
        let session = session.here
        session.checkThread()
        if let taken = cursor?.takeRows(into: part) ?? walk?.take(into: part) {
            partCount = taken.count
            if walk != nil { table.noteVisits(.row, partCount) }
            if let failure = taken.failure {
                session.damage = failure
                cursor = nil
                walk = nil
            }
        }
        if partCount == 0 {
            cursor = nil
            walk = nil
            return false
        }
        lastKey = part[partCount - 1].key
        if session.generation.pointee.number == generation {
            prefetchLinks(UnsafeBufferPointer(start: part, count: partCount))
        }
        return true
    }

    /// Caches the addresses of the next rows, and of those that they link to, once the loop has
    /// followed links.
    @inline(__always)
    private func prefetchLinks(_ rows: UnsafeBufferPointer<NumberedRow>) {
        // Links may lead to these.
        if table.knownGeneration == generation, table.known.isKeeping {
            for row in rows {
                table.known.note(
                    row.key, UnsafeRawBufferPointer(start: row.base, count: row.byteCount))
            }
        }
        let followedCount = table.followed.count
        table.followed.count = 0
        if 2 * followedCount < rows.count { return }
        if prefetcher == nil { prefetcher = LinkPrefetcher(table) }
        prefetcher?.lookUp(rows, session)
    }
}

extension ReadAccess {
    /// A cursor on the first row of a table, or on the first one after a key; nil if there is none.
    fileprivate func firstRow(of table: TableState, after key: UInt64?) throws -> RawCursor? {
        if key == .max { return nil }
        var cursor = cursor(in: table.stored.rows)
        let isFound =
            if let key {
                try withObjectKey(key + 1) { (key) throws(StoreError) in
                    try cursor.seek(atOrAfter: key)
                }
            } else {
                try cursor.seekToFirst()
            }
        guard isFound else { return nil }
        return cursor
    }
}
