import TravertineStore

// Types that a `@Persisted` property can't have, for which the compiler says which one can: an
// unavailable conformance carries a message, where a missing one is only said to be missing.
// Types that somebody might make a `CustomPersistable` (`URL`, `UInt`, `CGFloat`) have none: there
// can be only one conformance.

/// A type that no property can have. Nothing calls its members; they are public because the
/// unavailable conformances are.
public protocol _UnsupportedProperty: _Persistable {}

extension _UnsupportedProperty {
    /// Never called.
    public static var _storedType: _StoredType { unavailableHere() }
    /// Never called.
    public static func _defaultValue() -> Self { unavailableHere() }
    /// Never called.
    public static func _read(_ object: ObjectBase, _ fieldOffset: _FieldOffset) -> Self {
        unavailableHere()
    }
    /// Never called.
    public static func _readCold(_ object: ObjectBase, _ offset: Int) -> Self { unavailableHere() }
    /// Never called.
    public static func _assign(_ value: Self, to object: ObjectBase, at offset: Int) {
        unavailableHere()
    }
    /// Never called.
    public static func _encode(
        _ storage: UnsafeMutableRawPointer, of object: ObjectBase, into encoder: _RowEncoder,
        slot: Int
    ) {
        unavailableHere()
    }
    /// Never called.
    public static func _any(_ object: ObjectBase, _ offset: Int) -> Any? { unavailableHere() }
    /// Never called.
    public static func _assign(any value: Any?, to object: ObjectBase, at offset: Int) -> Bool {
        unavailableHere()
    }
    /// Never called.
    public static func _withDefault(
        _ storage: UnsafeMutableRawPointer, _ body: (_RawValue) -> Void
    ) {
        unavailableHere()
    }
}

@available(*, unavailable, message: "a link can be nil: make it optional, as in `Dog?`")
extension ObjectBase: _UnsupportedProperty, _Persistable {}

@available(*, unavailable, message: "declare a list, as in `List<Int>`")
extension Array: _UnsupportedProperty, _Persistable {}

@available(*, unavailable, message: "declare a set, as in `MutableSet<Int>`")
extension Set: _UnsupportedProperty, _Persistable {}

@available(*, unavailable, message: "declare a map, as in `Map<String, Int>`")
extension Dictionary: _UnsupportedProperty, _Persistable {}

@available(*, unavailable, message: "declare `@Persisted(originProperty:)` LinkingObjects")
extension Results: _UnsupportedProperty, _Persistable {}
