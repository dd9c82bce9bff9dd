#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A type with the type that it is stored as: its own, or another.
public protocol _HasPersistedType {
    /// The type of what is stored.
    associatedtype PersistedType = Self
    /// The value that is made of a stored one; nil if there is none.
    static func _value(ofPersisted stored: PersistedType) -> Self?
    /// What is stored for the value.
    var _persisted: PersistedType { get }
}

/// What is stored of most types are the values themselves.
extension _HasPersistedType where PersistedType == Self {
    /// The value itself.
    public static func _value(ofPersisted stored: Self) -> Self? { stored }
    /// The value itself.
    public var _persisted: Self { self }
}

extension Int: _HasPersistedType {}
extension Int8: _HasPersistedType {}
extension Int16: _HasPersistedType {}
extension Int32: _HasPersistedType {}
extension Int64: _HasPersistedType {}
extension Bool: _HasPersistedType {}
extension Float: _HasPersistedType {}
extension Double: _HasPersistedType {}
extension String: _HasPersistedType {}
extension Data: _HasPersistedType {}
extension Date: _HasPersistedType {}
extension UUID: _HasPersistedType {}
extension ObjectId: _HasPersistedType {}
extension Decimal128: _HasPersistedType {}
extension AnyRealmValue: _HasPersistedType {}

extension Optional: _HasPersistedType where Wrapped: _HasPersistedType {
    /// What is stored of the value, or nil.
    public typealias PersistedType = Wrapped.PersistedType?

    /// The value that is made of a stored one; that of nil is nil.
    public static func _value(ofPersisted stored: Wrapped.PersistedType?) -> Wrapped?? {
        guard let stored else { return .some(nil) }
        return Wrapped._value(ofPersisted: stored).map { .some($0) }
    }

    /// What is stored of the value, or nil.
    public var _persisted: Wrapped.PersistedType? { map(\._persisted) }
}
