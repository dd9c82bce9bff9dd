#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A type with the type that it is stored as: its own, or another.
public protocol _HasPersistedType {
    /// The type of what is stored.
    associatedtype PersistedType
    /// The value that is made of a stored one; nil if there is none.
    static func _value(ofPersisted stored: PersistedType) -> Self?
    /// What is stored for the value.
    var _persisted: PersistedType { get }
}

/// A type whose values are stored as they are. Public, and not an extension of `_HasPersistedType`:
/// with that the compiler (6.3) does not find the `PersistedType` of enums.
public protocol _StoredAsItself: _HasPersistedType where PersistedType == Self {}

extension _StoredAsItself {
    /// The value itself.
    public static func _value(ofPersisted stored: Self) -> Self? { stored }
    /// The value itself.
    public var _persisted: Self { self }
}

extension Int: _StoredAsItself {}
extension Int8: _StoredAsItself {}
extension Int16: _StoredAsItself {}
extension Int32: _StoredAsItself {}
extension Int64: _StoredAsItself {}
extension Bool: _StoredAsItself {}
extension Float: _StoredAsItself {}
extension Double: _StoredAsItself {}
extension String: _StoredAsItself {}
extension Data: _StoredAsItself {}
extension Date: _StoredAsItself {}
extension UUID: _StoredAsItself {}
extension ObjectId: _StoredAsItself {}
extension Decimal128: _StoredAsItself {}
extension AnyRealmValue: _StoredAsItself {}

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
