import TravertineStore

/// The version that a session shows: that of a snapshot, or of its open write transaction.
struct ShownVersion {
    private(set) var snapshot: Snapshot?
    private(set) var transaction: WriteTransaction?
    /// The snapshot and the transaction, for uses that end before these do: nothing is counted.
    private(set) var shown: Unmanaged<Snapshot>?
    private(set) var open: Unmanaged<WriteTransaction>?
    /// The frozen session of the snapshot, once it was frozen; not for a frozen one.
    var frozenCopy: RealmSession?
    /// The stored types of the snapshot in a read-only realm, once they were asked for.
    var types: StoredTypes?

    init(_ snapshot: Snapshot? = nil) { show(snapshot) }

    /// Shows a snapshot, or none until the next read; a transaction stays open.
    mutating func show(_ snapshot: Snapshot?) {
        self.snapshot = snapshot
        shown = snapshot.map { Unmanaged.passUnretained($0) }
        frozenCopy = nil
        types = nil
    }

    /// Shows an open transaction, or ends that.
    mutating func write(_ transaction: WriteTransaction?) {
        self.transaction = transaction
        open = transaction.map { Unmanaged.passUnretained($0) }
        show(nil)
    }
}
