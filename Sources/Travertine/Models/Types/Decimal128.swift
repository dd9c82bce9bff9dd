/// A decimal floating-point number of IEEE 754-2008: 34 digits, exponents from -6143 to 6144.
///
/// What is written in decimal is kept as written: `0.1 + 0.2 == 0.3`. Arithmetic is correctly
/// rounded, ties to even. Numbers have *cohorts*: 1, 1.0 and 1.00 are equal and hash equally, and
/// each keeps its own digits when it is stored and printed.
///
/// Unlike binary floating point, the order is total: every NaN equals every other and comes before
/// all numbers, and -0 equals 0. So decimals can be dictionary keys, sorted and indexed.
///
/// ```swift
/// let price: Decimal128 = "19.90"
/// let total = price * 3           // 59.70
/// ```
public struct Decimal128: Sendable {
    /// The lower half of the encoding.
    private let low: UInt64
    /// The upper half: sign, exponent, the upper 49 bits of the coefficient.
    private let high: UInt64

    /// The two halves of the encoding with a binary coefficient (BID).
    ///
    /// Every pattern is a number: coefficients above 34 digits read as zero, as the standard says.
    public var bits: (low: UInt64, high: UInt64) { (low, high) }

    /// The number with this encoding.
    public init(bits: (low: UInt64, high: UInt64)) {
        low = bits.low
        high = bits.high
    }

    /// Zero.
    public init() {
        self.init(bits: (0, UInt64(Self.exponentBias) << 49))
    }

    /// The most digits that a coefficient has.
    static let digitCountMax = 34
    /// 10 to the power of 34: the first integer that is no coefficient.
    static let coefficientEnd: UInt128 = 10_000_000_000_000_000_000_000_000_000_000_000
    /// The exponent of the last digit, at its least and its greatest.
    static let exponentMin = -6176
    static let exponentMax = 6111
    static let exponentBias = 6176

    private static let signBit: UInt64 = 1 << 63
    private static let infinityBits: UInt64 = 0b11110 << 58
    private static let nanBits: UInt64 = 0b11111 << 58
    private static let signalingBit: UInt64 = 1 << 57
    /// The end of the payloads that a NaN may carry: 33 digits.
    static let payloadEnd: UInt128 = 1_000_000_000_000_000_000_000_000_000_000_000
}

extension Decimal128 {
    /// A finite number: its sign, its digits as an integer, the exponent of the last digit.
    struct Finite {
        var isNegative: Bool
        var coefficient: UInt128
        var exponent: Int
    }

    /// The parts of a finite number; nil for NaN and the infinities.
    var finite: Finite? {
        guard isFinite else { return nil }
        if high >> 61 & 0b11 == 0b11 {
            // The long form's coefficients all exceed 34 digits.
            let exponent = Int(high >> 47 & 0x3FFF) - Self.exponentBias
            return Finite(isNegative: isSigned, coefficient: 0, exponent: exponent)
        }
        let coefficient = UInt128(high & (1 << 49 - 1)) << 64 | UInt128(low)
        return Finite(
            isNegative: isSigned,
            coefficient: coefficient < Self.coefficientEnd ? coefficient : 0,
            exponent: Int(high >> 49 & 0x3FFF) - Self.exponentBias)
    }

    /// The number with these parts, which are in range.
    init(_ parts: Finite) {
        assert(parts.coefficient < Self.coefficientEnd)
        assert((Self.exponentMin...Self.exponentMax).contains(parts.exponent))
        let biased = UInt64(parts.exponent + Self.exponentBias)
        self.init(
            bits: (
                UInt64(truncatingIfNeeded: parts.coefficient),
                (parts.isNegative ? Self.signBit : 0) | biased << 49
                    | UInt64(truncatingIfNeeded: parts.coefficient >> 64)
            ))
    }

    init(nanPayload payload: UInt128, isSignaling: Bool, isNegative: Bool) {
        assert(payload < Self.payloadEnd)
        self.init(
            bits: (
                UInt64(truncatingIfNeeded: payload),
                (isNegative ? Self.signBit : 0) | Self.nanBits
                    | (isSignaling ? Self.signalingBit : 0)
                    | UInt64(truncatingIfNeeded: payload >> 64)
            ))
    }

    /// The diagnostic number that a NaN carries; 0 for one out of range.
    var nanPayload: UInt128 {
        let payload = UInt128(high & (1 << 46 - 1)) << 64 | UInt128(low)
        return payload < Self.payloadEnd ? payload : 0
    }
}

extension Decimal128 {
    /// Positive infinity.
    public static var infinity: Decimal128 { Decimal128(bits: (0, infinityBits)) }

    /// A quiet NaN: the result of operations that have none.
    public static var nan: Decimal128 { Decimal128(bits: (0, nanBits)) }

    /// The greatest finite number, 9.999999999999999999999999999999999E+6144.
    public static var max: Decimal128 {
        Decimal128(
            Finite(isNegative: false, coefficient: coefficientEnd - 1, exponent: exponentMax))
    }

    /// The least finite number: the negative of `max`.
    public static var min: Decimal128 { -max }

    /// The least number above zero, 1E-6176.
    public static var leastNonzeroMagnitude: Decimal128 {
        Decimal128(Finite(isNegative: false, coefficient: 1, exponent: exponentMin))
    }

    /// Whether this is no number.
    public var isNaN: Bool { high & Self.nanBits == Self.nanBits }

    /// Whether this is a NaN that was marked as signaling.
    public var isSignalingNaN: Bool { isNaN && high & Self.signalingBit != 0 }

    /// Whether this is a NaN that was marked as signaling.
    public var isSignaling: Bool { isSignalingNaN }

    /// Whether this is one of the two infinities.
    public var isInfinite: Bool { high & Self.nanBits == Self.infinityBits }

    /// Whether this is neither NaN nor infinite.
    public var isFinite: Bool { high & Self.infinityBits != Self.infinityBits }

    /// Whether this is 0 or -0, of whatever exponent.
    public var isZero: Bool { finite?.coefficient == 0 }

    /// Whether the sign bit is set: true of negative numbers, of -0, and of some NaN.
    public var isSigned: Bool { high & Self.signBit != 0 }

    /// Whether the number is below zero or is -0.
    public var isNegative: Bool { isSigned && !isNaN }

    /// The number without its sign.
    public var magnitude: Decimal128 { Decimal128(bits: (low, high & ~Self.signBit)) }

    /// The number with its sign changed.
    public static prefix func - (number: Decimal128) -> Decimal128 {
        Decimal128(bits: (number.low, number.high ^ signBit))
    }

    /// The NaN with its signaling mark cleared and its payload made canonical.
    var quieted: Decimal128 {
        Decimal128(nanPayload: nanPayload, isSignaling: false, isNegative: isSigned)
    }
}
