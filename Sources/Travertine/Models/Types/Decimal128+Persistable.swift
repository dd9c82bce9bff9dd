extension Decimal128: _Scalar, _Indexable, RealmCollectionValue {
    /// Decimal numbers, stored as the sixteen bytes of their encoding.
    public static var _propertyType: PropertyType { .decimal128 }

    /// Zero.
    public static func _defaultValue() -> Decimal128 { Decimal128() }

    /// The number with this stored form.
    public static func _from(_ raw: _RawValue) -> Decimal128? {
        guard case .bytes(let bytes) = raw, bytes.count == 16 else { return nil }
        return Decimal128(stored: bytes)
    }

    /// The number in sixteen bytes: the lower half, then the upper one.
    init(stored bytes: UnsafeRawBufferPointer) {
        self.init(
            bits: (
                UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)),
                UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            ))
    }

    /// Calls `body` with the sixteen bytes.
    public func _withRaw<Result>(_ body: (_RawValue) -> Result) -> Result {
        withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { bytes in
            bytes.storeBytes(of: bits.low.littleEndian, as: UInt64.self)
            bytes.storeBytes(of: bits.high.littleEndian, toByteOffset: 8, as: UInt64.self)
            return body(.bytes(UnsafeRawBufferPointer(bytes)))
        }
    }

    /// Any number, or the text of one.
    public static func _from(any value: Any) -> Decimal128? { converted(from: value) }
}

extension UnsafeRawBufferPointer {
    /// The order of two stored values of a type that is stored as bytes.
    func order(to other: UnsafeRawBufferPointer, type: PropertyType) -> Int {
        switch type {
        case .decimal128: decimalOrder(to: other)
        case .any: MixedCode.order(self, other)
        default: order(to: other)
        }
    }

    /// The order of two stored decimals, which is not that of their bytes.
    func decimalOrder(to other: UnsafeRawBufferPointer) -> Int {
        guard count == 16, other.count == 16 else { return count - other.count }
        let (left, right) = (
            Decimal128(stored: self).orderingKey, Decimal128(stored: other).orderingKey
        )
        return left == right ? 0 : left < right ? -1 : 1
    }
}
