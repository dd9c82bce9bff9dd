import SegmentLog

/// The version that a transaction began with.
extension WriteTransaction {
    /// A snapshot of what the transaction began with.
    ///
    /// The commit before it may wait for its sync and be visible to nobody yet: then this waits for
    /// it, too. Nobody else can commit in the meantime.
    ///
    /// - Throws: what that sync fails with.
    package func snapshotBefore() throws(StoreError) -> Snapshot {
        try checkActive()
        let snapshot = try store.snapshot()
        if snapshot.lsn >= store.committedLSN.rawValue { return snapshot }
        try store.waitUntilDurable(store.committedLSN)
        return try store.snapshot()
    }
}
