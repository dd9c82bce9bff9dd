/// A type whose optional can be persisted: every scalar, and every class of objects.
public protocol _PersistableInsideOptional {
    /// The type as the schema stores it.
    static var _optionalStoredType: _StoredType { get }
    /// Whether a value is made of the bytes of the row alone, without the realm.
    static var _isPlainInsideOptional: Bool { get }
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
    /// Links need the realm.
    @inlinable public static var _isPlainInsideOptional: Bool { false }

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

extension Optional: _Persistable where Wrapped: _PersistableInsideOptional {
    /// The type as the schema stores it.
    public static var _storedType: _StoredType { Wrapped._optionalStoredType }

    /// Nil.
    @inlinable public static func _defaultValue() -> Self { nil }

    /// As what it is an optional of.
    @inlinable public static var _isPlain: Bool { Wrapped._isPlainInsideOptional }

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
