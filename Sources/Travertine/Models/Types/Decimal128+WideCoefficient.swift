/// An unsigned integer of 256 bits: what exact intermediate results of decimals need.
///
/// A product of two coefficients has 68 digits, an aligned sum or dividend at most 70; 256 bits
/// hold 77.
struct WideCoefficient: Comparable {
    var high: UInt128
    var low: UInt128

    init(_ number: UInt128) {
        high = 0
        low = number
    }

    init(productOf left: UInt128, _ right: UInt128) {
        (high, low) = left.multipliedFullWidth(by: right)
    }

    /// The coefficient times a power of ten; the result fits.
    func times(tenToThe power: Int) -> WideCoefficient {
        let step = Swift.min(power, PowersOfTen.exponentMax)
        let factor = PowersOfTen[step]
        var product = WideCoefficient(productOf: low, factor)
        product.high += high * factor
        return step == power ? product : product.times(tenToThe: power - step)
    }

    static func < (left: WideCoefficient, right: WideCoefficient) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }

    static func + (left: WideCoefficient, right: WideCoefficient) -> WideCoefficient {
        var sum = left
        let carry: Bool
        (sum.low, carry) = left.low.addingReportingOverflow(right.low)
        sum.high += right.high + (carry ? 1 : 0)
        return sum
    }

    /// The difference; `right` is not greater than `left`.
    static func - (left: WideCoefficient, right: WideCoefficient) -> WideCoefficient {
        var difference = left
        let borrow: Bool
        (difference.low, borrow) = left.low.subtractingReportingOverflow(right.low)
        difference.high -= right.high + (borrow ? 1 : 0)
        return difference
    }

    /// The number of decimal digits; 0 for zero.
    var digitCount: Int {
        if high == 0 { return PowersOfTen.digitCount(of: low) }
        // 1233 / 4096 is the logarithm of 2, exact enough up to 256 bits.
        let guess = ((256 - high.leadingZeroBitCount) * 1233) >> 12
        return self < WideCoefficient(1).times(tenToThe: guess) ? guess : guess + 1
    }
}

extension WideCoefficient {
    /// What a division leaves, against half of the divisor.
    enum Rest: Int, Comparable {
        case nothing
        case belowHalf
        case half
        case aboveHalf

        static func < (left: Rest, right: Rest) -> Bool { left.rawValue < right.rawValue }
    }

    /// The quotient by a power of ten, which fits into 128 bits, and what is left.
    func divided(byTenToThe power: Int) -> (quotient: UInt128, rest: Rest) {
        if power == 0 { return (low, .nothing) }
        if power > digitCount { return (0, high == 0 && low == 0 ? .nothing : .belowHalf) }
        if power <= PowersOfTen.exponentMax {
            let divisor = PowersOfTen[power]
            let (quotient, remainder) = divisor.dividingFullWidth((high, low))
            return (quotient, Self.rest(remainder, of: divisor, isSticky: false))
        }
        let first = PowersOfTen[PowersOfTen.exponentMax].dividingFullWidth((high, low))
        let divisor = PowersOfTen[power - PowersOfTen.exponentMax]
        let (quotient, remainder) = first.quotient.quotientAndRemainder(dividingBy: divisor)
        return (quotient, Self.rest(remainder, of: divisor, isSticky: first.remainder != 0))
    }

    private static func rest(_ remainder: UInt128, of divisor: UInt128, isSticky: Bool) -> Rest {
        if remainder == 0 && !isSticky { return .nothing }
        let half = divisor / 2
        if remainder == half && !isSticky { return .half }
        return remainder < half ? .belowHalf : .aboveHalf
    }
}

/// The powers of ten that fit into 128 bits.
enum PowersOfTen {
    /// The exponent of the greatest one.
    static let exponentMax = 38

    private static let powers: [UInt128] = (0...exponentMax).map { exponent in
        (0..<exponent).reduce(1) { power, _ in power * 10 }
    }

    static subscript(exponent: Int) -> UInt128 { powers[exponent] }

    /// The number of decimal digits; 0 for zero.
    static func digitCount(of number: UInt128) -> Int {
        if number == 0 { return 0 }
        let guess = ((128 - number.leadingZeroBitCount) * 1233) >> 12
        return guess <= exponentMax && number >= powers[guess] ? guess + 1 : guess
    }
}
