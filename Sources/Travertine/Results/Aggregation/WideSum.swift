/// A fixed-point number in two's complement that holds every sum of fewer than 2^63 doubles: the
/// first bit is worth 2^-1074, and the last one is the sign.
struct WideSum: Sendable, Equatable {
    private static let limbCount = 36
    private static let exponentMin = -1074
    static let byteCount = 8 * limbCount + 32
    private var limbs = [UInt64](repeating: 0, count: limbCount)

    var isNegative: Bool { limbs[Self.limbCount - 1] >> 63 == 1 }

    /// Adds a number times two to the power of `scale`, which is at least that of the first bit.
    mutating func add(_ number: Int128, _ scale: Int32) {
        let offset = Int(scale) - Self.exponentMin
        precondition(offset >= 0 && offset < 64 * (Self.limbCount - 3), "beyond every double")
        let (first, shift) = (offset / 64, UInt64(offset % 64))
        let low = UInt64(truncatingIfNeeded: number)
        let high = UInt64(truncatingIfNeeded: number >> 64)
        let sign: UInt64 = number < 0 ? .max : 0
        var parts = (low, high, sign)
        if shift > 0 {
            parts = (
                low << shift, high << shift | low >> (64 - shift),
                sign << shift | high >> (64 - shift)
            )
        }
        var carry = addLimb(first, parts.0, 0)
        carry = addLimb(first + 1, parts.1, carry)
        carry = addLimb(first + 2, parts.2, carry)
        for position in first + 3..<Self.limbCount { carry = addLimb(position, sign, carry) }
    }

    mutating func add(_ other: WideSum) {
        var carry: UInt64 = 0
        for position in 0..<Self.limbCount {
            carry = addLimb(position, other.limbs[position], carry)
        }
    }

    private mutating func addLimb(_ position: Int, _ number: UInt64, _ carry: UInt64) -> UInt64 {
        let (sum, isBeyond) = limbs[position].addingReportingOverflow(number)
        let (all, isBeyondAgain) = sum.addingReportingOverflow(carry)
        limbs[position] = all
        return isBeyond || isBeyondAgain ? 1 : 0
    }

    mutating func negate() {
        var carry: UInt64 = 1
        for position in 0..<Self.limbCount {
            let (sum, isBeyond) = (~limbs[position]).addingReportingOverflow(carry)
            limbs[position] = sum
            carry = isBeyond ? 1 : 0
        }
    }

    /// The 64 bits from the first one that is set, what the last of them is worth as a power of
    /// two, and whether there are more after them; nil for zero. The number is not negative.
    var top: (bits: UInt64, exponent: Int, hasMore: Bool)? {
        guard let last = limbs.lastIndex(where: { $0 != 0 }) else { return nil }
        let zeroCount = limbs[last].leadingZeroBitCount
        var bits = limbs[last] << UInt64(zeroCount)
        var hasMore = false
        if last > 0 {
            if zeroCount > 0 {
                bits |= limbs[last - 1] >> UInt64(64 - zeroCount)
                hasMore = limbs[last - 1] << UInt64(zeroCount) != 0
            } else {
                hasMore = limbs[last - 1] != 0
            }
            hasMore = hasMore || limbs[..<(last - 1)].contains { $0 != 0 }
        }
        return (bits, Self.exponentMin + 64 * last - zeroCount, hasMore)
    }
}
