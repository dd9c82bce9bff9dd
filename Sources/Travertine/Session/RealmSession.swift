import CPlatform
import TravertineStore

/// A realm where it is confined: the snapshot it shows, its write transaction, and its tables.
///
/// `Realm` is a thin handle of it. States: *reading* (a snapshot) → *writing* (`beginWrite`) →
/// *reading* again (`commitWrite`, `cancelWrite`). `invalidate` goes back to *reading* without a
/// snapshot: the next read takes one. Objects, collections and results note how often the realm had
/// been invalidated when they were made, and are invalidated permanently once it was again.
@usableFromInline
final class RealmSession {
    let shared: SharedStore
    let configuration: Realm.Configuration
    let place: SessionPlace
    /// The version that a frozen session shows for ever; nil for a live one.
    let frozen: FrozenVersion?
    /// Greater than those of the frozen sessions that were made before; 0 for a live one.
    let number: UInt64
    @exclusivity(unchecked) var version = ShownVersion()
    /// The tables, by class and by number.
    @exclusivity(unchecked) var registry = TableRegistry()
    /// What lives for the open write transaction.
    @exclusivity(unchecked) var scope = WriteScope()
    /// What was changed and is not in the transaction yet.
    @exclusivity(unchecked) var unstored = UnstoredChanges()
    /// The insertion that goes on.
    @exclusivity(unchecked) var insertion = InsertionScope()
    /// What is kept from one transaction to the next.
    @exclusivity(unchecked) var caches = SessionCaches()
    /// Damage found by a property getter; the next throwing call throws it.
    @exclusivity(unchecked) var damage: (any Error)?
    /// What was last found that keeps newer versions from being shown.
    @exclusivity(unchecked) var refusal = SchemaRefusal()
    /// What handles, results and caches compare, to see that something changed.
    @exclusivity(unchecked) var counts = ChangeCounts()
    /// What was found last, until the realm shows another state.
    @exclusivity(unchecked) var found = FoundPlaces()
    /// The loops and `write` blocks that let handles stand for several objects.
    @exclusivity(unchecked) var recycling = HandleRecycling()
    /// Write transactions that wait for their turn, or for the disk.
    @exclusivity(unchecked) var asyncWrites = AsyncWrites()
    /// Who is notified of what `withObservationTracking` read; nil where that is not tracked.
    private(set) var tracker: ReadTracker?
    /// The blocks that are called when something changes.
    let observations = SessionObservations()
    /// Memory that is used again.
    @exclusivity(unchecked) var buffers = SessionBuffers()
    /// The migration that it has one side of, if any.
    @exclusivity(unchecked) var side = MigrationSide()
    #if DEBUG
        /// What was read, for tests of what methods cost.
        @exclusivity(unchecked) var visits = (nodes: 0, rows: 0, links: 0, observations: 0)
    #endif

    /// - Parameter isHere: whether the calling code runs where the realm is confined.
    init(
        _ shared: SharedStore, _ configuration: Realm.Configuration,
        _ confinement: Confinement = .current, isHere: Bool = true
    ) {
        self.shared = shared
        self.configuration = configuration
        place = SessionPlace(confinement)
        frozen = nil
        number = 0
        if isHere { place.moveToCurrentThread() }
        if configuration.tracksReads { tracker = ReadTracker(self) }
    }

    /// A session of the calling thread that shows a frozen version.
    init(_ frozen: FrozenVersion) {
        shared = frozen.shared
        configuration = frozen.configuration
        self.frozen = frozen
        number = ThreadCache.nextNumber()
        place = SessionPlace(
            .thread(UInt(travertine_current_thread()), task: 0), isFrozen: true)
        version = ShownVersion(frozen.snapshot)
        place.moveToCurrentThread()
    }

    deinit {
        transaction?.rollback()
        if let frozen { frozen.forget(self) } else { shared.forget(self) }
    }

    // MARK: State

    var confinement: Confinement { place.confinement }
    var generation: UnsafeMutablePointer<Generation> {
        @inline(__always) get { place.generation }
    }
    /// The snapshot that is shown; nil before the next read, and in a write transaction.
    var snapshot: Snapshot? { version.snapshot }
    var transaction: WriteTransaction? { version.transaction }
    /// The open write transaction, for uses that end before it does: nothing is counted.
    var open: Unmanaged<WriteTransaction>? {
        @inline(__always) get { version.open }
    }
    /// Whether it has one side of a migration, old or new: other rules are for its objects.
    var isOfMigration: Bool { side.isOn }
    /// The migration, while its block runs.
    var migration: Migration? { side.migration }

    /// Stops when the calling code does not run where the realm is confined.
    @inline(__always)
    func checkThread() {
        if generation.pointee.thread != travertine_current_thread() { moveToCurrentThread() }
    }

    /// What follows a failed comparison: the thread may be another one of the queue or actor.
    @inline(never)
    private func moveToCurrentThread() {
        if isOfMigration { stopForWrongThreadOfMigration() }
        requireLive()
        guard confinement.isCurrent(orStopWith: wrongThreadMessage) else {
            misuse(wrongThreadMessage)
        }
        place.moveToCurrentThread()
    }

    private var wrongThreadMessage: String {
        if confinement.hasEnded {
            return
                "Realm accessed in the `deinit` of \(confinement.description), or after it: nothing "
                + "runs on an actor that has ended. Use the realm before the last reference to the "
                + "actor goes, or open another here with `Realm(configuration:)`."
        }
        return
            "Realm accessed from incorrect thread: it is confined to \(confinement.description). "
            + confinement.advice
    }

    /// Makes every cached row pointer be looked up again.
    @inline(__always)
    func advance() { generation.pointee.number &+= 1 }

    /// Whether a write transaction is open, or would be if beginning it had not failed.
    var isWriting: Bool { transaction != nil || scope.isUnbegun }

    /// The first failure of the write transaction.
    var failure: (any Error)? {
        @inline(__always) get { scope.failure }
    }

    /// The read path over what the realm shows now.
    var access: ReadAccess {
        get throws {
            if let open {
                if unstored.appends != nil { try flushAppends() }
                return open._withUnsafeGuaranteedRef { $0.access }
            }
            if let shown = version.shown { return shown._withUnsafeGuaranteedRef { $0.access } }
            return try show(try newestSnapshot()).access
        }
    }

    func newestSnapshot() throws -> Snapshot {
        try shared.newestSnapshot(configuration.verification)
    }

    @discardableResult
    func show(_ snapshot: Snapshot) throws -> Snapshot {
        let before = self.snapshot
        if shared.isReadOnly, let error = try refusal.error(snapshot, shared.schemaKeyspace) {
            throw error
        }
        version.show(snapshot)
        forgetWhatWasFound()
        advance()
        do {
            try renewTables(snapshot.access)
        } catch {
            if shared.isReadOnly { refuse(snapshot, error, before) }
            throw error
        }
        return snapshot
    }

    /// Goes back to the version that was shown, or to none, where another process has stored types
    /// that the classes don't fit.
    private func refuse(_ refused: Snapshot, _ error: any Error, _ before: Snapshot?) {
        version.show(before)
        forgetWhatWasFound()
        advance()
        do {
            try refusal.note(refused, error, shared.schemaKeyspace)
            if let before { try renewTables(before.access) }
        } catch {
            damage = error
        }
    }

    /// Shows the newest commit; true if that is another than before.
    func refresh() throws -> Bool {
        if isWriting || isFrozen { return false }
        defer { reportToTracker() }
        if !observations.isEmpty { return try refreshObserved() }
        let newest = try newestSnapshot()
        if let snapshot, snapshot.lsn == newest.lsn, snapshot.store === newest.store {
            return false
        }
        let isOther = snapshot?.lsn != newest.lsn
        try show(newest)
        logRefresh()
        return isOther
    }

    /// Notes that a newer version is shown.
    func logRefresh() {
        refusal.loggedText = nil
        Logger.logNotification(
            .debug,
            "\(shared.fileURL.path): shows LSN \(snapshot?.lsn ?? 0) on \(confinement.description)")
    }

    /// Makes all objects and collections that there are invalid permanently; the transaction goes
    /// on.
    func invalidateObjects() {
        counts.invalidationCount &+= 1
        counts.goneCount += 1
        clearHandleCaches()
        forgetWhatWasFound()
        advance()
    }

    /// Gives up the snapshot, so that nothing old is kept; objects, collections and results that
    /// there are by now are invalid permanently.
    func invalidate() {
        requireLive()
        if isWriting { cancelWrite() }
        require(
            !isWriting,
            "`invalidate()` was called while a write transaction that it ended is followed by another, "
                + "which code began that was notified of the end. Write later, in a task or block.")
        version.show(nil)
        if !observations.isEmpty { observations.endInvalidated() }
        counts.invalidationCount &+= 1
        counts.goneCount += 1
        unstored = UnstoredChanges()
        clearHandleCaches()
        forgetWhatWasFound()
        advance()
        // Last, since code that is called may read and write.
        tracker?.invalidate()
    }

    /// Frees what is kept of what was found last, and lets results look their objects up again.
    func forgetWhatWasFound() {
        counts.membershipCount &+= 1
        found.reset()
    }

    /// Keeps an error that a refresh or a report found, for the next call that can throw. It is
    /// logged once until a newer version is shown.
    func note(_ error: any Error) {
        damage = error
        let text = "\(error)"
        if refusal.loggedText == text { return }
        refusal.loggedText = text
        Logger.logNotification(.error, "\(shared.fileURL.path): changes can't be shown: \(text)")
    }

    /// Throws an error that a getter found and could not throw.
    func throwDamage() throws {
        if let damage {
            self.damage = nil
            throw damage
        }
    }

    /// Keeps the first failure of the write transaction.
    func fail(_ error: any Error) {
        if scope.failure == nil { scope.failure = error }
    }

    // MARK: Transactions

    /// Goes on in a transaction of the store that has begun.
    ///
    /// - Parameter before: the version that is shown, where something is observed.
    func begin(_ begun: WriteTransaction, after before: Snapshot?) throws {
        begun.verification = configuration.verification
        var versions: (before: Snapshot, base: Snapshot)?
        do {
            try renewTables(begun.access)
            if let before { versions = (before, try base(of: begun, after: before)) }
        } catch {
            begun.rollback()
            throw error
        }
        scope = WriteScope()
        scope.versions = versions
        if versions != nil { scope.note = ChangeNote() }
        if begun.number != caches.transaction + 1 { caches = SessionCaches() }
        caches.transaction = begun.number
        version.write(begun)
        forgetWhatWasFound()
        advance()
    }

    /// Forgets what lives for the transaction, which has ended; the next read takes a snapshot.
    func end() {
        version.write(nil)
        scope = WriteScope()
        unstored = UnstoredChanges()
        forgetWhatWasFound()
        advance()
        // What was to be reported in the meantime waited.
        wakeObservers()
    }
}
