/// How a read treats checksums.
public struct ReadOptions: Sendable, Hashable {
    /// Whether the record's checksum is verified before its value is shown.
    public var verifyChecksums: Bool

    /// Options with or without verification.
    @inlinable
    public init(verifyChecksums: Bool) { self.verifyChecksums = verifyChecksums }

    /// Verified: what copying reads do.
    @inlinable
    public static var verified: ReadOptions { ReadOptions(verifyChecksums: true) }
    /// Not verified: what zero-copy reads do by default.
    @inlinable
    public static var unverified: ReadOptions { ReadOptions(verifyChecksums: false) }
}
