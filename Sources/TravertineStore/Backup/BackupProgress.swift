#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// How far a backup, or a restore, has come.
public struct BackupProgress: Sendable {
    /// Bytes done: linked, cloned or copied.
    public var byteCount: UInt64
    /// Bytes in all.
    public var totalByteCount: UInt64
}
