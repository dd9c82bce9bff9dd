extension String: _Scalar, _Indexable, _PrimaryKey {
    /// Strings.
    public static var _propertyType: PropertyType { .string }

    /// The empty string.
    @inlinable public static func _defaultValue() -> String { "" }

    /// Reads a managed property from a row that has it.
    @inlinable
    public static func _read(_ object: ObjectBase, _ fieldOffset: _FieldOffset) -> String {
        String(
            decoding: fieldOffset.variable(
                in: object._row.unsafelyUnwrapped, byteCount: object._rowByteCount),
            as: UTF8.self)
    }

    /// The string with this stored form.
    public static func _from(_ raw: _RawValue) -> String? {
        if case .bytes(let bytes) = raw { return String(decoding: bytes, as: UTF8.self) }
        return nil
    }

    /// Calls `body` with the UTF-8 bytes.
    public func _withRaw<Result>(_ body: (_RawValue) -> Result) -> Result {
        var contiguous = self
        return contiguous.withUTF8 { body(.bytes(UnsafeRawBufferPointer($0))) }
    }

    /// Substrings.
    public static func _from(any value: Any) -> String? {
        (value as? Substring).map { String($0) }
    }
}
