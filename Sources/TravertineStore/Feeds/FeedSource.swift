import SegmentLog

/// Whose log a feed reads: that of the process which writes the store, or of a reader beside it.
enum FeedSource {
    case store(Store)
    case reader(StoreReader)

    var path: String {
        switch self {
        case .store(let store): store.path
        case .reader(let reader): reader.path
        }
    }

    var environment: Environment {
        switch self {
        case .store(let store): store.options.environment
        case .reader(let reader): reader.options.environment
        }
    }

    var identity: StoreIdentity {
        switch self {
        case .store(let store): store.log.identity
        case .reader(let reader): reader.identity
        }
    }

    /// - Throws: `.forked` in a child of `fork`.
    func checkProcess() throws(StoreError) {
        switch self {
        case .store(let store): try store.checkProcess()
        case .reader(let reader): try reader.checkProcess()
        }
    }

    /// The newest commit, which is durable.
    ///
    /// - Throws: `.closed`, `.poisoned`, and what `sync` and `refresh` throw.
    func newest() throws(StoreError) -> Snapshot {
        switch self {
        case .store(let store):
            let snapshot = try store.snapshot()
            if snapshot.lsn > store.durableLSN { try store.waitUntilDurable(snapshot.lsn) }
            return snapshot
        case .reader(let reader):
            try reader.refresh()
            return try reader.snapshot()
        }
    }

    func wait(after lsn: UInt64, timeout: Duration?) throws(StoreError) -> Bool {
        switch self {
        case .store(let store): try store.waitForCommit(after: lsn, timeout: timeout)
        case .reader(let reader): try reader.waitForCommit(after: lsn, timeout: timeout)
        }
    }

    nonisolated(nonsending) func wait(after lsn: UInt64) async throws {
        switch self {
        case .store(let store): try await store.waitForCommit(after: lsn)
        case .reader(let reader): try await reader.waitForCommit(after: lsn)
        }
    }
}
