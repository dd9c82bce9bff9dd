import Dispatch
import Locks
import TravertineStore

/// Follows the commits of the process that writes, for the realms of this one that only read
/// (Live 3, T-L7).
///
/// While something is observed on a queue or an actor, one thread waits for durable commits, reads
/// them, and calls the subscribers of `signal`, as a commit of this process does. It does not keep
/// the `SharedStore`, which ends it.
final class ReaderFollower: Sendable {
    /// Called after the reader has moved to newer commits.
    let signal = CommitSignal()
    private let reader: StoreReader

    private struct State {
        var isFollowing = false
        var isEnded = false
    }

    private let state = Locked(State())
    /// Signalled at the end: wakes the thread where it rests after a failure.
    private let ending = DispatchSemaphore(value: 0)
    /// How often it looks whether somebody is subscribed.
    private static let pause = Duration.seconds(1)

    init(_ reader: StoreReader) { self.reader = reader }

    /// Calls `body` after commits from now on, as long as the subscription lives.
    func subscribe(_ body: @escaping @Sendable () -> Void) -> CommitSignal.Subscription {
        let subscription = signal.subscribe(body)
        state.withLock { state in
            if state.isFollowing || state.isEnded { return }
            state.isFollowing = true
            let known = (lsn: reader.lsn, change: reader.newestChange)
            // Not a task: programs may block all threads of Swift's concurrency.
            DispatchQueue(label: "travertine.following").async { [self] in follow(from: known) }
        }
        return subscription
    }

    /// Whether its thread runs.
    var isFollowing: Bool { state.withLock { $0.isFollowing } }

    /// Ends it. The reader is closed next, which wakes the thread if it waits for commits.
    func end() {
        state.withLock { $0.isEnded = true }
        ending.signal()
    }

    /// Whether nobody is called any more; then the next subscription begins anew.
    private func isDone() -> Bool {
        state.withLock { state in
            if !state.isEnded && signal.isSubscribed { return false }
            state.isFollowing = false
            return true
        }
    }

    private func follow(from first: (lsn: UInt64, change: UInt64)) {
        var known = first
        while !isDone() {
            do {
                let isThere = try reader.waitForCommit(after: known.lsn, timeout: Self.pause)
                guard isThere else { continue }
                try reader.refresh()
            } catch {
                if error.code == .closed {
                    end()
                    continue
                }
                // The realms find the same failure, and report it.
                signal.callAll()
                // What took the store's place is never followed.
                if error.code == .wrongStore {
                    end()
                    continue
                }
                _ = ending.wait(timeout: .now() + 1)
                continue
            }
            known.lsn = reader.lsn
            let change = reader.newestChange
            // The writer has compacted.
            if change == known.change { continue }
            known.change = change
            signal.callAll()
        }
    }
}
