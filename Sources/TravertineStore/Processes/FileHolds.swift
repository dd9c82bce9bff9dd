import SegmentLog

/// Keeps the files of a store from being removed while something outside of the index reads them:
/// a backup.
///
/// Whoever removes segments or page files does it inside `whileUnheld`; what is skipped then is
/// removed by the next attempt. A hold begins between two removals, never inside one.
final class FileHolds: @unchecked Sendable {
    private let monitor = Monitor()
    private var count = 0

    /// Begins a hold; waits for a removal in progress.
    func hold() { monitor.withLock { count += 1 } }

    /// Ends a hold.
    func release() {
        monitor.withLock {
            count -= 1
            monitor.broadcast()
        }
    }

    /// Runs a removal, and lets no hold begin meanwhile; does nothing while there is a hold.
    func whileUnheld<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) {
        monitor.lock()
        defer { monitor.unlock() }
        if count == 0 { try body() }
    }

    /// Waits until there is no hold.
    func waitUntilUnheld() {
        monitor.withLock { while count > 0 { monitor.wait() } }
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
