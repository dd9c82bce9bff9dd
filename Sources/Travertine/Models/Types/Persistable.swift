/// A type that a `@Persisted` property can have.
///
/// Public because `@Persisted` is inlined into its class; the requirements are used by the library only.
/// Models use the types that conform: the Int
/// family, `Bool`, `Float`, `Double`, `String`, `Data`, `Date`, `UUID`, `ObjectId`, enums that are
/// `PersistableEnum`, optionals of these, links (`T?` for a class `T` of objects) and `List`.
public protocol _Persistable: SendableMetatype {
    /// The type as the schema stores it.
    static var _storedType: _StoredType { get }
    /// The value of an unmanaged property that was never set.
    static func _defaultValue() -> Self
    /// Whether assigning replaces contents instead of the value.
    static var _isCollection: Bool { get }
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
    /// The embedded objects that are to be stored in place of an unmanaged property's value, made now;
    /// nil for a type whose values are not stored so.
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
    /// The embedded object, in no realm, that is stored for the value; nil for a value that is stored
    /// as it is.
    var _storedObject: ObjectBase? { get }
}

/// A single value: everything but links and collections. Public because it is what `RealmOptional` can
/// hold.
public protocol _SingleValue: _Persistable, _CustomStorage {}

extension _CustomStorage where Self: _SingleValue {
    /// The value of a property that was never set.
    public static func _storageDefault() -> Self { _defaultValue() }

    /// The value is stored as it is.
    public var _storedObject: ObjectBase? { nil }
}

/// A single value with its own stored form: everything but links, collections and custom types, which
/// are stored as another. Public because `PersistableEnum` constrains its raw values by it.
public protocol _Scalar: _SingleValue {
    /// The type as the schema stores it.
    static var _propertyType: PropertyType { get }
    /// The value with this stored form; nil if the form belongs to another type, or if the type has no
    /// value for it.
    static func _from(_ raw: _RawValue) -> Self?
    /// What is stored, also if the type has no value for it; nil if the form belongs to another type.
    static func _stored(_ raw: _RawValue) -> Any?
    /// What is stored of a property whose type has no value for it; nil otherwise.
    static func _unknown(_ object: ObjectBase, _ offset: Int) -> Any?
    /// Calls `body` with the stored form, which is valid during the call.
    func _withRaw<Result>(_ body: (_RawValue) -> Result) -> Result
    /// The value in `Any`, converted: integers must fit, floating-point numbers are rounded.
    static func _from(any value: Any) -> Self?
}

extension _Scalar {
    /// The type as the schema stores it.
    public static var _storedType: _StoredType { _StoredType(_propertyType) }

    /// Reads a managed property from a row that has it.
    @inlinable
    public static func _read(_ object: ObjectBase, _ fieldOffset: _FieldOffset) -> Self {
        _from(object._rawValue(at: fieldOffset, _propertyType)) ?? _defaultValue()
    }

    /// Reads a property in every other case.
    public static func _readCold(_ object: ObjectBase, _ offset: Int) -> Self {
        switch object._source(at: offset) {
        case .unmanaged: unmanagedValue(object._memory + offset)
        case .value(let raw): _from(raw) ?? _defaultValue()
        case .nothing: _defaultValue()
        }
    }

    /// Sets a managed property.
    public static func _assign(_ value: Self, to object: ObjectBase, at offset: Int) {
        value._withRaw { object._set($0, at: offset) }
    }

    /// Adds the value of an unmanaged object's property to a row.
    public static func _encode(
        _ storage: UnsafeMutableRawPointer, of object: ObjectBase, into encoder: _RowEncoder,
        slot: Int
    ) {
        unmanagedValue(storage)._withRaw { encoder.put($0, at: slot) }
    }

    /// The value of a property as `Any`.
    public static func _any(_ object: ObjectBase, _ offset: Int) -> Any? {
        _readCold(object, offset)
    }

    /// Sets a property from `Any`.
    public static func _assign(any value: Any?, to object: ObjectBase, at offset: Int) -> Bool {
        guard let value, let converted = value as? Self ?? _from(any: value) else { return false }
        object._setValue(converted, at: offset)
        return true
    }

    /// The stored form of the value that a fresh instance has.
    public static func _withDefault(
        _ storage: UnsafeMutableRawPointer, _ body: (_RawValue) -> Void
    ) {
        unmanagedValue(storage)._withRaw(body)
    }

    /// Most types have a value for everything that is stored.
    public static func _unknown(_ object: ObjectBase, _ offset: Int) -> Any? { nil }

    /// The value, or what is stored if the type has no value for it.
    public static func _shown(_ object: ObjectBase, _ offset: Int) -> Any? {
        _unknown(object, offset) ?? _any(object, offset)
    }

    /// No conversion.
    public static func _from(any value: Any) -> Self? { value as? Self }
}

/// A type whose optional can be persisted: every scalar, and every class of objects.
public protocol _PersistableInsideOptional {
    /// The type as the schema stores it.
    static var _optionalStoredType: _StoredType { get }
    /// Reads a managed property from a row that has it.
    static func _readOptional(_ object: ObjectBase, _ fieldOffset: _FieldOffset) -> Self?
    /// Reads a property in every other case.
    static func _readOptionalCold(_ object: ObjectBase, _ offset: Int) -> Self?
    /// Sets a managed property.
    static func _assignOptional(_ value: Self?, to object: ObjectBase, at offset: Int)
    /// Adds the value of an unmanaged object's property to a row.
    static func _encodeOptional(
        _ storage: UnsafeMutableRawPointer, of object: ObjectBase, into encoder: _RowEncoder,
        slot: Int)
    /// Called when an unmanaged object has become a managed one.
    static func _optionalBecameManaged(_ storage: UnsafeMutableRawPointer)
    /// Hands the object that an unmanaged property links to, to `body`.
    static func _forEachLinkedOptional(
        _ storage: UnsafeMutableRawPointer, _ body: (ObjectBase) -> Void)
    /// Sets a property from `Any`; nil for a stored form that the type has no value for.
    static func _assignOptional(any value: Any?, to object: ObjectBase, at offset: Int) -> Bool
    /// Whether a value has the stored type, or converts to it, and the type has no value for it.
    static func _refuses(_ value: Any) -> Bool
    /// What a subscript shows of a property.
    static func _shownOptional(_ object: ObjectBase, _ offset: Int) -> Any?
    /// The embedded objects that are to be stored in place of an unmanaged property's value.
    static func _makeOptionalEmbeddedForms(_ storage: UnsafeMutableRawPointer) -> [(
        key: String, object: ObjectBase?
    )]?
    /// The stored form of the value that a fresh instance has.
    static func _withOptionalDefault(
        _ storage: UnsafeMutableRawPointer, _ body: (_RawValue) -> Void)
}

extension _PersistableInsideOptional {
    /// Most types have a value for everything that is stored.
    public static func _refuses(_ value: Any) -> Bool { false }

    /// The value.
    public static func _shownOptional(_ object: ObjectBase, _ offset: Int) -> Any? {
        if let value = _readOptionalCold(object, offset) { return value }
        return nil
    }

    /// Most values are stored as they are.
    public static func _makeOptionalEmbeddedForms(_ storage: UnsafeMutableRawPointer) -> [(
        key: String, object: ObjectBase?
    )]? {
        nil
    }
}

extension _PersistableInsideOptional where Self: _Scalar {
    /// The type as the schema stores it.
    public static var _optionalStoredType: _StoredType {
        _StoredType(_propertyType, isOptional: true)
    }

    /// Reads a managed property from a row that has it.
    @inlinable @inline(__always)
    public static func _readOptional(_ object: ObjectBase, _ fieldOffset: _FieldOffset) -> Self? {
        fieldOffset.isNull(in: object._row.unsafelyUnwrapped)
            ? nil : Self._read(object, fieldOffset)
    }

    /// Reads a property in every other case.
    public static func _readOptionalCold(_ object: ObjectBase, _ offset: Int) -> Self? {
        switch object._source(at: offset) {
        case .unmanaged: Self?.unmanagedValue(object._memory + offset)
        case .value(.null), .nothing: nil
        case .value(let raw): _from(raw)
        }
    }

    /// Sets a managed property.
    public static func _assignOptional(_ value: Self?, to object: ObjectBase, at offset: Int) {
        if let value {
            value._withRaw { object._set($0, at: offset) }
        } else {
            object._set(.null, at: offset)
        }
    }

    /// Adds the value of an unmanaged object's property to a row.
    public static func _encodeOptional(
        _ storage: UnsafeMutableRawPointer, of object: ObjectBase, into encoder: _RowEncoder,
        slot: Int
    ) {
        if let value = Self?.unmanagedValue(storage) {
            value._withRaw { encoder.put($0, at: slot) }
        } else {
            encoder.put(.null, at: slot)
        }
    }

    /// The value, or what is stored if the type has no value for it.
    public static func _shownOptional(_ object: ObjectBase, _ offset: Int) -> Any? {
        if let value = _readOptionalCold(object, offset) { return value }
        return _unknown(object, offset)
    }

    /// Nothing to do for values.
    public static func _optionalBecameManaged(_ storage: UnsafeMutableRawPointer) {}

    /// Values link to nothing.
    public static func _forEachLinkedOptional(
        _ storage: UnsafeMutableRawPointer, _ body: (ObjectBase) -> Void
    ) {}

    /// Sets a property from `Any`.
    public static func _assignOptional(any value: Any?, to object: ObjectBase, at offset: Int)
        -> Bool
    {
        guard let value, !isNone(value) else {
            object._setValue(Self?.none, at: offset)
            return true
        }
        let converted = value as? Self ?? _from(any: value)
        if converted == nil, !_refuses(value) { return false }
        object._setValue(converted, at: offset)
        return true
    }

    /// The stored form of the value that a fresh instance has.
    public static func _withOptionalDefault(
        _ storage: UnsafeMutableRawPointer, _ body: (_RawValue) -> Void
    ) {
        if let value = Self?.unmanagedValue(storage) { value._withRaw(body) } else { body(.null) }
    }
}

/// Whether an `Any` holds a nil, or the `NSNull` that is one in values from JSON.
func isNone(_ value: Any) -> Bool {
    (value as? any OptionalValue)?.isNone ?? (type(of: value) == nullType)
}

/// `NSNull`, if the program has it: Foundation is not linked for its sake.
private let nullType: Any.Type? =
    _typeByName("10Foundation6NSNullC") ?? _typeByName("So6NSNullC")

/// A value as an instance of a class.
///
/// A dictionary or an array is not cast: Foundation would make a class of it, with all that is in it.
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

extension Optional: _Persistable where Wrapped: _PersistableInsideOptional {
    /// The type as the schema stores it.
    public static var _storedType: _StoredType { Wrapped._optionalStoredType }

    /// Nil.
    @inlinable public static func _defaultValue() -> Self { nil }

    /// Reads a managed property from a row that has it.
    @inlinable @inline(__always)
    public static func _read(_ object: ObjectBase, _ fieldOffset: _FieldOffset) -> Self {
        Wrapped._readOptional(object, fieldOffset)
    }

    /// Reads a property in every other case.
    public static func _readCold(_ object: ObjectBase, _ offset: Int) -> Self {
        Wrapped._readOptionalCold(object, offset)
    }

    /// Sets a managed property.
    public static func _assign(_ value: Self, to object: ObjectBase, at offset: Int) {
        Wrapped._assignOptional(value, to: object, at: offset)
    }

    /// Adds the value of an unmanaged object's property to a row.
    public static func _encode(
        _ storage: UnsafeMutableRawPointer, of object: ObjectBase, into encoder: _RowEncoder,
        slot: Int
    ) {
        Wrapped._encodeOptional(storage, of: object, into: encoder, slot: slot)
    }

    /// Called when an unmanaged object has become a managed one.
    public static func _becameManaged(
        _ storage: UnsafeMutableRawPointer, of object: ObjectBase, at offset: Int
    ) {
        Wrapped._optionalBecameManaged(storage)
    }

    /// Hands the object that an unmanaged property links to, to `body`.
    public static func _forEachLinked(
        _ storage: UnsafeMutableRawPointer, _ body: (ObjectBase) -> Void
    ) {
        Wrapped._forEachLinkedOptional(storage, body)
    }

    /// The value of a property as `Any`; nil for null.
    public static func _any(_ object: ObjectBase, _ offset: Int) -> Any? {
        if let value = Wrapped._readOptionalCold(object, offset) { return value }
        return nil
    }

    /// What a subscript shows of a property.
    public static func _shown(_ object: ObjectBase, _ offset: Int) -> Any? {
        Wrapped._shownOptional(object, offset)
    }

    /// The embedded objects that are to be stored in place of an unmanaged property's value.
    public static func _makeEmbeddedForms(_ storage: UnsafeMutableRawPointer) -> [(
        key: String, object: ObjectBase?
    )]? {
        Wrapped._makeOptionalEmbeddedForms(storage)
    }

    /// Sets a property from `Any`.
    public static func _assign(any value: Any?, to object: ObjectBase, at offset: Int) -> Bool {
        Wrapped._assignOptional(any: value, to: object, at: offset)
    }

    /// The stored form of the value that a fresh instance has.
    public static func _withDefault(
        _ storage: UnsafeMutableRawPointer, _ body: (_RawValue) -> Void
    ) {
        Wrapped._withOptionalDefault(storage, body)
    }
}
