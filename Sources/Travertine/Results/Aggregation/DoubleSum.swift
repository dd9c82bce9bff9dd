/// The exact sum of floating-point numbers, whatever their order and however they are grouped: it
/// is rounded once, when it is read.
///
/// What was added is `units` times two to the power of `scale`. What does not fit in there is moved
/// to `wide`, a fixed-point number that holds every sum of doubles: the small superaccumulator of
/// Neal, "Fast exact summation using small and large superaccumulators" (2015), with carries that
/// are propagated at once, because few numbers get there.
struct DoubleSum: Sendable {
    private var units: Int128 = 0
    /// At least that of the least number.
    private var scale: Int32 = 0
    private var hasNaN = false
    private var hasPositiveInfinity = false
    private var hasNegativeInfinity = false
    private var wide: WideSum?

    init() {}

    init(_ integers: Int128) { units = integers }

    init(_ numbers: some Sequence<Double>) { for number in numbers { add(number) } }

    /// What it takes beside its own size.
    var extraByteCount: Int { wide == nil ? 0 : WideSum.byteCount }

    /// The sum of integers alone, of which there are fewer than 2^63.
    var integer: Int128 {
        assert(wide == nil && scale == 0, "a sum of integers")
        return units
    }

    // MARK: Adding

    @inline(__always)
    mutating func add(_ number: Double) {
        let bits = number.bitPattern
        let field = Int32(truncatingIfNeeded: bits >> 52 & 0x7ff)
        if field == 0x7ff { return addSpecial(number) }
        let fraction = Int64(bitPattern: bits & 0xf_ffff_ffff_ffff)
        let mantissa = field == 0 ? fraction : fraction | 1 << 52
        let signed = Int64(bitPattern: bits) < 0 ? -mantissa : mantissa
        let exponent = max(field, 1) - 1075
        let shift = exponent - scale
        if shift >= 0, shift <= 64 {
            let (sum, isBeyond) = units.addingReportingOverflow(
                Int128(signed) &<< Int128(truncatingIfNeeded: shift))
            if !isBeyond {
                units = sum
                return
            }
        }
        addSlowly(Int128(signed), exponent)
    }

    @inline(never)
    private mutating func addSpecial(_ number: Double) {
        if number.isNaN {
            hasNaN = true
        } else if number > 0 {
            hasPositiveInfinity = true
        } else {
            hasNegativeInfinity = true
        }
    }

    mutating func add(_ other: DoubleSum) {
        hasNaN = hasNaN || other.hasNaN
        hasPositiveInfinity = hasPositiveInfinity || other.hasPositiveInfinity
        hasNegativeInfinity = hasNegativeInfinity || other.hasNegativeInfinity
        if let otherWide = other.wide {
            if wide == nil { wide = WideSum() }
            wide?.add(otherWide)
        }
        if units == 0 {
            (units, scale) = (other.units, other.scale)
            return
        }
        if other.scale == scale {
            let (sum, isBeyond) = units.addingReportingOverflow(other.units)
            if !isBeyond {
                units = sum
                return
            }
        }
        addSlowly(other.units, other.scale)
    }

    /// Adds a number of units of another size: with a smaller scale, if all fits, else by moving
    /// what is there to the wide number.
    @inline(never)
    private mutating func addSlowly(_ number: Int128, _ exponent: Int32) {
        if number == 0 { return }
        if units == 0 {
            // Room for numbers with smaller units; a sum has none below that of the least number.
            let lower = max(Self.exponentMin, exponent - 24)
            if let shifted = Self.shifted(number, exponent - lower) {
                (units, scale) = (shifted, lower)
            } else {
                (units, scale) = (number, exponent)
            }
            return
        }
        if addAligned(number, exponent) { return }
        let zeroCount = Int32(
            min(number.trailingZeroBitCount, Int(max(0, Self.strippedExponentMax - exponent))))
        if addAligned(number >> zeroCount, exponent + zeroCount) { return }
        if wide == nil { wide = WideSum() }
        wide?.add(units, scale)
        units = 0
        addSlowly(number, exponent)
    }

    /// Adds with the smaller of both units, if all fits.
    private mutating func addAligned(_ number: Int128, _ exponent: Int32) -> Bool {
        let common = min(scale, exponent)
        guard let left = Self.shifted(units, scale - common),
            let right = Self.shifted(number, exponent - common)
        else { return false }
        let (sum, isBeyond) = left.addingReportingOverflow(right)
        if isBeyond { return false }
        (units, scale) = (sum, common)
        return true
    }

    /// No unit is greater than that of the greatest double.
    private static let strippedExponentMax: Int32 = 971
    private static let exponentMin: Int32 = -1074

    /// The number shifted to the left, if no bit is lost.
    private static func shifted(_ number: Int128, _ count: Int32) -> Int128? {
        guard number.magnitude.leadingZeroBitCount > Int(count) else { return nil }
        return number << count
    }

    // MARK: Reading

    /// The sum, rounded to the nearest number, of two the even one; infinity beyond all numbers,
    /// NaN with a NaN or with both infinities among what was added. A zero has no sign.
    var rounded: Double { special ?? nearest(isOdd: false).value }

    /// The same as a number of less precision.
    var roundedToFloat: Float {
        // Rounded to odd first, so that nothing is rounded twice.
        Float(special ?? nearest(isOdd: true).value)
    }

    /// The sum divided by a number of values; finite if the numbers are, even if their sum is not.
    func mean(of count: Int) -> Double {
        if let special { return special }
        let sum = nearest(isOdd: false)
        if sum.value.isFinite { return sum.value / Double(count) }
        return Double(
            sign: .plus, exponent: sum.exponent, significand: sum.significand / Double(count))
    }

    private var special: Double? {
        if hasNaN || hasPositiveInfinity && hasNegativeInfinity { return .nan }
        if hasPositiveInfinity { return .infinity }
        return hasNegativeInfinity ? -.infinity : nil
    }

    private struct Nearest {
        /// An integer of up to 53 bits.
        var significand = 0.0
        var exponent = 0

        var value: Double {
            Double(sign: .plus, exponent: exponent, significand: significand)
        }
    }

    private func nearest(isOdd: Bool) -> Nearest {
        guard var all = wide else {
            var magnitude = units.magnitude
            if magnitude == 0 { return Nearest() }
            let zeroCount = magnitude.leadingZeroBitCount
            magnitude <<= zeroCount
            return Self.nearest(
                UInt64(truncatingIfNeeded: magnitude >> 64),
                hasMore: UInt64(truncatingIfNeeded: magnitude) != 0,
                exponent: Int(scale) + 64 - zeroCount, isNegative: units < 0, isOdd: isOdd)
        }
        all.add(units, scale)
        let isNegative = all.isNegative
        if isNegative { all.negate() }
        guard let top = all.top else { return Nearest() }
        return Self.nearest(
            top.bits, hasMore: top.hasMore, exponent: top.exponent, isNegative: isNegative,
            isOdd: isOdd)
    }

    /// Rounds 64 bits, of which the first is set, and more bits after them, to 53.
    private static func nearest(
        _ top: UInt64, hasMore: Bool, exponent: Int, isNegative: Bool, isOdd: Bool
    ) -> Nearest {
        var bits = top >> 11
        let rest = top & 0x7ff
        if isOdd {
            if rest != 0 || hasMore { bits |= 1 }
        } else if rest > 0x400 || rest == 0x400 && (hasMore || bits & 1 == 1) {
            bits += 1
        }
        return Nearest(
            significand: isNegative ? -Double(bits) : Double(bits), exponent: exponent + 11)
    }
}

extension DoubleSum: Equatable {
    /// Whether both are the same number, or the same special value.
    static func == (left: DoubleSum, right: DoubleSum) -> Bool {
        guard left.special == nil, right.special == nil else {
            return left.special?.bitPattern == right.special?.bitPattern
        }
        var (first, second) = (left.wide ?? WideSum(), right.wide ?? WideSum())
        first.add(left.units, left.scale)
        second.add(right.units, right.scale)
        return first == second
    }
}
