/// Stored values that a type has no value for: raw values that no case of an enum has any more, and
/// numbers that a narrower integer type can't hold. Reading them never stops the program. What a
/// custom type refuses is beside these (`FailableCustomPersistable`).
extension _Scalar {
    /// Most types have a value for everything that is stored.
    public static func _stored(_ raw: _RawValue) -> Any? { _from(raw) }

    /// What is stored of a property whose type has no value for it; nil otherwise.
    static func unknown(_ object: ObjectBase, _ offset: Int) -> Any? {
        guard object.session != nil, case .value(let raw) = object._source(at: offset),
            _from(raw) == nil
        else { return nil }
        return _stored(raw)
    }
}

extension _Scalar where Self: FixedWidthInteger {
    /// Any stored number.
    public static func _stored(_ raw: _RawValue) -> Any? {
        _from(raw) ?? Int._from(raw)
    }

    /// The number if it does not fit.
    public static func _unknown(_ object: ObjectBase, _ offset: Int) -> Any? {
        bitWidth == 64 ? nil : unknown(object, offset)
    }
}

extension RealmCollectionValue where Self: _Scalar & FixedWidthInteger {
    /// Zero, in a collection, for a number that does not fit.
    public static func _substitute(
        for raw: _RawValue, at storage: _CollectionStorage
    ) -> Self? {
        _stored(raw) == nil ? nil : 0
    }
}

extension PersistableEnum {
    /// What is stored of a raw value.
    public static func _stored(_ raw: _RawValue) -> Any? { RawValue._stored(raw) }

    /// Reads a managed optional property; nil for a raw value that no case has.
    public static func _readOptional(_ object: ObjectBase, _ fieldOffset: _FieldOffset) -> Self? {
        _from(object._rawValue(at: fieldOffset, _propertyType))
    }

    /// The first case, in a collection, for a raw value that no case has.
    public static func _substitute(
        for raw: _RawValue, at storage: _CollectionStorage
    ) -> Self? {
        RawValue._stored(raw) == nil ? nil : _defaultValue()
    }

    /// The raw value if no case has it.
    public static func _unknown(_ object: ObjectBase, _ offset: Int) -> Any? {
        unknown(object, offset)
    }
}
