import TravertineStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Decimals from and to other types of numbers.
extension Decimal128 {
    /// The decimal nearest to an integer; exact up to 34 digits, so for all of 64 bits.
    public init<Integer: BinaryInteger>(_ integer: Integer) {
        var isExact = true
        self.init(integer, isExact: &isExact)
    }

    /// The decimal that is an integer exactly; nil if that has more than 34 digits that count.
    public init?<Integer: BinaryInteger>(exactly integer: Integer) {
        var isExact = true
        self.init(integer, isExact: &isExact)
        if !isExact { return nil }
    }

    private init<Integer: BinaryInteger>(_ integer: Integer, isExact: inout Bool) {
        let isNegative = integer < 0
        if let magnitude = UInt128(exactly: integer.magnitude) {
            self.init(
                isNegative: isNegative, rounding: WideCoefficient(magnitude), exponent: 0,
                isExact: &isExact)
        } else {
            self = Self.parse(String(integer), isExact: &isExact) ?? .nan
        }
    }

    /// The shortest decimal that reads back as the same floating-point number: 0.1 is 0.1.
    public init<Number: BinaryFloatingPoint & LosslessStringConvertible>(_ number: Number) {
        let isNegative = number.sign == .minus
        if number.isNaN {
            self.init(nanPayload: 0, isSignaling: false, isNegative: false)
        } else if number.isInfinite {
            self = isNegative ? -.infinity : .infinity
        } else if number.rounded(.towardZero) == number, number.magnitude < 0x1p53 {
            // "5.0" is Swift's way to write 5, not a statement about decimals.
            let magnitude = UInt128(number.magnitude)
            self.init(Finite(isNegative: isNegative, coefficient: magnitude, exponent: 0))
        } else {
            self = Decimal128(rounding: number.description) ?? .nan
        }
    }

    /// The decimal nearest to a `Decimal` of Foundation, which may have 38 digits.
    public init(_ decimal: Decimal) {
        self = Decimal128(rounding: decimal.description) ?? .nan
    }

    /// The decimal that an integer is.
    public init<Integer: BinaryInteger>(number: Integer) { self.init(number) }

    /// The shortest decimal that reads back as the same floating-point number.
    public init<Number: BinaryFloatingPoint & LosslessStringConvertible>(number: Number) {
        self.init(number)
    }

    /// The decimal nearest to a `Decimal` of Foundation.
    public init(number: Decimal) { self.init(number) }

    /// The decimal of a boxed number, as `NSNumber` is one; anything else is a programming error.
    public init(number: AnyObject) { self.init(value: number) }

    /// The decimal of an integer, a floating-point number, a `Decimal` or a text; NaN for `NSNull`.
    ///
    /// Anything else, and a text that is not exactly a decimal, is a programming error.
    public init(value: Any) {
        if isNone(value) {
            self = .nan
            return
        }
        guard let number = Self.converted(from: value) else {
            misuse(
                "\(ValueText.withType(value)) is not a decimal. Decimal128(value:) takes "
                    + "integers, floating-point numbers, Decimal and texts of up to 34 digits; "
                    + "Decimal128(string:) throws where this stops.")
        }
        self = number
    }

    /// The decimal of anything that is one, or that is text of one.
    static func converted(from value: Any) -> Decimal128? {
        switch value {
        case let number as Decimal128: number
        case let text as String: Decimal128(text)
        case let number as Double: Decimal128(number)
        case let number as Float: Decimal128(number)
        case let number as Decimal: Decimal128(number)
        case let number as any BinaryInteger: Decimal128(exactly: number)
        default: nil
        }
    }

    /// The floating-point number nearest to this one, ties to even.
    public var doubleValue: Double {
        if isNaN { return .nan }
        if isInfinite { return isSigned ? -.infinity : .infinity }
        return Double(description) ?? .nan
    }

    /// The integer that this number is, or is cut off to; nil if 64 bits do not hold it.
    public var int64Value: Int64? {
        integer(ofType: Int64.self, isTruncating: true)
    }

    /// The number as a `Decimal` of Foundation; nil where that has no such number.
    public var decimalValue: Decimal? {
        guard let finite, let result = Decimal(string: description) else { return nil }
        if finite.coefficient == 0 { return result }
        return Decimal128(result) == self ? result : nil
    }

    fileprivate func integer<Integer: FixedWidthInteger>(
        ofType: Integer.Type, isTruncating: Bool
    ) -> Integer? {
        guard let finite else { return nil }
        if finite.coefficient == 0 { return 0 }
        var magnitude = finite.coefficient
        if finite.exponent >= 0 {
            let digits = PowersOfTen.digitCount(of: magnitude)
            guard digits + finite.exponent <= PowersOfTen.exponentMax else { return nil }
            magnitude *= PowersOfTen[finite.exponent]
        } else if finite.exponent < -Self.digitCountMax {
            if !isTruncating { return nil }
            magnitude = 0
        } else {
            let (whole, rest) = magnitude.quotientAndRemainder(
                dividingBy: PowersOfTen[-finite.exponent])
            if rest != 0 && !isTruncating { return nil }
            magnitude = whole
        }
        guard let signed = Int128(exactly: magnitude) else { return nil }
        return Integer(exactly: finite.isNegative ? -signed : signed)
    }
}

extension FixedWidthInteger {
    /// The integer that a decimal is; nil if it is none, or none of this type.
    public init?(exactly decimal: Decimal128) {
        guard let value = decimal.integer(ofType: Self.self, isTruncating: false) else {
            return nil
        }
        self = value
    }
}

extension Decimal128: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral
{
    /// The decimal of an integer literal.
    public init(integerLiteral value: Int64) { self.init(value) }

    /// The shortest decimal that reads back as the literal's floating-point number.
    ///
    /// More than 17 digits must be written as text: `let number: Decimal128 = "0.1234…"`.
    public init(floatLiteral value: Double) { self.init(value) }

    /// The decimal that a text says; text that says none exactly is a programming error.
    public init(stringLiteral value: String) { self.init(value: value) }
}

extension Decimal128: Codable {
    /// Decodes a text, or a number.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            try self.init(string: text)
        } else if let integer = try? container.decode(Int64.self) {
            self.init(integer)
        } else if let number = try? container.decode(Double.self) {
            self.init(number)
        } else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "A Decimal128 is a text or a number.")
        }
    }

    /// Encodes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
