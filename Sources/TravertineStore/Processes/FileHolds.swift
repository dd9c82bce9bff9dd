import SegmentLog

/// Keeps the files of a store from being removed while something outside of the index reads them:
/// a backup, or a reader in another process that opens.
///
/// Whoever removes segments or page files does it inside `whileUnheld`; what is skipped then is
/// removed by the next attempt. A hold begins between two removals, never inside one.
final class FileHolds: @unchecked Sendable {
    private let monitor = Monitor()
    private var count = 0
    private var readers: ReaderTable?

    /// Looks at these readers too: while one of them opens, nothing goes.
    func watch(_ readers: ReaderTable?) { monitor.withLock { self.readers = readers } }

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
        if count > 0 || readers?.pins().contains(0) ?? false { return }
        try body()
    }

    /// Whether there is a hold.
    var isHeld: Bool { monitor.withLock { count > 0 } }

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
