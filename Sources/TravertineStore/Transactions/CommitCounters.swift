import Locks

/// Counts commits and how long they took.
final class CommitCounters: Sendable {
    private struct State {
        var commits = LatencyHistogram()
        var byteCount: UInt64 = 0
        var isPoisoned = false
    }

    private let state = Locked(State())

    /// The latencies of commits, the wait for the sync included.
    var commits: LatencyHistogram { state.withLock { $0.commits } }

    /// Bytes of log that the commits wrote, headers included.
    var byteCount: UInt64 { state.withLock { $0.byteCount } }

    /// Counts a commit.
    func noteCommit(nanoseconds: UInt64, byteCount: Int) {
        state.withLock { state in
            state.commits.add(nanoseconds)
            state.byteCount += UInt64(byteCount)
        }
    }

    /// Remembers that a sync failed; true the first time.
    func notePoisoned() -> Bool {
        state.withLock { state in
            defer { state.isPoisoned = true }
            return !state.isPoisoned
        }
    }
}
