/// A type that the keys of a `Map` can have: `String`.
public protocol _MapKey: Hashable, Sendable {
    /// The key as text.
    var _text: String { get }
    /// The key with this text.
    init(_text: String)
}

extension String: _MapKey {
    /// The key itself.
    public var _text: String { self }
    /// The key itself.
    public init(_text: String) { self = _text }
}
