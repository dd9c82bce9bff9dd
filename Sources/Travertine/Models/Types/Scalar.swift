/// A single value with its own stored form: everything but links, collections and custom types,
/// which are stored as another. Public because `PersistableEnum` constrains its raw values by it.
public protocol _Scalar: _SingleValue {
    /// The type as the schema stores it.
    static var _propertyType: PropertyType { get }
    /// The value with this stored form; nil if the form belongs to another type, or if the type has
    /// no value for it.
    static func _from(_ raw: _RawValue) -> Self?
    /// What is stored, also if the type has no value for it; nil if the form belongs to another
    /// type.
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

    /// A scalar is made of the bytes of the row.
    @inlinable public static var _isPlain: Bool { true }

    /// A scalar is made of the bytes of the row.
    @inlinable public static var _isPlainInsideOptional: Bool { true }

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
