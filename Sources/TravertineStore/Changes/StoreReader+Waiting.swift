import SegmentLog

/// Waiting for commits of a writer in another process (D-L11).
extension StoreReader {
    /// How often the file `lock` is looked at where nothing reports its changes, and where that may
    /// miss some: on a file system of another machine, or after the file was replaced.
    private static let pauseNanoseconds: UInt64 = 1_000_000_000

    /// Waits until `refresh()` may show a commit after the one with this LSN.
    ///
    /// The writer may be in another process. Only durable commits count: those of other levels
    /// come with the next sync. It may return for a commit that changed no key, as compaction
    /// makes, and for a part of a large transaction; `refresh()` then finds nothing new, and the
    /// next wait goes on. A change of the file `lock` wakes it, by inotify on Linux, and it looks
    /// once a second where changes are not reported.
    ///
    /// ```swift
    /// while true {
    ///     try await reader.waitForCommit(after: reader.lsn)
    ///     if try reader.refresh() { show(try reader.snapshot()) }
    /// }
    /// ```
    /// - Throws: `CancellationError` when the task is cancelled; `StoreError` with code `.closed`
    ///   when the reader is closed, `.io`, `.forked`, and `.misuse` for a reader of an earlier
    ///   commit.
    public func waitForCommit(after lsn: UInt64) async throws {
        let watch = LockFileWatch(of: self)
        try await wait(for: lsn, watch, pause: Self.pauseNanoseconds)
            .suspend(options.environment.executor, watch.begin)
    }

    /// Blocks the thread until `refresh()` may show a commit after the one with this LSN; false
    /// when that takes longer than `timeout`.
    ///
    /// The same as the asynchronous method, for threads of your own.
    /// - Throws: `.closed` when the reader is closed, `.io`, `.forked`; `.misuse` for one of an
    ///   earlier commit.
    @discardableResult
    public func waitForCommit(
        after lsn: UInt64, timeout: Duration? = nil
    ) throws(StoreError) -> Bool {
        try waitForCommit(after: lsn, timeout: timeout, pause: Self.pauseNanoseconds)
    }

    /// The same, looking without being woken after so many nanoseconds, or never.
    func waitForCommit(
        after lsn: UInt64, timeout: Duration?, pause: UInt64?
    ) throws(StoreError) -> Bool {
        let watch = LockFileWatch(of: self)
        return try wait(for: lsn, watch, pause: pause).block(timeout: timeout, watch.begin)
    }

    private func wait(
        for lsn: UInt64, _ watch: LockFileWatch, pause: UInt64?
    ) -> CommitWait {
        CommitWait(pause: pause) { () throws(StoreError) in
            watch.renew()
            return try self.mayShowCommit(after: lsn)
        }
    }
}

/// Watches the file `lock` of a store, and the end of its reader, for the length of a wait.
private final class LockFileWatch {
    private let path: String
    private let fileSystem: FileSystem
    private let closing: CommitSignal
    private var watch: FileWatch?
    private var subscription: CommitSignal.Subscription?

    init(of reader: StoreReader) {
        path = reader.path + "/" + StoreFiles.lock
        fileSystem = reader.options.environment.fileSystem
        closing = reader.closing
    }

    deinit { watch?.cancel() }

    func begin(_ body: @escaping @Sendable () -> Void) {
        subscription = closing.subscribe(body)
        watch = fileSystem.watch(path, body)
    }

    func renew() { watch?.renew() }
}
