/// An integer that is stored as a signed number of the least width that fits.
///
/// What is stored has no declared width, so that a property may get another one without a higher
/// schema version. A stored number that a narrower type has no value for is never cut: it reads as
/// zero, and as nil where the property or the element is optional; `object[name]` has it, queries
/// and sorting go by it, and `fsck --deep` names it.
typealias StoredInteger = _Scalar & FixedWidthInteger

extension _Scalar where Self: FixedWidthInteger {
    /// Integers of every width are one stored type.
    public static var _propertyType: PropertyType { .int }

    /// Zero.
    @inlinable public static func _defaultValue() -> Self { 0 }

    /// Reads a managed property from a row that has it.
    @inlinable @inline(__always)
    public static func _read(_ object: ObjectBase, _ fieldOffset: _FieldOffset) -> Self {
        let word = fieldOffset.word(in: object._row.unsafelyUnwrapped)
        // Decided when the type is known: 64 bits hold every number.
        return bitWidth == 64 ? Self(truncatingIfNeeded: word) : Self(exactly: word) ?? 0
    }

    /// Reads a managed optional property; nil for a number that does not fit.
    @inlinable @inline(__always)
    public static func _readOptional(_ object: ObjectBase, _ fieldOffset: _FieldOffset) -> Self? {
        let row = object._row.unsafelyUnwrapped
        return fieldOffset.isNull(in: row) ? nil : Self(exactly: fieldOffset.word(in: row))
    }

    /// The number with this stored form; nil if it does not fit.
    @inlinable
    public static func _from(_ raw: _RawValue) -> Self? {
        if case .word(let word) = raw { return Self(exactly: word) }
        return nil
    }

    /// Calls `body` with the stored form.
    @inlinable
    public func _withRaw<Result>(_ body: (_RawValue) -> Result) -> Result {
        body(.word(Int64(truncatingIfNeeded: self)))
    }

    /// Any integer that fits, and floating-point numbers without fraction.
    public static func _from(any value: Any) -> Self? {
        if let integer = value as? any BinaryInteger { return Self(exactly: integer) }
        if let double = value as? Double { return Self(exactly: double) }
        return nil
    }
}

extension Int: _Scalar, _Indexable, _PrimaryKey {}
extension Int8: _Scalar, _Indexable, _PrimaryKey {}
extension Int16: _Scalar, _Indexable, _PrimaryKey {}
extension Int32: _Scalar, _Indexable, _PrimaryKey {}
extension Int64: _Scalar, _Indexable, _PrimaryKey {}

extension Bool: _Scalar, _Indexable {
    /// Booleans.
    public static var _propertyType: PropertyType { .bool }

    /// False.
    @inlinable public static func _defaultValue() -> Bool { false }

    /// Reads a managed property from a row that has it.
    @inlinable @inline(__always)
    public static func _read(_ object: ObjectBase, _ fieldOffset: _FieldOffset) -> Bool {
        fieldOffset.word(in: object._row.unsafelyUnwrapped) != 0
    }

    /// The value with this stored form.
    public static func _from(_ raw: _RawValue) -> Bool? {
        if case .word(let word) = raw { return word != 0 }
        return nil
    }

    /// Calls `body` with the stored form.
    public func _withRaw<Result>(_ body: (_RawValue) -> Result) -> Result {
        body(.word(self ? 1 : 0))
    }
}
