import CPlatform
import TravertineStore

/// A realm on one thread: the snapshot it shows, its write transaction, and its tables.
///
/// `Realm` is a thin handle of it. States: *reading* (a snapshot) → *writing* (`beginWrite`) →
/// *reading* again (`commitWrite`, `cancelWrite`). `invalidate` goes back to *reading* without a
/// snapshot: the next read takes one. Objects, collections and results note how often the realm had
/// been invalidated when they were made, and are invalidated permanently once it was again.
@usableFromInline
final class RealmSession {
    let shared: SharedStore
    let configuration: Realm.Configuration
    let generation: UnsafeMutablePointer<Generation>
    @exclusivity(unchecked) private(set) var snapshot: Snapshot? {
        didSet { shown = snapshot.map { Unmanaged.passUnretained($0) } }
    }
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
    /// What handles, results and caches compare, to see that something changed.
    @exclusivity(unchecked) var counts = ChangeCounts()
    /// What was found last, until the realm shows another state.
    @exclusivity(unchecked) var found = FoundPlaces()
    /// The loops and `write` blocks that let handles stand for several objects.
    @exclusivity(unchecked) var recycling = HandleRecycling()
    /// Memory that is used again.
    @exclusivity(unchecked) var buffers = SessionBuffers()
    let encoder = _RowEncoder()
    /// Whether it has one side of a migration, old or new: other rules are for its objects.
    var isOfMigration = false
    /// The migration, while its block runs.
    weak var migration: Migration?
    #if DEBUG
        /// What was read, for tests of what methods cost.
        @exclusivity(unchecked) var visits = (nodes: 0, rows: 0, links: 0)
    #endif

    init(_ shared: SharedStore, _ configuration: Realm.Configuration) {
        self.shared = shared
        self.configuration = configuration
        generation = .allocate(capacity: 1)
        generation.initialize(
            to: Generation(
                number: Generation.firstGeneration, thread: UInt(travertine_current_thread())))
    }

    deinit {
        transaction?.rollback()
        shared.forget(self)
        generation.deallocate()
    }

    // MARK: State

    /// Stops when the calling thread is not the realm's.
    @inline(__always)
    func checkThread() {
        if generation.pointee.thread != travertine_current_thread() { stopForWrongThread() }
    }

    @inline(never)
    private func stopForWrongThread() -> Never {
        if isOfMigration { stopForWrongThreadOfMigration() }
        misuse(
            "Realm accessed from incorrect thread. Open the realm again on this thread with "
                + "`Realm(configuration:)` and look the object up there by its primary key.")
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

    private func newestSnapshot() throws(StoreError) -> Snapshot {
        try shared.store.snapshot(verification: configuration.verification)
    }

    @discardableResult
    func show(_ snapshot: Snapshot) throws -> Snapshot {
        self.snapshot = snapshot
        forgetWhatWasFound()
        advance()
        try renewTables(snapshot.access)
        return snapshot
    }

    /// Shows the newest commit; true if that is another than before.
    func refresh() throws -> Bool {
        if isWriting { return false }
        let newest = try newestSnapshot()
        if let snapshot, snapshot.lsn == newest.lsn { return false }
        try show(newest)
        return true
    }

    /// Makes all objects and collections that there are invalid permanently; the transaction goes on.
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
        if isWriting { cancelWrite() }
        snapshot = nil
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

    func beginWrite() throws {
        checkThread()
        require(
            !isWriting,
            "The Realm is already in a write transaction. Call `commitWrite` or `cancelWrite` "
                + "before beginning another; transactions don't nest.")
        try throwDamage()
        let begun = try shared.store.beginWrite()
        begun.verification = configuration.verification
        do {
            try renewTables(begun.access)
        } catch {
            begun.rollback()
            throw error
        }
        scope = WriteScope()
        if begun.number != caches.transaction + 1 { caches = SessionCaches() }
        caches.transaction = begun.number
        transaction = begun
        snapshot = nil
        forgetWhatWasFound()
        advance()
    }

    /// Begins a write transaction; a failure is kept, so that changes do nothing and the commit
    /// throws it.
    func beginWriteKeepingFailure() {
        do {
            try beginWrite()
        } catch {
            scope = WriteScope(isUnbegun: true, failure: error)
        }
    }

    func commitWrite() throws {
        checkThread()
        if isOfMigration { checkMigrationHasEnded() }
        if scope.isUnbegun, let failure {
            cancelWrite()
            throw failure
        }
        guard let transaction else {
            misuse(
                "Can't commit a non-existing write transaction: call `beginWrite` first.")
        }
        do {
            if let failure { throw failure }
            try flushAppends()
            try throwDamage()
            if !scope.requiredChecks.isEmpty { try checkRequiredLinks() }
            if !scope.uniqueChecks.isEmpty { try checkUniqueValues() }
            try flushAppends()
            try unstored.nodes.flush(self)
            for type in scope.typesWithDeletions { try storeNextKey(ofType: type) }
            if let firstUsed = scope.firstUsed {
                transaction.willBeSeen = { [shared, configuration] in
                    shared.enter(firstUsed, configuration)
                }
            }
            try transaction.commit(durability: configuration.durability)
            for table in registry.all where scope.changedTypes.contains(table.stored.number) {
                shared.replace(table.stored)
            }
        } catch {
            cancelWrite()
            throw error
        }
        end()
    }

    func cancelWrite() {
        checkThread()
        if isOfMigration { checkMigrationHasEnded() }
        if scope.isUnbegun {
            scope = WriteScope()
            return
        }
        guard let transaction else {
            misuse(
                "Can't cancel a non-existing write transaction: call `beginWrite` first.")
        }
        transaction.rollback()
        unstored = UnstoredChanges()
        caches = SessionCaches()
        undoFirstUses(since: nil)
        end()
    }

    private func end() {
        transaction = nil
        scope = WriteScope()
        unstored = UnstoredChanges()
        snapshot = nil
        forgetWhatWasFound()
        advance()
    }

    /// Whether a change may go on: nothing in the transaction failed yet. Stops when there is none.
    func mayChange() -> Bool {
        requireWriting()
        return failure == nil
    }

    /// Whether an element may be appended to a list; those that wait go on waiting.
    func mayAppend() -> Bool {
        if !scope.isUnbegun { _ = requireOpenTransaction() } else { checkThread() }
        return failure == nil
    }

    /// Stops when there is no transaction.
    @inline(__always)
    func requireWriting() {
        if !scope.isUnbegun { _ = requireTransactionReference() } else { checkThread() }
    }

    /// The transaction, for a change; stops when there is none.
    func requireTransaction() -> WriteTransaction {
        requireTransactionReference().takeUnretainedValue()
    }

    /// The transaction, for a change that does not end it: nothing is counted.
    func requireTransactionReference() -> Unmanaged<WriteTransaction> {
        if unstored.appends != nil { flushAppendsRecordingFailure() }
        return requireOpenTransaction()
    }

    /// The transaction, for what leaves waiting elements as they are.
    func requireOpenTransaction() -> Unmanaged<WriteTransaction> {
        checkThread()
        guard let open else {
            if isOfMigration { stopForChangeOfOldObject() }
            misuse(
                "Attempting to modify object outside of a write transaction - call beginWrite() on "
                    + "a Realm instance first, or put the change into `realm.write { }`.")
        }
        return open
    }

    private func storeNextKey(ofType number: UInt32) throws {
        guard let next = shared.nextKeys[number], let transaction else { return }
        let value = withUnsafeBytes(of: next.littleEndian, Array.init)
        try StoredSchema.floorKey(number).withBytes { key in
            try value.withBytes { value in
                try transaction.put(rawKey: key, rawValue: value, in: shared.schemaKeyspace)
            }
        }
    }
}
