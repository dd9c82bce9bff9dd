import SegmentLog
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The hold of one `Store` object on its directory, in this process and against others (P22).
///
/// The truth is a `flock` on the file `lock`; the text in it (process number and name) only serves
/// the message to whoever finds it taken. Within a process, where a second lock of the same file
/// would say little, directories are told apart by device and inode.
final class StoreLock: Sendable {
    private static let held = Mutex<Set<FileIdentity>>([])

    private let identity: FileIdentity
    private let file: Mutex<FileLock?>

    /// Takes the directory, or throws `.locked` with the holder.
    init(directory: String, fileSystem: FileSystem) throws(StoreError) {
        let identity: FileIdentity
        do {
            identity = try fileSystem.identity(of: directory)
        } catch {
            throw StoreError(error)
        }
        guard Self.held.withLock({ $0.insert(identity).inserted }) else {
            throw StoreError(
                .locked,
                "This process has the store open already. Share that `Store` object; it may be "
                    + "used from any thread.", file: directory)
        }
        do throws(FileSystemError) {
            let lock = try fileSystem.lock(directory + "/" + StoreFiles.lock)
            do throws(FileSystemError) {
                try lock.setHolder("process \(getpid()) (\(CommandLine.arguments.first ?? "?"))")
            } catch {
                lock.release()
                throw error
            }
            self.identity = identity
            file = Mutex(lock)
        } catch {
            _ = Self.held.withLock { $0.remove(identity) }
            guard let holder = error.lockHolder else { throw StoreError(error) }
            throw StoreError(
                .locked,
                "Another process has the store open: \(holder). Close it there first; it is the "
                    + "only one that may write.", file: directory)
        }
    }

    deinit { release() }

    /// Gives the directory up; does nothing the second time.
    func release() {
        let isFirst = file.withLock { lock -> Bool in
            guard let held = lock else { return false }
            held.release()
            lock = nil
            return true
        }
        if isFirst {
            _ = Self.held.withLock { $0.remove(identity) }
        }
    }
}
