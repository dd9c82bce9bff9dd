import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// How files come into a backup, or out of one.
public struct BackupOptions: Sendable {
    /// Ways for a file to get to another directory.
    public enum Method: String, Sendable, CaseIterable {
        /// A second name for the same file where the file system can; else as `clone`.
        ///
        /// Costs nothing, and protects from what happens to the store, but not from a bad block.
        case link
        /// A new file that shares blocks where the file system can (Btrfs, XFS, APFS); else a copy.
        case clone
        /// A copy of its own.
        case copy
    }

    /// How files get there; each falls back on the next one.
    public var method: Method
    /// At most so many bytes are copied in a second; nil sets no limit.
    public var bytesPerSecond: Int?
    /// Waits for a number of nanoseconds: tests put a clock of their own here.
    package var sleep: @Sendable (UInt64) -> Void = { nanoseconds in
        var time = timespec(
            tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        nanosleep(&time, nil)
    }

    /// Options with a method and a limit.
    public init(method: Method = .link, bytesPerSecond: Int? = nil) {
        self.method = method
        self.bytesPerSecond = bytesPerSecond
    }
}

/// What a backup, or a restore, did.
public struct BackupReport: Sendable, Codable, Equatable {
    /// The LSN of the newest commit in the backup.
    public var lsn: UInt64 = 0
    /// Files of the backup.
    public var fileCount = 0
    /// Bytes of all files of the backup.
    public var byteCount: UInt64 = 0
    /// Files that were there already, from an earlier backup into the same directory.
    public var reusedFileCount = 0
    /// Files that got a second name.
    public var linkedFileCount = 0
    /// Files that share blocks.
    public var clonedFileCount = 0
    /// Files that were copied.
    public var copiedFileCount = 0
    /// Bytes that were copied.
    public var copiedByteCount: UInt64 = 0
}

/// How far a backup, or a restore, has come.
public struct BackupProgress: Sendable {
    /// Bytes done: linked, cloned or copied.
    public var byteCount: UInt64
    /// Bytes in all.
    public var totalByteCount: UInt64
}
