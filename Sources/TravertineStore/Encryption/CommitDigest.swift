import SegmentLog

/// What identifies a commit of an encrypted store, to be kept elsewhere: with it a later state of
/// the store is distinguished from one that somebody put back (Format 9.1).
///
/// It says nothing of the contents, and nobody without the key can make one.
public struct CommitDigest: Hashable, Sendable, Codable {
    /// The log sequence number of the commit.
    public let lsn: UInt64
    /// 16 bytes that are derived from the key, the store and the commit.
    public let bytes: [UInt8]

    /// A digest that was kept.
    public init(lsn: UInt64, bytes: [UInt8]) {
        self.lsn = lsn
        self.bytes = bytes
    }
}

extension Store {
    /// The digest of the newest durable commit.
    ///
    /// Reads the batches of one segment. Any thread that is not inside a write transaction.
    ///
    /// - Throws: `.misuse` for a store that is not encrypted, or has no commit; `.io`, `.damaged`.
    public func commitDigest() throws(StoreError) -> CommitDigest {
        let lsn = log.durableLSN
        guard let digest = try digest(of: lsn) else {
            throw StoreError(.misuse, "The store has no commit yet.", file: path)
        }
        return digest
    }

    /// Whether the store has a commit that had a digest; nil if the log does not have that commit
    /// any more, because compaction has removed it: keep newer digests.
    ///
    /// False means that this is an older state of the store, or one that goes on from an older
    /// state.
    ///
    /// - Throws: as `commitDigest`.
    public func contains(_ digest: CommitDigest) throws(StoreError) -> Bool? {
        let lsn = LSN(rawValue: digest.lsn)
        if lsn > log.durableLSN { return false }
        return try self.digest(of: lsn).map { $0 == digest }
    }

    private func digest(of lsn: LSN) throws(StoreError) -> CommitDigest? {
        try checkUsable()
        try loadOlderSegments()
        checkpoints.holds.hold()
        defer { endHold() }
        let found: [UInt8]?
        do throws(LogError) {
            found = try log.batchHeaderBytes(of: lsn)
        } catch {
            throw StoreError(error)
        }
        guard let found else { return nil }
        guard let bytes = options.environment.fileSystem.digest(of: found) else {
            throw StoreError(
                .misuse, "Only encrypted stores have digests of commits.", file: path)
        }
        return CommitDigest(lsn: lsn.rawValue, bytes: bytes)
    }
}
