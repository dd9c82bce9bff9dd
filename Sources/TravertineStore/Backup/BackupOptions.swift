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
        /// A separate copy.
        case copy
    }

    /// How files get there; each falls back on the next one.
    public var method: Method
    /// At most so many bytes are copied in a second; nil sets no limit.
    public var bytesPerSecond: Int?
    /// The key of an encrypted store, for backups that are made, restored or looked at without an
    /// open store. A backup has the key of its store.
    public var encryptionKey: EncryptionKey?
    /// Waits for a number of nanoseconds: tests put another clock here.
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
