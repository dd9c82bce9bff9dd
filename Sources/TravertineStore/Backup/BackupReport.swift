#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

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
