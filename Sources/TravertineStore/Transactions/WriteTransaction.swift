import OrderedIndex
import SegmentLog

/// A group of changes that appear together or not at all.
///
/// There is one write transaction at a time in a store, over all threads; readers are never held
/// up by it. A change is encoded into the log's buffer and entered in the transaction's own version
/// of the index at once, so that reads through the transaction see it; others see it after the
/// commit. A transaction may be used by one thread at a time.
///
/// States: *active* → *ended* (`commit`, `rollback`, or `deinit`, which rolls back). A change that
/// failed half-way makes it *failed* (`fail`): only `rollback` is left, and `commit` throws.
public final class WriteTransaction {
    let store: Store
    /// The index as the transaction changes it.
    package let writer: IndexWriter
    let log: SegmentLog
    let pending: PendingChanges
    // Those of `pending`: the compiler counts references to what is reached by two steps.
    let staged: StagedRows
    let entries: StagedEntries
    let indexReader: IndexReader
    let segmentReader: SegmentReader
    /// Counts the write transactions of the store in this process: if the last one that somebody
    /// knows of had the number before, nobody else has written since.
    package let number: UInt64
    // One thread at a time uses a transaction, as its documentation says: the checks of exclusive
    // access that the compiler would add cost more than the change itself.
    @exclusivity(unchecked)
    var isActive = true
    private var failure: StoreError?
    /// Locations whose records this transaction made dead, in order.
    @exclusivity(unchecked)
    var overwritten: [UInt64] = []
    /// Live bytes that this transaction wrote.
    @exclusivity(unchecked)
    var appended = AppendedRecords()
    /// Whether everything so far only frees space, so that the log's reserve may be used.
    @exclusivity(unchecked)
    var isDeleteOnly = true
    /// Keyspaces created or dropped by this transaction, by name; nil for a dropped one.
    var catalogChanges = KeyspaceChanges<String>() {
        didSet { catalogChangeCount &+= 1 }
    }
    /// Grows whenever a name may have come to mean another keyspace than before in this
    /// transaction.
    package private(set) var catalogChangeCount = 0
    /// When records are verified that are read through `access`.
    @exclusivity(unchecked)
    package var verification = RecordVerification.none
    /// Savepoints that are open, innermost last.
    var savepointDepth = 0
    /// Called by the commit when it is certain, before the next writer comes in and anybody sees
    /// it.
    package var willBeSeen: (() -> Void)?

    /// Whether the commit takes a snapshot of what it committed.
    @exclusivity(unchecked)
    package var keepsSnapshot = false
    /// What was committed, whatever others commit later; taken for `keepsSnapshot`. Nobody may be
    /// shown it before the commit has returned.
    @exclusivity(unchecked)
    package internal(set) var committed: Snapshot?

    init(store: Store, writer: IndexWriter) {
        self.store = store
        self.writer = writer
        log = store.log
        pending = PendingChanges(log: store.log, writer: writer)
        staged = pending.staged
        entries = pending.entries
        indexReader = store.index.reader
        segmentReader = store.log.reader
        number = store.gate.number
    }

    deinit {
        if isActive { end(committed: false) }
    }

    // MARK: Changes

    /// Stores a value under a key, replacing the one that is there.
    ///
    /// - Throws: `.keyTooLarge`, `.valueTooLarge`, `.diskFull` (roll back, or let the
    ///   error leave `write`; nothing is lost), `.noSuchKeyspace`, `.transactionEnded`, `.damaged`.
    @inlinable
    public func put(
        _ value: some ByteSource, forKey key: some ByteSource, in keyspace: Keyspace = .default
    ) throws(StoreError) {
        try key.withBytes { (key) throws(StoreError) in
            try value.withBytes { (value) throws(StoreError) in
                try put(rawKey: key, rawValue: value, in: keyspace.identifier)
            }
        }
    }

    /// Stores a value only if the key has none; returns whether it did.
    public func putIfAbsent(
        _ value: some ByteSource, forKey key: some ByteSource, in keyspace: Keyspace = .default
    ) throws(StoreError) -> Bool {
        try key.withBytes { (key) throws(StoreError) in
            guard try location(forKey: key, in: keyspace.identifier) == nil else { return false }
            try value.withBytes { (value) throws(StoreError) in
                try put(rawKey: key, rawValue: value, in: keyspace.identifier)
            }
            return true
        }
    }

    /// Stores a value only if the key's current value equals `expected`; returns whether it did.
    public func put(
        _ value: some ByteSource, forKey key: some ByteSource,
        ifCurrent expected: some ByteSource, in keyspace: Keyspace = .default
    ) throws(StoreError) -> Bool {
        try key.withBytes { (key) throws(StoreError) in
            try checkRecords(keyspace.identifier)
            guard
                let current = try access.value(forKey: key, in: keyspace.identifier, verified: true)
            else { return false }
            let isEqual = expected.withBytes { current.elementsEqual($0) }
            guard isEqual else { return false }
            try value.withBytes { (value) throws(StoreError) in
                try put(rawKey: key, rawValue: value, in: keyspace.identifier)
            }
            return true
        }
    }

    /// Deletes a key; returns whether it was there.
    @inlinable
    @discardableResult
    public func delete(
        _ key: some ByteSource, in keyspace: Keyspace = .default
    ) throws(StoreError) -> Bool {
        try key.withBytes { (key) throws(StoreError) in
            try delete(rawKey: key, in: keyspace.identifier)
        }
    }

    /// Deletes the keys from `start` up to, not including, `end`; returns how many there were.
    ///
    /// Each deletion is logged by itself, so the cost follows the number of keys.
    @discardableResult
    public func deleteRange(
        from start: some ByteSource, to end: some ByteSource, in keyspace: Keyspace = .default
    ) throws(StoreError) -> Int {
        let end = end.withBytes { Array($0) }
        return try start.withBytes { (start) throws(StoreError) in
            try deleteKeys(from: start, before: end, in: keyspace.identifier)
        }
    }

    /// Deletes every key of a keyspace; returns how many there were.
    @discardableResult
    public func deleteAll(in keyspace: Keyspace = .default) throws(StoreError) -> Int {
        try deleteKeys(
            from: UnsafeRawBufferPointer(start: nil, count: 0), before: nil, in: keyspace.identifier
        )
    }

    /// Stores raw bytes; the form that every `put` ends in.
    @usableFromInline
    package func put(
        rawKey key: UnsafeRawBufferPointer, rawValue value: UnsafeRawBufferPointer,
        in keyspace: KeyspaceID
    ) throws(StoreError) {
        try checkRecords(keyspace)
        let location = try append(.put, keyspace: keyspace, key: key, value: value)
        isDeleteOnly = false
        try enter(put: location, forKey: key, value, in: keyspace)
    }

    /// Stores a few bytes that a deletion makes necessary, such as a count: a transaction that only
    /// deletes stays one, and may use the room that is kept for it on a full disk.
    package func putOfDeletion(
        rawKey key: UnsafeRawBufferPointer, rawValue value: UnsafeRawBufferPointer,
        in keyspace: KeyspaceID
    ) throws(StoreError) {
        try checkRecords(keyspace)
        let location: Location
        do {
            location = try log.appendOfDeletion(keyspace: keyspace, key: key, value: value)
        } catch {
            throw StoreError(error)
        }
        try enter(put: location, forKey: key, value, in: keyspace)
    }

    @inline(__always)
    private func enter(
        put location: Location, forKey key: UnsafeRawBufferPointer,
        _ value: UnsafeRawBufferPointer, in keyspace: KeyspaceID
    ) throws(StoreError) {
        appended.add(location, byteCount: storedByteCount(key, value))
        try enter(location, forKey: key, in: keyspace)
    }

    /// Deletes a key given as raw bytes; returns whether it was there.
    @usableFromInline
    package func delete(
        rawKey key: UnsafeRawBufferPointer, in keyspace: KeyspaceID
    ) throws(StoreError) -> Bool {
        try checkRecords(keyspace)
        guard let found = try find(key, in: keyspace) else { return false }
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        _ = try append(.delete, keyspace: keyspace, key: key, value: nothing)
        try remove(found)
        noteDead(found.value)
        return true
    }

    private func deleteKeys(
        from start: UnsafeRawBufferPointer, before end: [UInt8]?, in keyspace: KeyspaceID
    ) throws(StoreError) -> Int {
        try checkRecords(keyspace)
        var count = 0
        var key: [UInt8] = Array(start)
        while true {
            var cursor = access.cursor(in: keyspace)
            let isFound = try key.withBytes { (bytes) throws(StoreError) in
                try cursor.seek(atOrAfter: bytes)
            }
            guard isFound else { return count }
            key = cursor.withKey { Array($0) }
            if let end, !key.lexicographicallyPrecedes(end) { return count }
            _ = try key.withBytes { (bytes) throws(StoreError) in
                try delete(rawKey: bytes, in: keyspace)
            }
            count += 1
        }
    }

    // MARK: Ending

    /// Makes the changes visible and, at level `.commit`, durable before it returns. The level is
    /// the store's.
    ///
    /// - Throws: as `commit(durability:)`.
    public func commit() throws(StoreError) { try commit(durability: store.options.durability) }

    /// Makes the changes visible and, at level `.commit`, durable before it returns.
    ///
    /// - Throws: `.commitOutcomeUnknown` when the sync failed, `.diskFull` or `.io` when the
    ///   changes could not be written (they are rolled back), `.transactionEnded`.
    public func commit(durability: Durability) throws(StoreError) {
        try checkMayCommit()
        try store.commit(self, durability: durability)
    }

    /// Ends the transaction as `commit` does, without waiting: `done` is called, on any thread,
    /// when `commit` would return, or with the failure of the sync.
    ///
    /// - Throws: as `commit`, for what is known before; `done` is not called then.
    package func commitWithoutWaiting(
        durability: Durability, _ done: @escaping @Sendable (StoreError?) -> Void
    ) throws(StoreError) {
        try checkMayCommit()
        try store.commitWithoutWaiting(self, durability: durability, done)
    }

    private func checkMayCommit() throws(StoreError) {
        try checkActive()
        if let failure {
            rollback()
            throw failure
        }
        require(savepointDepth == 0, "commit inside a savepoint: return from its body first")
    }

    /// Forgets the changes. Does nothing when the transaction has ended.
    public func rollback() {
        if isActive { end(committed: false) }
    }

    /// Ends the transaction and lets the next one in.
    func end(committed: Bool) {
        isActive = false
        let hasUsedReserve = committed && log.hasUsedReserve
        let needsSpace = hasUsedReserve || !committed && log.hasRefusedForSpace
        if !committed {
            writer.rollback()
            log.abortTransaction()
        }
        staged.removeAll()
        entries.removeAll()
        store.gate.leave()
        if needsSpace { store.reclaimSpace(waits: hasUsedReserve) }
    }

    /// A snapshot of what the transaction began with. It may have commits that are not durable yet:
    /// nobody may be shown it before this transaction is committed.
    package func baseSnapshot(verification: RecordVerification) throws(StoreError) -> Snapshot {
        try checkActive()
        return store.newestSnapshot(verification: verification)
    }

    /// Whether a snapshot shows what the transaction began with.
    package func isBased(on snapshot: Snapshot) throws(StoreError) -> Bool {
        try checkActive()
        return snapshot.store === store && store.index.isNewest(snapshot.pin)
    }

    /// Remembers that a change was made by half: the transaction can only roll back.
    func fail(_ error: StoreError) -> StoreError {
        failure = error
        return error
    }
}

extension StoreError {
    /// A keyspace that is not there, or not for users.
    package static func noSuchKeyspace(_ id: KeyspaceID) -> StoreError {
        StoreError(
            .noSuchKeyspace,
            "The store has no keyspace \(id) that takes this call: it was dropped, belongs to "
                + "another store, or is kept by the object layer.")
    }
}
