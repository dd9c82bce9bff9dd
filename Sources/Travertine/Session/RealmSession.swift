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
    /// Where the realm may be used.
    let confinement: Confinement
    let writerPlace: WriterIdentity.Place?
    private let permittedThread = PermittedThread()
    let generation: UnsafeMutablePointer<Generation>
    /// The version that a frozen session shows for ever; nil for a live one.
    let frozen: FrozenVersion?
    /// Greater than those of the frozen sessions that were made before; 0 for a live one.
    let number: UInt64
    /// The frozen session of the snapshot, once it was frozen; not for a frozen one.
    @exclusivity(unchecked) var frozenCopy: RealmSession?
    @exclusivity(unchecked) private(set) var snapshot: Snapshot? {
        didSet {
            shown = snapshot.map { Unmanaged.passUnretained($0) }
            frozenCopy = nil
            typesOfSnapshot = nil
        }
    }
    /// The stored types of the snapshot in a read-only realm, once they were asked for.
    @exclusivity(unchecked) var typesOfSnapshot: StoredTypes?
    @exclusivity(unchecked) private(set) var transaction: WriteTransaction? {
        didSet { open = transaction.map { Unmanaged.passUnretained($0) } }
    }
    /// The snapshot and the transaction, for uses that end before these do: nothing is counted.
    @exclusivity(unchecked) private var shown: Unmanaged<Snapshot>?
    @exclusivity(unchecked) private(set) var open: Unmanaged<WriteTransaction>?
    /// The tables, by class and by number.
    @exclusivity(unchecked) var registry = TableRegistry()
    /// Counts the calls of `invalidate`.
    @exclusivity(unchecked) private(set) var invalidationCount: UInt32 = 0
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
    /// Whether newer versions are shown by themselves, where the realm is on a queue or actor.
    @exclusivity(unchecked) var refreshesItself = true
    /// Memory that is used again.
    @exclusivity(unchecked) var buffers = SessionBuffers()
    let encoder = _RowEncoder()
    /// Whether it has one side of a migration, old or new: other rules are for its objects.
    var isOfMigration = false
    /// The migration, while its block runs.
    weak var migration: Migration?
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
        self.confinement = confinement
        frozen = nil
        number = 0
        writerPlace = confinement.writerPlace
        generation = permittedThread.generation
        if isHere { permittedThread.moveToCurrentThread(in: confinement) }
        if configuration.tracksReads { tracker = ReadTracker(self) }
    }

    /// A session of the calling thread that shows a frozen version.
    init(_ frozen: FrozenVersion) {
        shared = frozen.shared
        configuration = frozen.configuration
        self.frozen = frozen
        number = ThreadCache.nextNumber()
        confinement = .thread(UInt(travertine_current_thread()), task: 0)
        writerPlace = nil
        generation = permittedThread.generation
        generation.pointee.number = Generation.frozenGeneration
        permittedThread.moveToCurrentThread(in: confinement)
        snapshot = frozen.snapshot
        shown = Unmanaged.passUnretained(frozen.snapshot)
    }

    deinit {
        transaction?.rollback()
        if let frozen { frozen.forget(self) } else { shared.forget(self) }
    }

    // MARK: State

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
        permittedThread.moveToCurrentThread(in: confinement)
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
            if let shown { return shown._withUnsafeGuaranteedRef { $0.access } }
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
        self.snapshot = snapshot
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
        snapshot = before
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
        invalidationCount &+= 1
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
        snapshot = nil
        tracker?.invalidate()
        if !observations.isEmpty { observations.endInvalidated() }
        invalidationCount &+= 1
        counts.goneCount += 1
        unstored = UnstoredChanges()
        clearHandleCaches()
        forgetWhatWasFound()
        advance()
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
        transaction = begun
        snapshot = nil
        forgetWhatWasFound()
        advance()
    }

    /// Forgets what lives for the transaction, which has ended; the next read takes a snapshot.
    func end() {
        transaction = nil
        scope = WriteScope()
        unstored = UnstoredChanges()
        snapshot = nil
        forgetWhatWasFound()
        advance()
        // What was to be reported in the meantime waited.
        wakeObservers()
    }
}
