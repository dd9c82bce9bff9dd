import Locks
import SegmentLog

/// Keeps the files of a store from being removed while something outside of the index reads them:
/// a backup, or a reader in another process that opens.
///
/// Every removal of segments or page files is inside `whileUnheld`; what is skipped then is
/// removed by the next attempt. A hold begins between two removals, never inside one.
final class DeletionGuard: @unchecked Sendable {
    private let monitor = Monitor()
    private var count = 0
    /// Whether a removal was skipped since the first of the holds that there are.
    private var hasSkipped = false
    private var readers: ReaderTable?

    /// Looks at these readers too: while one of them opens, nothing goes.
    func watch(_ readers: ReaderTable?) { monitor.withLock { self.readers = readers } }

    /// Begins a hold; waits for a removal in progress.
    func hold() { monitor.withLock { count += 1 } }

    /// Ends a hold. True if a removal was skipped that nothing holds up any more: the caller asks
    /// for another attempt.
    func release() -> Bool {
        monitor.withLock {
            count -= 1
            monitor.broadcast()
            guard count == 0 else { return false }
            defer { hasSkipped = false }
            return hasSkipped
        }
    }

    /// Runs a removal, and lets no hold begin during it; does nothing while there is a hold.
    func whileUnheld<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) {
        monitor.lock()
        defer { monitor.unlock() }
        if count > 0 {
            hasSkipped = true
            return
        }
        if readers?.pins().contains(where: { $0.lsn == 0 }) ?? false { return }
        try body()
    }

    /// Whether there is a hold.
    var isHeld: Bool { monitor.withLock { count > 0 } }

    /// Waits until there is no hold.
    func waitUntilUnheld() {
        monitor.withLock { while count > 0 { monitor.wait() } }
    }
}

extension Store {
    /// Ends a hold, and has removed in the background what it alone kept.
    func endHold() {
        guard checkpoints.holds.release() else { return }
        options.environment.executor.submit { [handle] in
            guard let store = handle.target, !store.closing.load(ordering: .relaxed) else { return }
            store.checkpoints.removeUnneededFiles()
        }
        scheduleCompaction()
    }
}

extension CheckpointKeeper {
    /// Removes page files that nothing needs, unless something outside of the index reads them.
    func removeUnneededFiles(includingThoseInMemory: Bool = false) {
        holds.whileUnheld {
            removeUnneededFilesUnheld(includingThoseInMemory: includingThoseInMemory)
        }
    }
}
