import SegmentLog

/// Waiting for commits of this process (D-L6 to D-L10).
extension Store {
    /// Waits until a snapshot shows a commit after the one with this LSN.
    ///
    /// A commit counts when it can be seen: one of level `.commit` when it is durable. Those of
    /// compaction and other work in the background change no key, and don't count. Costs the
    /// threads that commit one call each, as long as somebody waits.
    ///
    /// ```swift
    /// var snapshot = try store.snapshot()
    /// while true {
    ///     try await store.waitForCommit(after: snapshot.lsn)
    ///     let newer = try store.snapshot()
    ///     let changes = try newer.changes(since: snapshot)
    ///     // …
    ///     snapshot = newer
    /// }
    /// ```
    /// - Throws: `CancellationError` when the task is cancelled; `StoreError` with code `.closed`
    ///   when the store is closed, `.poisoned` when a sync failed, so that there will be no commit,
    ///   `.forked`.
    public func waitForCommit(after lsn: UInt64) async throws {
        try await wait(for: lsn).suspend(options.environment.executor, subscribe)
    }

    /// Blocks the thread until a snapshot shows a commit after the one with this LSN; false when
    /// that takes longer than `timeout`.
    ///
    /// The same as the asynchronous method, for threads of your own. Don't block the threads of
    /// Swift's concurrency, or a queue that the committing code needs.
    /// - Throws: `.closed` when the store is closed, `.poisoned` when a sync failed, `.forked`;
    ///   `.misuse` inside a write transaction of the same thread, in an event handler, and in the
    ///   callback of a compaction's or a backup's progress, which all would wait for themselves.
    @discardableResult
    public func waitForCommit(
        after lsn: UInt64, timeout: Duration? = nil
    ) throws(StoreError) -> Bool {
        try checkUsable()
        try gate.checkNotInside()
        try eventCallbacks.checkNotInside()
        try progressCallbacks.checkNotInside()
        try compaction.checkNotInCallback()
        return try wait(for: lsn).block(timeout: timeout, subscribe)
    }

    /// The LSN of the newest commit that changed a key and may be seen.
    package var newestChange: UInt64 { pipeline.newestChange.rawValue }

    private func subscribe(
        _ body: @escaping @Sendable () -> Void
    ) -> CommitSignal.Subscription {
        commitSignal.subscribe(body)
    }

    private func wait(for lsn: UInt64) -> CommitWait {
        CommitWait { () throws(StoreError) in
            try self.checkUsable()
            if self.pipeline.newestChange.rawValue > lsn { return true }
            try self.checkNotPoisoned()
            return false
        }
    }

    /// Throws `.poisoned` after a failed sync.
    func checkNotPoisoned() throws(StoreError) {
        guard log.isPoisoned else { return }
        throw StoreError(
            .poisoned,
            "An earlier sync failed, so that what is on the disk is unknown. Close the store and "
                + "open it again; opening finds out what was kept.", file: path)
    }
}
