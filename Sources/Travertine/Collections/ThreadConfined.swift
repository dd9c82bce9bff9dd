/// What belongs to a realm on one thread: objects, projections and collections.
public protocol ThreadConfined {
    /// The realm; nil for something unmanaged.
    var realm: Realm? { get }
    /// Whether it, or the object that it belongs to, was deleted.
    var isInvalidated: Bool { get }
    /// Whether it shows one state for ever.
    var isFrozen: Bool { get }
}

extension ThreadConfined {
    /// False: everything is live.
    public var isFrozen: Bool { false }
}
