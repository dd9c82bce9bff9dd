/// What the block of an observed collection is notified of.
public enum RealmCollectionChange<CollectionType> {
    /// The observation has begun; the collection shows its first state.
    case initial(CollectionType)
    /// The collection differs from what was reported before.
    ///
    /// Deletions and modifications are positions as of before, insertions positions as of now, all
    /// ascending. An element that was moved is among the deletions and the insertions.
    case update(
        CollectionType, deletions: [Int], insertions: [Int], modifications: [Int])
    /// The realm could not be opened on the queue or actor that was named; nothing more is
    /// reported.
    case error(any Error)
}

/// What the block of an observed map is notified of.
public enum RealmMapChange<MapType: RealmKeyedCollection> {
    /// The observation has begun; the map shows its first state.
    case initial(MapType)
    /// The map differs from what was reported before. The keys are in the order of their bytes.
    case update(
        MapType, deletions: [MapType.Key], insertions: [MapType.Key],
        modifications: [MapType.Key])
    /// The realm could not be opened on the queue or actor that was named; nothing more is
    /// reported.
    case error(any Error)
}

/// What the block of an observed object is notified of.
public enum ObjectChange<ObjectType> {
    /// The realm could not be opened on the queue or actor that was named; nothing more is
    /// reported.
    case error(any Error)
    /// Properties of the object differ from what was reported before.
    case change(ObjectType, [PropertyChange])
    /// The object was deleted; nothing more is reported.
    case deleted
}

/// A property of an observed object that changed.
public struct PropertyChange {
    /// The name of the property.
    public let name: String
    /// The value before; nil for collections, which only show the newest state, and for a linked
    /// object that was deleted since.
    public let oldValue: Any?
    /// The value now; nil for null, and for collections.
    public let newValue: Any?
}

/// A property of an observed projection that changed.
public typealias ProjectedPropertyChange = PropertyChange

extension CollectionReport {
    /// The change as a block of a collection is notified of it.
    func change<Base>(of collection: Base) -> RealmCollectionChange<Base> {
        switch self {
        case .initial: .initial(collection)
        case .update(let difference):
            .update(
                collection, deletions: difference.deletions, insertions: difference.insertions,
                modifications: difference.modifications)
        }
    }
}

extension RealmCollectionChange: ObservedChange {
    static func report(_ error: any Error, to block: (Self) -> Void) { block(.error(error)) }
}

extension RealmMapChange: ObservedChange {
    static func report(_ error: any Error, to block: (Self) -> Void) { block(.error(error)) }
}

extension ObjectChange: ObservedChange {
    static func report(_ error: any Error, to block: (Self) -> Void) { block(.error(error)) }
    static func reportDeleted(to block: (Self) -> Void) { block(.deleted) }
}
