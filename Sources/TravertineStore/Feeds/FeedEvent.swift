/// What a feed shows its consumer, in order.
///
/// Each part ends with `.reached`. A consumer applies what comes up to there, and acknowledges it
/// or stores the position with it. What came after the last `.reached` does not count if
/// `.snapshot` or `.difference` follows, or `read` throws an error.
public enum FeedEvent: Sendable, Hashable {
    /// What follows up to `.reached` is all that the store holds. What the consumer has of the
    /// feed, and does not come now, is gone.
    case snapshot(FeedSnapshotReason)
    /// What follows up to `.reached` is the difference of two states: changes of several
    /// transactions, each key once.
    case difference
    /// A key that was put or deleted.
    case change(FeedChange)
    /// The end of a transaction, a snapshot or a difference: the consumer has all up to here.
    case reached(FeedPosition)
}

/// A key that was put or deleted.
public struct FeedChange: Sendable, Hashable {
    /// The keyspace.
    public var keyspace: Keyspace
    /// The key.
    public var key: [UInt8]
    /// The value that was put; nil if the key was deleted.
    public var value: [UInt8]?
    /// In a difference the value before; nil where there was none, or it is not known, as in a
    /// transaction.
    public var oldValue: [UInt8]?
}

/// Why a feed begins with a snapshot.
public enum FeedSnapshotReason: String, Sendable, Hashable, Codable, CaseIterable {
    /// The feed is new, or its first snapshot was never acknowledged.
    case new
    /// The log does not have what was not acknowledged any more: it was more, or older, than the
    /// feed keeps (`FeedOptions`).
    case fellBehind
    /// The position is none in the history of this store: it was put back to an older state, or the
    /// position comes from another copy that went on by itself.
    case otherHistory
    /// The feed was read for other types of objects before, or for keys.
    case otherTypes
    /// Asymmetric objects that were added after the position are gone: other consumers had
    /// acknowledged them, and this one was not waited for, or has gone back to older data.
    case missedObjects
}

/// What a feed keeps, and for how long.
public struct FeedOptions: Sendable, Hashable {
    /// How many bytes of log after the acknowledged position compaction leaves as they are, up to
    /// the newest segment, which it leaves alone anyway.
    public var maximumByteCount: Int = 1 << 30
    /// For how long they are kept when nobody reads the feed.
    public var maximumAge: Duration = .seconds(7 * 24 * 3600)

    /// The defaults: 1 GiB and seven days.
    public init() {}
}

/// What is known of a feed from outside.
public struct FeedStatistics: Sendable, Codable {
    /// Its name.
    public var name: String
    /// The LSN up to which its consumer has acknowledged everything; 0 if that is nothing.
    public var acknowledgedLSN: UInt64
    /// Whether the consumer has acknowledged a snapshot.
    public var hasSnapshot: Bool
    /// Bytes of log after that, up to the newest segment.
    public var unacknowledgedByteCount: Int
    /// Whether these are kept from compaction: not beyond the bounds of the feed.
    public var isKept: Bool
    /// When it was last read or acknowledged, in seconds since 1970.
    public var lastUse: UInt64
}
