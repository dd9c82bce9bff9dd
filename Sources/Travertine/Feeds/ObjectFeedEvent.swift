import TravertineStore

/// What a feed of objects shows its consumer, in order.
///
/// Each part ends with `.reached`, and brings the consumer from one state of the realm to another.
/// What came after the last `.reached` does not count if `read` throws an error.
public enum ObjectFeedEvent: Sendable {
    /// What follows up to `.reached` is all that the realm holds. Objects that the consumer has of
    /// the feed, and that don't come now, are gone; but for asymmetric ones, which it keeps.
    case snapshot(FeedSnapshotReason)
    /// The types from now on: before the first object, and when they changed.
    case schema([FeedType])
    /// An object that was added or changed.
    case put(FeedObject)
    /// An object that was deleted.
    case delete(DeletedFeedObject)
    /// The consumer has all up to here.
    case reached(FeedPosition)
}

/// An object as a feed shows it.
public struct FeedObject: Sendable {
    /// Its type.
    public let type: FeedType
    /// The number that it has in its type, and keeps as long as it is there. One that counts up
    /// is given to one object only; see `FeedType.hasIntegerKeys`.
    public let key: UInt64
    /// Its values under their stored names, in the order of `FeedType.properties`, embedded
    /// objects among them.
    ///
    /// A link to another object is that object's primary key; to one without primary key it is its
    /// type with the number that it has there.
    public let document: StoredDocument

    /// The value of the primary key; nil if the type has none.
    public var primaryKey: StoredValue? {
        type.properties.firstIndex(where: \.isPrimaryKey).map { document.fields[$0].value }
    }
}

/// A deleted object as a feed shows it.
public struct DeletedFeedObject: Sendable {
    /// Its type.
    public let type: FeedType
    /// The number that it had in its type.
    public let key: UInt64

    /// Its primary key, where it follows from `key`: an integer that is never null. Otherwise
    /// nobody knows it any more, and consumers find the object by `key`.
    public var primaryKey: StoredValue? {
        type.hasIntegerKeys ? .int(StoredObjectType.primaryKey(ofObjectKey: key)) : nil
    }
}
