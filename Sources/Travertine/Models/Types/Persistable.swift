/// A type that a `@Persisted` property can have.
///
/// Public because `@Persisted` is inlined into its class; the requirements are used by the library
/// only. Models use the types that conform: the Int family, `Bool`, `Float`, `Double`, `String`,
/// `Data`, `Date`, `UUID`, `ObjectId`, enums that are `PersistableEnum`, optionals of these, links
/// (`T?` for a class `T` of objects) and `List`.
public protocol _Persistable: SendableMetatype {
    /// The type as the schema stores it.
    static var _storedType: _StoredType { get }
    /// The value of an unmanaged property that was never set.
    static func _defaultValue() -> Self
    /// Whether assigning replaces contents instead of the value.
    static var _isCollection: Bool { get }
    /// Whether a value is made of the bytes of the row alone, without the realm.
    static var _isPlain: Bool { get }
    /// Reads a managed property from a row that has it.
    static func _read(_ object: ObjectBase, _ fieldOffset: _FieldOffset) -> Self
    /// Reads a property in every other case: unmanaged without value, stale row, old layout,
    /// traced.
    static func _readCold(_ object: ObjectBase, _ offset: Int) -> Self
    /// Sets a managed property.
    static func _assign(_ value: Self, to object: ObjectBase, at offset: Int)
    /// Adds the value of an unmanaged object's property to a row.
    static func _encode(
        _ storage: UnsafeMutableRawPointer, of object: ObjectBase, into encoder: _RowEncoder,
        slot: Int)
    /// Called when an unmanaged object has become a managed one.
    static func _becameManaged(
        _ storage: UnsafeMutableRawPointer, of object: ObjectBase, at offset: Int)
    /// Hands the objects that an unmanaged property links to, to `body`.
    static func _forEachLinked(
        _ storage: UnsafeMutableRawPointer, _ body: (ObjectBase) -> Void)
    /// The value of a property as `Any`; nil for null.
    static func _any(_ object: ObjectBase, _ offset: Int) -> Any?
    /// What a subscript shows of a property: its value, or what is stored where that is another
    /// thing; nil for null.
    static func _shown(_ object: ObjectBase, _ offset: Int) -> Any?
    /// The embedded objects that are to be stored in place of an unmanaged property's value, made
    /// now; nil for a type whose values are not stored so.
    static func _makeEmbeddedForms(_ storage: UnsafeMutableRawPointer) -> [(
        key: String, object: ObjectBase?
    )]?
    /// Sets a property from `Any`; false if the value has another type.
    static func _assign(any value: Any?, to object: ObjectBase, at offset: Int) -> Bool
    /// The stored form of the value that a fresh instance has, for rows older than the property.
    static func _withDefault(_ storage: UnsafeMutableRawPointer, _ body: (_RawValue) -> Void)
}

extension _Persistable {
    /// Assigning replaces the value.
    @inlinable public static var _isCollection: Bool { false }

    /// Links and collections need the realm.
    @inlinable public static var _isPlain: Bool { false }

    /// Nothing to do for values.
    public static func _becameManaged(
        _ storage: UnsafeMutableRawPointer, of object: ObjectBase, at offset: Int
    ) {}

    /// Values link to nothing.
    public static func _forEachLinked(
        _ storage: UnsafeMutableRawPointer, _ body: (ObjectBase) -> Void
    ) {}

    /// The value.
    public static func _shown(_ object: ObjectBase, _ offset: Int) -> Any? { _any(object, offset) }

    /// Most values are stored as they are.
    public static func _makeEmbeddedForms(_ storage: UnsafeMutableRawPointer) -> [(
        key: String, object: ObjectBase?
    )]? { nil }

    /// The unmanaged value in a wrapper, made now if the property was never set.
    @inline(__always)
    static func unmanagedValue(_ storage: UnsafeMutableRawPointer) -> Self {
        let wrapper = storage.assumingMemoryBound(to: Persisted<Self>.self)
        if let value = wrapper.pointee.storage { return value }
        let value = _defaultValue()
        wrapper.pointee.storage = value
        return value
    }

    /// The initial value that a property is declared with; nil if it has none.
    static func declaredValue(_ object: ObjectBase, _ offset: Int) -> Self? {
        let fresh = type(of: object).newInstance()
        return withExtendedLifetime(fresh) {
            (fresh._memory + offset).assumingMemoryBound(to: Persisted<Self>.self).pointee.storage
        }
    }
}

/// What a custom type can be stored as: a single value, or an embedded object. Public because
/// `FailableCustomPersistable` constrains its `PersistedType` by it.
public protocol _CustomStorage: _PersistableInsideOptional, RealmCollectionValue {
    /// What a value is made of where nothing is stored.
    static func _storageDefault() -> Self
    /// The embedded object, in no realm, that is stored for the value; nil for a value that is
    /// stored as it is.
    var _storedObject: ObjectBase? { get }
}

/// A single value: everything but links and collections. Public because it is what `RealmOptional`
/// can hold.
public protocol _SingleValue: _Persistable, _CustomStorage {}

extension _CustomStorage where Self: _SingleValue {
    /// The value of a property that was never set.
    public static func _storageDefault() -> Self { _defaultValue() }

    /// The value is stored as it is.
    public var _storedObject: ObjectBase? { nil }
}

/// Whether an `Any` holds a nil, or the `NSNull` that is one in values from JSON.
func isNone(_ value: Any) -> Bool {
    // Most values: a cast would look for a conformance.
    let type = type(of: value)
    if type == Int.self || type == String.self || type == Double.self || type == Bool.self {
        return false
    }
    return (value as? any OptionalValue)?.isNone ?? (type == nullType)
}

/// `NSNull`, if the program has it: Foundation is not linked for its sake.
private let nullType: Any.Type? =
    _typeByName("10Foundation6NSNullC") ?? _typeByName("So6NSNullC")

/// A value as an instance of a class.
///
/// A dictionary or an array is not cast: Foundation would make a class of it, with all that is in
/// it.
func instance<Class: AnyObject>(_ value: Any, of type: Class.Type) -> Class? {
    if Swift.type(of: value) is AnyClass { return value as? Class }
    return (value as? any OptionalValue)?.wrapped.flatMap { instance($0, of: type) }
}

private protocol OptionalValue {
    var isNone: Bool { get }
    var wrapped: Any? { get }
}

extension Optional: OptionalValue {
    fileprivate var isNone: Bool {
        switch self {
        case .none: true
        case .some(let value): Travertine.isNone(value)
        }
    }

    fileprivate var wrapped: Any? { self }
}
