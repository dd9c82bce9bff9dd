extension Double: _Scalar, _Indexable {
    /// 64-bit floating-point numbers.
    public static var _propertyType: PropertyType { .double }

    /// Zero.
    @inlinable public static func _defaultValue() -> Double { 0 }

    /// Reads a managed property from a row that has it.
    @inlinable @inline(__always)
    public static func _read(_ object: ObjectBase, _ fieldOffset: _FieldOffset) -> Double {
        Double(
            bitPattern: UInt64(bitPattern: fieldOffset.word(in: object._row.unsafelyUnwrapped)))
    }

    /// The number with this stored form.
    public static func _from(_ raw: _RawValue) -> Double? {
        if case .word(let word) = raw { return Double(bitPattern: UInt64(bitPattern: word)) }
        return nil
    }

    /// Calls `body` with the stored form.
    public func _withRaw<Result>(_ body: (_RawValue) -> Result) -> Result {
        body(.word(Int64(bitPattern: bitPattern)))
    }

    /// Any integer or floating-point number.
    public static func _from(any value: Any) -> Double? {
        if let number = value as? Float { return Double(number) }
        if let integer = value as? any BinaryInteger { return Double(integer) }
        return nil
    }
}

extension Float: _Scalar, _Indexable {
    /// 32-bit floating-point numbers.
    public static var _propertyType: PropertyType { .float }

    /// Zero.
    @inlinable public static func _defaultValue() -> Float { 0 }

    /// Reads a managed property from a row that has it.
    @inlinable @inline(__always)
    public static func _read(_ object: ObjectBase, _ fieldOffset: _FieldOffset) -> Float {
        Float(
            bitPattern: UInt32(
                truncatingIfNeeded: fieldOffset.word(in: object._row.unsafelyUnwrapped)))
    }

    /// The number with this stored form.
    public static func _from(_ raw: _RawValue) -> Float? {
        if case .word(let word) = raw {
            return Float(bitPattern: UInt32(truncatingIfNeeded: word))
        }
        return nil
    }

    /// Calls `body` with the stored form.
    public func _withRaw<Result>(_ body: (_RawValue) -> Result) -> Result {
        body(.word(Int64(Int32(bitPattern: bitPattern))))
    }

    /// Any integer or floating-point number.
    public static func _from(any value: Any) -> Float? {
        if let number = value as? Double { return Float(number) }
        if let integer = value as? any BinaryInteger { return Float(integer) }
        return nil
    }
}
