/// Stored values that a type has no value for: raw values that no case of an enum has any more, what a
/// type of one's own refuses, and numbers that a narrower integer type can't hold. Reading them never
/// stops the program.
extension _Scalar {
    /// Most types have a value for everything that is stored.
    public static func _stored(_ raw: _RawValue) -> Any? { _from(raw) }

    /// What is stored of a property whose type has no value for it; nil otherwise.
    static func unknown(_ object: ObjectBase, _ offset: Int) -> Any? {
        guard object.core != nil, case .value(let raw) = object._source(at: offset),
            _from(raw) == nil
        else { return nil }
        return _stored(raw)
    }
}

extension _StoredInteger {
    /// Any stored number.
    public static func _stored(_ raw: _RawValue) -> Any? {
        _from(raw) ?? Int._from(raw)
    }

    /// The number if it does not fit.
    public static func _unknown(_ object: ObjectBase, _ offset: Int) -> Any? {
        bitWidth == 64 ? nil : unknown(object, offset)
    }
}

extension RealmCollectionValue where Self: _StoredInteger {
    /// Zero, in a collection, for a number that does not fit.
    public static func _substitute(for raw: _RawValue) -> Self? {
        _stored(raw) == nil ? nil : 0
    }
}

extension PersistableEnum {
    /// What is stored of a raw value.
    public static func _stored(_ raw: _RawValue) -> Any? { RawValue._stored(raw) }

    /// Reads a managed optional property; nil for a raw value that no case has.
    public static func _readOptional(_ object: ObjectBase, _ place: _Place) -> Self? {
        _from(object._rawValue(at: place, _propertyType))
    }

    /// The first case, in a collection, for a raw value that no case has.
    public static func _substitute(for raw: _RawValue) -> Self? {
        RawValue._stored(raw) == nil ? nil : _defaultValue()
    }

    /// The raw value if no case has it.
    public static func _unknown(_ object: ObjectBase, _ offset: Int) -> Any? {
        unknown(object, offset)
    }
}

extension FailableCustomPersistable {
    /// What is stored of a value.
    public static func _stored(_ raw: _RawValue) -> Any? { PersistedType._stored(raw) }

    /// Reads a managed property; a stored value that makes none reads as the default, which is the
    /// property's initial value where the stored type's own makes none either.
    public static func _read(_ object: ObjectBase, _ place: _Place) -> Self {
        if let value = _from(object._rawValue(at: place, _propertyType)) { return value }
        return substitute(object, object._offset(of: place))
    }

    /// Reads a managed optional property; nil for a stored value that makes none.
    public static func _readOptional(_ object: ObjectBase, _ place: _Place) -> Self? {
        _from(object._rawValue(at: place, _propertyType))
    }

    /// Reads a property in every other case.
    public static func _readCold(_ object: ObjectBase, _ offset: Int) -> Self {
        switch object._source(at: offset) {
        case .unmanaged: unmanagedValue(object._memory + offset)
        case .value(let raw): _from(raw) ?? substitute(object, offset)
        case .nothing: substitute(object, offset)
        }
    }

    /// What the stored type's default stands for, in a collection; nil if that makes no value either.
    public static func _substitute(for raw: _RawValue) -> Self? {
        PersistedType._stored(raw) == nil
            ? nil : Self(persistedValue: PersistedType._defaultValue())
    }

    /// What is stored if it makes no value.
    public static func _unknown(_ object: ObjectBase, _ offset: Int) -> Any? {
        unknown(object, offset)
    }

    private static func substitute(_ object: ObjectBase, _ offset: Int?) -> Self {
        if let value = Self(persistedValue: PersistedType._defaultValue()) { return value }
        guard let offset else { return _defaultValue() }
        let fresh = type(of: object).init()
        return unmanagedValue(fresh._memory + offset)
    }
}

extension ObjectBase {
    /// The byte offset of the wrapper whose property has a place in the object's row.
    final func _offset(of place: _Place) -> Int? {
        guard let places = _places else { return nil }
        return info.properties.first {
            let other = places[$0.offset / 2]
            return other.offset == place.offset && other.shift == place.shift
                && other.nullBit == place.nullBit && other.start == place.start
        }?.offset
    }
}
