#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A call to the file system that failed: what was tried, on which file, and the system's reason.
public struct FileSystemError: Error, Hashable, Sendable {
    /// The operation that failed, as a verb: `open`, `write`, `sync`.
    public var operation: String
    /// The file or directory.
    public var path: String
    /// Where in the file, for reads and writes.
    public var offset: UInt64?
    /// The `errno` value; 0 when the failure is not the system's.
    public var code: Int32
    /// The reason, in words.
    public var message: String

    /// An error with the system's text for `code`.
    public init(operation: String, path: String, offset: UInt64? = nil, code: Int32) {
        self.init(
            operation: operation, path: path, offset: offset, code: code,
            message: String(cString: strerror(code)))
    }

    /// An error with a custom text.
    public init(
        operation: String, path: String, offset: UInt64? = nil, code: Int32, message: String
    ) {
        self.operation = operation
        self.path = path
        self.offset = offset
        self.code = code
        self.message = message
    }

    /// True when the disk, or the quota, is full.
    public var isNoSpace: Bool { code == ENOSPC || code == EDQUOT }
    /// True when the file or directory does not exist.
    public var isNotFound: Bool { code == ENOENT }
    /// True when something of that name exists already.
    public var isExisting: Bool { code == EEXIST }
    /// True when the caller may not do this.
    public var isPermissionDenied: Bool { code == EACCES || code == EPERM || code == EROFS }
    /// True when the file system lets nobody write.
    public var isReadOnlyFileSystem: Bool { code == EROFS }
    /// True when the process, or the system, has no memory or no descriptor left: it says nothing
    /// about the file.
    public var isLackOfResources: Bool { isOutOfMemory || isTooManyOpenFiles }

    /// Whether the process, or the system, may not have more files open.
    public var isTooManyOpenFiles: Bool { code == EMFILE || code == ENFILE }

    /// Whether the system had no memory, or no address space.
    public var isOutOfMemory: Bool { code == ENOMEM }
    /// True when the path, or a part of it, is not a directory.
    public var isNotDirectory: Bool { code == ENOTDIR }
    /// True when what was to be opened is a directory, a pipe, a socket or a device.
    public var isNoFile: Bool { code == EISDIR || code == EINVAL && operation == "open" }
    /// True when another process, or another opening, holds the lock.
    public var isLocked: Bool { operation == "lock" && (code == EWOULDBLOCK || code == EAGAIN) }
    /// What the holder of the lock wrote into the lock file; for `isLocked`.
    public var lockHolder: String? { isLocked ? message : nil }
}

extension FileSystemError: CustomStringConvertible {
    /// One line: what failed, where, and why.
    public var description: String {
        let place = offset.map { " at offset \($0)" } ?? ""
        return "\(operation) of \(path)\(place) failed: \(message) (\(code))"
    }
}
