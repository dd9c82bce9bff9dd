import Locks
import SegmentLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The hold of one `Store` object on its directory, in this process and against others (4.7).
///
/// The truth is a `flock` on the file `lock`; the text in it (process number and name) only serves
/// the message to a process that finds it taken. Within a process, where a second lock of the same
/// file would say little, directories are distinguished by device and inode.
package final class StoreLock: Sendable {
    private static let held = Locked<Set<FileIdentity>>([])

    private let identity: FileIdentity
    /// Nil once it was released; inside nil where there is no file to lock.
    private let file: Locked<FileLock??>
    /// Whether the file system is read-only: then the lock may be missing, and names no holder.
    package let isReadOnly: Bool

    /// Takes the directory, or throws `.locked` with the holder.
    ///
    /// - Parameter mayBeReadOnly: whether a lock file that can't be written, or made, will do.
    package init(
        directory: String, fileSystem: FileSystem, mayBeReadOnly: Bool = false
    ) throws(StoreError) {
        let identity: FileIdentity
        do {
            identity = try fileSystem.identity(of: directory)
        } catch {
            throw StoreError(error)
        }
        guard Self.held.withLock({ $0.insert(identity).inserted }) else {
            throw StoreError(
                .locked,
                "This process has the store open already, by this or another path. Share its "
                    + "`Store` object, which may be used from any thread, or open the realm by the "
                    + "same path.", file: directory)
        }
        do throws(FileSystemError) {
            let taken = try Self.take(directory, fileSystem, mayBeReadOnly: mayBeReadOnly)
            self.identity = identity
            isReadOnly = taken.isReadOnly
            file = Locked(.some(taken.lock))
        } catch {
            _ = Self.held.withLock { $0.remove(identity) }
            guard let holder = error.lockHolder else { throw StoreError(error) }
            throw StoreError(
                .locked,
                "Another process has the store open: \(holder). Close it there first; it is the "
                    + "only one that may write.", file: directory)
        }
    }

    /// The lock of the directory's lock file with this process as its holder.
    private static func take(
        _ directory: String, _ fileSystem: FileSystem, mayBeReadOnly: Bool
    ) throws(FileSystemError) -> (lock: FileLock?, isReadOnly: Bool) {
        let path = directory + "/" + StoreFiles.lock
        let lock: FileLock
        do throws(FileSystemError) {
            lock = try fileSystem.lock(path)
        } catch {
            // Nobody can have locked a file that does not exist.
            guard mayBeReadOnly, error.isReadOnlyFileSystem, !fileSystem.exists(path) else {
                throw error
            }
            return (nil, true)
        }
        do throws(FileSystemError) {
            try lock.setHolder(
                "\(holderPrefix)\(getpid()) (\(CommandLine.arguments.first ?? "?"))")
        } catch {
            if mayBeReadOnly, error.isReadOnlyFileSystem { return (lock, true) }
            lock.release()
            throw error
        }
        return (lock, false)
    }

    private static let holderPrefix = "process "

    /// Whether a file that begins so is a lock that somebody held once: one of a store, not another
    /// program's.
    static func isHolderText(_ bytes: [UInt8]) -> Bool {
        guard bytes.starts(with: holderPrefix.utf8) else { return false }
        let rest = bytes.dropFirst(holderPrefix.utf8.count)
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        return !digits.isEmpty && rest.dropFirst(digits.count).starts(with: " (".utf8)
    }

    deinit { release() }

    /// Gives the directory up; does nothing the second time.
    package func release() {
        let isFirst = file.withLock { lock -> Bool in
            guard case .some(let held) = lock else { return false }
            held?.release()
            lock = .none
            return true
        }
        if isFirst {
            _ = Self.held.withLock { $0.remove(identity) }
        }
    }
}
