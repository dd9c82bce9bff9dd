/// Comparing and hashing decimals by their ordering keys (E2).
extension Decimal128: Comparable, Hashable {
    /// Sixteen bytes, as a number, whose unsigned order is the order of decimals.
    ///
    /// Equal decimals have equal keys. NaN is 0. Otherwise the top bit is 1 for zero and what is
    /// above it; then come 14 bits: 0 for zero, 1 ... 12321 for the exponent of the first digit,
    /// 16383 for infinity; then 113 bits: the digits, brought to 34. Negative numbers have all bits
    /// inverted. An index stores the number in sixteen bytes, big-endian.
    public var orderingKey: UInt128 {
        if isNaN { return 0 }
        var key: UInt128 = 1 << 127
        if let finite {
            if finite.coefficient == 0 { return key }
            let digits = PowersOfTen.digitCount(of: finite.coefficient)
            let first = finite.exponent + digits - 1 - Self.exponentMin + 1
            key |= UInt128(first) << 113
            key |= finite.coefficient * PowersOfTen[Self.digitCountMax - digits]
        } else {
            key |= 0x3FFF << 113
        }
        return isSigned ? ~key : key
    }

    /// Whether two decimals are the same number, whatever their digits; NaN equals NaN.
    public static func == (left: Decimal128, right: Decimal128) -> Bool {
        left.bits == right.bits || left.orderingKey == right.orderingKey
    }

    /// Whether one decimal comes before another; NaN comes before all numbers.
    public static func < (left: Decimal128, right: Decimal128) -> Bool {
        left.orderingKey < right.orderingKey
    }

    /// Feeds the number, not its digits, to a hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(orderingKey) }
}

extension Decimal128: Strideable {
    /// The difference to another number.
    public func distance(to other: Decimal128) -> Decimal128 { other - self }

    /// The number at this distance.
    public func advanced(by distance: Decimal128) -> Decimal128 { self + distance }
}
