/// Arithmetic of decimals, rounded once (E1).
extension Decimal128 {
    /// The number nearest to `coefficient` × 10^`exponent`, ties to even.
    ///
    /// - Parameter isExact: set to false when the result differs from what was asked for.
    init(
        isNegative: Bool, rounding coefficient: WideCoefficient, exponent: Int,
        isExact: inout Bool
    ) {
        let excess = Swift.max(
            coefficient.digitCount - Self.digitCountMax, Self.exponentMin - exponent, 0)
        var (kept, rest) = coefficient.divided(byTenToThe: excess)
        var exponent = exponent + excess
        if rest != .nothing { isExact = false }
        if rest > .half || (rest == .half && kept & 1 == 1) {
            kept += 1
            if kept == Self.coefficientEnd {
                kept /= 10
                exponent += 1
            }
        }
        if exponent > Self.exponentMax && kept != 0 {
            // Trailing zeros bring the exponent down; without room for them the result overflows.
            let padding = exponent - Self.exponentMax
            guard padding + PowersOfTen.digitCount(of: kept) <= Self.digitCountMax else {
                isExact = false
                self = isNegative ? -.infinity : .infinity
                return
            }
            kept *= PowersOfTen[padding]
        }
        self.init(
            Finite(
                isNegative: isNegative, coefficient: kept,
                exponent: Swift.min(exponent, Self.exponentMax)))
    }

    fileprivate init(isNegative: Bool, rounding coefficient: WideCoefficient, exponent: Int) {
        var isExact = true
        self.init(
            isNegative: isNegative, rounding: coefficient, exponent: exponent, isExact: &isExact)
    }

    /// The NaN that an operation passes on: a signaling one first, then the left one.
    fileprivate static func passedOn(_ left: Decimal128, _ right: Decimal128) -> Decimal128? {
        if left.isSignalingNaN { return left.quieted }
        if right.isSignalingNaN { return right.quieted }
        if left.isNaN { return left.quieted }
        return right.isNaN ? right.quieted : nil
    }
}

extension Decimal128: SignedNumeric {
    /// Zero, of exponent 0.
    public static var zero: Decimal128 { Decimal128() }

    /// Changes the sign.
    public mutating func negate() { self = -self }

    /// The sum, correctly rounded.
    public static func + (left: Decimal128, right: Decimal128) -> Decimal128 {
        guard let first = left.finite, let second = right.finite else {
            if let nan = passedOn(left, right) { return nan }
            if left.isInfinite && right.isInfinite {
                return left.isSigned == right.isSigned ? left.infinityOfSign : .nan
            }
            return (left.isInfinite ? left : right).infinityOfSign
        }
        return first.exponent >= second.exponent
            ? sum(first, aligned: second) : sum(second, aligned: first)
    }

    /// The difference, correctly rounded.
    public static func - (left: Decimal128, right: Decimal128) -> Decimal128 {
        right.isNaN ? left + right : left + -right
    }

    /// The product, correctly rounded.
    public static func * (left: Decimal128, right: Decimal128) -> Decimal128 {
        let isNegative = left.isSigned != right.isSigned
        guard let first = left.finite, let second = right.finite else {
            if let nan = passedOn(left, right) { return nan }
            if left.isZero || right.isZero { return .nan }
            return isNegative ? -.infinity : .infinity
        }
        return Decimal128(
            isNegative: isNegative,
            rounding: WideCoefficient(productOf: first.coefficient, second.coefficient),
            exponent: first.exponent + second.exponent)
    }

    /// The quotient, correctly rounded; an infinity when only the divisor is zero.
    public static func / (left: Decimal128, right: Decimal128) -> Decimal128 {
        let isNegative = left.isSigned != right.isSigned
        guard let dividend = left.finite, let divisor = right.finite else {
            if let nan = passedOn(left, right) { return nan }
            if left.isInfinite && right.isInfinite { return .nan }
            if left.isInfinite { return isNegative ? -.infinity : .infinity }
            return Decimal128(
                Finite(isNegative: isNegative, coefficient: 0, exponent: exponentMin))
        }
        if divisor.coefficient == 0 {
            if dividend.coefficient == 0 { return .nan }
            return isNegative ? -.infinity : .infinity
        }
        return quotient(dividend, by: divisor, isNegative: isNegative)
    }

    /// Multiplies in place.
    public static func *= (left: inout Decimal128, right: Decimal128) { left = left * right }

    /// Divides in place.
    public static func /= (left: inout Decimal128, right: Decimal128) { left = left / right }

    /// The infinity of the same sign, without the bits that mean nothing.
    private var infinityOfSign: Decimal128 { isSigned ? -.infinity : .infinity }
}

extension Decimal128 {
    /// The sum of two numbers of which the first has the greater exponent, or an equal one.
    private static func sum(_ upper: Finite, aligned lower: Finite) -> Decimal128 {
        var lower = lower
        let digits = PowersOfTen.digitCount(of: upper.coefficient)
        if upper.coefficient == 0 {
            return zeroSum(upper, lower) ?? Decimal128(lower)
        } else if lower.coefficient == 0 {
            lower.exponent = Swift.max(lower.exponent, upper.exponent - digitCountMax - 1)
        } else {
            // Below two digits after the last one of the result, all that counts is that there is
            // one.
            let floor = upper.exponent + Swift.min(-1, digits - digitCountMax - 2)
            if PowersOfTen.digitCount(of: lower.coefficient) + lower.exponent - 1 < floor {
                lower.coefficient = 1
                lower.exponent = floor
            }
        }
        let first = WideCoefficient(upper.coefficient)
            .times(tenToThe: upper.exponent - lower.exponent)
        let second = WideCoefficient(lower.coefficient)
        if upper.isNegative == lower.isNegative {
            return Decimal128(
                isNegative: upper.isNegative, rounding: first + second, exponent: lower.exponent)
        }
        if first == second {
            return Decimal128(
                Finite(isNegative: false, coefficient: 0, exponent: lower.exponent))
        }
        let isFirstGreater = second < first
        return Decimal128(
            isNegative: isFirstGreater ? upper.isNegative : lower.isNegative,
            rounding: isFirstGreater ? first - second : second - first,
            exponent: lower.exponent)
    }

    private static func zeroSum(_ upper: Finite, _ lower: Finite) -> Decimal128? {
        guard lower.coefficient == 0 else { return nil }
        return Decimal128(
            Finite(
                isNegative: upper.isNegative && lower.isNegative, coefficient: 0,
                exponent: lower.exponent))
    }

    /// The quotient of finite numbers, the second one not zero.
    private static func quotient(
        _ dividend: Finite, by divisor: Finite, isNegative: Bool
    ) -> Decimal128 {
        let idealExponent = dividend.exponent - divisor.exponent
        if dividend.coefficient == 0 {
            return Decimal128(
                isNegative: isNegative, rounding: WideCoefficient(0), exponent: idealExponent)
        }
        // At least one digit more than are kept, so that a last digit can say "and more".
        let shift =
            PowersOfTen.digitCount(of: divisor.coefficient)
            - PowersOfTen.digitCount(of: dividend.coefficient) + digitCountMax + 1
        let scaled = WideCoefficient(dividend.coefficient).times(tenToThe: shift)
        var (quotient, remainder) = divisor.coefficient.dividingFullWidth((scaled.high, scaled.low))
        var exponent = idealExponent - shift
        if remainder != 0 {
            if quotient % 5 == 0 { quotient += 1 }
        } else {
            while exponent < idealExponent && quotient % 10 == 0 {
                quotient /= 10
                exponent += 1
            }
        }
        return Decimal128(
            isNegative: isNegative, rounding: WideCoefficient(quotient), exponent: exponent)
    }
}
