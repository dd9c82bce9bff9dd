import RealmSwift

@testable import Travertine

/// A finite number without rounding: ± coefficient × 2^twos × 10^tens.
private struct ExactNumber {
    var isNegative: Bool
    var coefficient: UInt128
    var twos = 0
    var tens = 0

    init(_ value: Int) {
        isNegative = value < 0
        coefficient = UInt128(value.magnitude)
    }

    init(_ value: Double) {
        isNegative = value.sign == .minus
        coefficient = UInt128(value.significandBitPattern)
        if value.isNormal {
            coefficient += 1 << 52
            twos = Int(value.exponentBitPattern) - 1075
        } else {
            twos = -1074
        }
    }

    init(_ value: Decimal128.Finite) {
        isNegative = value.isNegative
        coefficient = value.coefficient
        tens = value.exponent
    }

    /// About the logarithm to the base of ten; it is right to much less than 1.
    var magnitude: Double {
        var digits = 0
        var rest = coefficient
        while rest >= 1_000_000 {
            rest /= 10
            digits += 1
        }
        var logarithm = 0.0
        while rest >= 10 {
            rest /= 10
            logarithm += 1
        }
        return logarithm + Double(digits + tens) + Double(twos) * 0.301_029_995_663_981_2
    }

    /// -1, 0 or 1.
    static func order(_ left: ExactNumber, _ right: ExactNumber) -> Int {
        if left.coefficient == 0 && right.coefficient == 0 { return 0 }
        if left.coefficient == 0 { return right.isNegative ? 1 : -1 }
        if right.coefficient == 0 { return left.isNegative ? -1 : 1 }
        if left.isNegative != right.isNegative { return left.isNegative ? -1 : 1 }
        let sign = left.isNegative ? -1 : 1
        let difference = left.magnitude - right.magnitude
        // The first digit is cut off, so that each of the two may be wrong by one.
        if difference > 3 { return sign }
        if difference < -3 { return -sign }
        let (twos, tens) = (min(left.twos, right.twos), min(left.tens, right.tens))
        let first = left.digits(twos: left.twos - twos, tens: left.tens - tens)
        let second = right.digits(twos: right.twos - twos, tens: right.tens - tens)
        if first.count != second.count { return first.count < second.count ? -sign : sign }
        for (one, other) in zip(first.reversed(), second.reversed()) where one != other {
            return one < other ? -sign : sign
        }
        return 0
    }

    /// The digits to the base 2^32 of coefficient × 2^twos × 10^tens, the lowest first, without
    /// zeros at the end.
    private func digits(twos: Int, tens: Int) -> [UInt32] {
        var digits: [UInt32] = []
        var rest = coefficient
        while rest > 0 {
            digits.append(UInt32(truncatingIfNeeded: rest))
            rest >>= 32
        }
        func multiply(_ factor: UInt64) {
            var carry: UInt64 = 0
            for index in digits.indices {
                let product = UInt64(digits[index]) * factor + carry
                digits[index] = UInt32(truncatingIfNeeded: product)
                carry = product >> 32
            }
            if carry > 0 { digits.append(UInt32(carry)) }
        }
        for _ in 0..<(tens / 9) { multiply(1_000_000_000) }
        for _ in 0..<(tens % 9) { multiply(10) }
        for _ in 0..<(twos / 31) { multiply(1 << 31) }
        for _ in 0..<(twos % 31) { multiply(2) }
        return digits
    }
}

/// Numbers of all types for the plain evaluator: compared exactly, calculated as Q14 says.
enum PlainNumber {
    case int(Int)
    case double(Double)
    case decimal(Decimal128)

    init?(_ value: WorldValue) {
        switch value {
        case .int(let value): self = .int(value)
        case .float(let value): self = .double(Double(value))
        case .double(let value): self = .double(value)
        case .decimal(let value): self = .decimal(value)
        default: return nil
        }
    }

    var value: WorldValue {
        switch self {
        case .int(let value): .int(value)
        case .double(let value): .double(value)
        case .decimal(let value): .decimal(value)
        }
    }

    var isNaN: Bool {
        switch self {
        case .int: false
        case .double(let value): value.isNaN
        case .decimal(let value): value.isNaN
        }
    }

    /// -1 for minus infinity, 1 for infinity, 0 for the rest.
    private var infinity: Int {
        switch self {
        case .int: 0
        case .double(let value): value.isInfinite ? (value < 0 ? -1 : 1) : 0
        case .decimal(let value): value.isInfinite ? (value.isSigned ? -1 : 1) : 0
        }
    }

    private var exact: ExactNumber {
        switch self {
        case .int(let value): ExactNumber(value)
        case .double(let value): ExactNumber(value)
        case .decimal(let value): value.finite.map { ExactNumber($0) } ?? ExactNumber(0)
        }
    }

    /// -1, 0 or 1; nil where one of them is NaN.
    static func order(_ left: PlainNumber, _ right: PlainNumber) -> Int? {
        if left.isNaN || right.isNaN { return nil }
        if left.infinity != 0 || right.infinity != 0 {
            return left.infinity < right.infinity ? -1 : left.infinity > right.infinity ? 1 : 0
        }
        switch (left, right) {
        // A double is compared with a decimal as the decimal that it prints as (Q3).
        case (.double(let value), .decimal(let other)):
            return order(.decimal(Decimal128(value)), .decimal(other))
        case (.decimal(let value), .double(let other)):
            return order(.decimal(value), .decimal(Decimal128(other)))
        default: return ExactNumber.order(left.exact, right.exact)
        }
    }

    var asDouble: Double {
        switch self {
        case .int(let value): Double(value)
        case .double(let value): value
        case .decimal(let value): value.doubleValue
        }
    }

    var asDecimal: Decimal128 {
        switch self {
        case .int(let value): Decimal128(value)
        case .double(let value): Decimal128(value)
        case .decimal(let value): value
        }
    }

    /// The result of an operation; nil where it has none.
    static func result(
        _ left: PlainNumber, _ operation: ArithmeticOperation, _ right: PlainNumber
    ) -> PlainNumber? {
        switch (left, right) {
        case (.int(let first), .int(let second)):
            let (value, overflow): (Int, Bool)
            switch operation {
            case .add: (value, overflow) = first.addingReportingOverflow(second)
            case .subtract: (value, overflow) = first.subtractingReportingOverflow(second)
            case .multiply: (value, overflow) = first.multipliedReportingOverflow(by: second)
            case .divide:
                if second == 0 { return nil }
                (value, overflow) = first.dividedReportingOverflow(by: second)
            }
            if !overflow { return .int(value) }
            return .double(calculate(Double(first), operation, Double(second)))
        case (.decimal, _), (_, .decimal):
            let (first, second) = (left.asDecimal, right.asDecimal)
            switch operation {
            case .add: return .decimal(first + second)
            case .subtract: return .decimal(first - second)
            case .multiply: return .decimal(first * second)
            case .divide: return .decimal(first / second)
            }
        default:
            return .double(calculate(left.asDouble, operation, right.asDouble))
        }
    }

    private static func calculate(
        _ first: Double, _ operation: ArithmeticOperation, _ second: Double
    ) -> Double {
        switch operation {
        case .add: first + second
        case .subtract: first - second
        case .multiply: first * second
        case .divide: first / second
        }
    }
}
