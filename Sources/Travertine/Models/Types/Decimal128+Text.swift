/// Decimals from and to text, exactly (E3).
extension Decimal128 {
    /// The number that a text says, exactly.
    ///
    /// The text has an optional sign, then digits with at most one point among them and an optional
    /// exponent ("E+5"), or "Infinity", "Inf", "NaN", "sNaN", the last two optionally with a number
    /// after them; capital or small letters.
    ///
    /// - Throws: `Realm.Error` with code `.invalidInput` when the text is anything else, or when it
    ///   takes more than 34 digits or a greater exponent to represent. `init(rounding:)` rounds.
    public init(string: String) throws {
        var isExact = true
        guard let number = Self.parse(string, isExact: &isExact) else {
            throw Realm.Error(.invalidInput, "\"\(string)\" is not a decimal number.")
        }
        guard isExact else {
            throw Realm.Error(
                .invalidInput,
                "\"\(string)\" has no exact Decimal128: that has 34 digits and exponents from "
                    + "-6143 to 6144. Use Decimal128(rounding:) for the nearest one.")
        }
        self = number
    }

    /// The number nearest to what a text says, ties to even; nil if the text is not a number.
    public init?(rounding text: String) {
        var isExact = true
        guard let number = Self.parse(text, isExact: &isExact) else { return nil }
        self = number
    }

    /// The number as the standard writes it: "-1.50", "1E+9", "Infinity", "NaN".
    public var stringValue: String { description }

    static func parse(_ text: String, isExact: inout Bool) -> Decimal128? {
        var text = text
        return text.withUTF8 { bytes in
            var rest = bytes[...]
            var isNegative = false
            if let first = rest.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "+") {
                isNegative = first == UInt8(ascii: "-")
                rest.removeFirst()
            }
            guard let first = rest.first else { return nil }
            if first == UInt8(ascii: ".") || digit(first) != nil {
                return parseFinite(rest, isNegative: isNegative, isExact: &isExact)
            }
            return parseSpecial(rest, isNegative: isNegative)
        }
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        let value = byte &- UInt8(ascii: "0")
        return value < 10 ? value : nil
    }

    private static func parseFinite(
        _ text: Slice<UnsafeBufferPointer<UInt8>>, isNegative: Bool, isExact: inout Bool
    ) -> Decimal128? {
        var digits = DigitReader()
        var rest = text
        while let byte = rest.first {
            if let value = digit(byte) {
                digits.append(value)
            } else if byte == UInt8(ascii: "."), !digits.hasPoint {
                digits.hasPoint = true
            } else {
                break
            }
            rest.removeFirst()
        }
        guard digits.hasDigits else { return nil }
        var exponent = 0
        if let byte = rest.first {
            guard byte | 0x20 == UInt8(ascii: "e"), let value = parseExponent(rest.dropFirst())
            else { return nil }
            exponent = value
        }
        if digits.lostDigits { isExact = false }
        return Decimal128(
            isNegative: isNegative, rounding: WideCoefficient(digits.coefficient),
            exponent: exponent + digits.exponent, isExact: &isExact)
    }

    /// The exponent; it stops growing where it makes no difference any more.
    private static func parseExponent(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
        var rest = text
        var isNegative = false
        if let first = rest.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "+") {
            isNegative = first == UInt8(ascii: "-")
            rest.removeFirst()
        }
        if rest.isEmpty { return nil }
        var exponent = 0
        for byte in rest {
            guard let value = digit(byte) else { return nil }
            exponent = Swift.min(exponent * 10 + Int(value), 1 << 58)
        }
        return isNegative ? -exponent : exponent
    }

    private static func parseSpecial(
        _ text: Slice<UnsafeBufferPointer<UInt8>>, isNegative: Bool
    ) -> Decimal128? {
        let word = text.prefix { digit($0) == nil }.map { $0 | 0x20 }
        let rest = text.dropFirst(word.count).drop { $0 == UInt8(ascii: "0") }
        var payload: UInt128 = 0
        for byte in rest {
            guard let value = digit(byte), payload < payloadEnd / 10 else { return nil }
            payload = payload * 10 + UInt128(value)
        }
        switch String(decoding: word, as: UTF8.self) {
        case "inf", "infinity":
            guard word.count == text.count else { return nil }
            return isNegative ? -.infinity : .infinity
        case "nan":
            return Decimal128(nanPayload: payload, isSignaling: false, isNegative: isNegative)
        case "snan":
            return Decimal128(nanPayload: payload, isSignaling: true, isNegative: isNegative)
        default: return nil
        }
    }

    /// Reads digits of a text: the first 37 that count, and whether any after them does.
    private struct DigitReader {
        private(set) var coefficient: UInt128 = 0
        /// The exponent of the last digit of `coefficient`.
        private(set) var exponent = 0
        private(set) var hasDigits = false
        private(set) var lostDigits = false
        private var count = 0
        var hasPoint = false

        mutating func append(_ digit: UInt8) {
            hasDigits = true
            if count < 37 {
                coefficient = coefficient * 10 + UInt128(digit)
                if coefficient != 0 { count += 1 }
                if hasPoint { exponent -= 1 }
                return
            }
            // The last digit is beyond those of the result: a 1 says that more follows.
            if digit != 0 {
                lostDigits = true
                if coefficient % 10 == 0 { coefficient += 1 }
            }
            if !hasPoint { exponent += 1 }
        }
    }
}

extension Decimal128: CustomStringConvertible, LosslessStringConvertible {
    /// The number that a text says; nil if there is none, or none exactly.
    public init?(_ description: String) {
        var isExact = true
        guard let number = Self.parse(description, isExact: &isExact), isExact else { return nil }
        self = number
    }

    /// The number as the standard writes it: "-1.50", "1E+9", "Infinity", "NaN".
    public var description: String {
        let sign = isSigned ? "-" : ""
        guard let finite else {
            if isInfinite { return sign + "Infinity" }
            let word = sign + (isSignalingNaN ? "sNaN" : "NaN")
            return nanPayload == 0 ? word : word + String(nanPayload)
        }
        let digits = String(finite.coefficient)
        let firstExponent = finite.exponent + digits.utf8.count - 1
        if finite.exponent <= 0 && firstExponent >= -6 {
            return sign + Self.plain(digits, decimals: -finite.exponent)
        }
        let mantissa =
            digits.utf8.count == 1 ? digits : digits.prefix(1) + "." + digits.dropFirst()
        return sign + mantissa + "E" + (firstExponent < 0 ? "" : "+") + String(firstExponent)
    }

    private static func plain(_ digits: String, decimals: Int) -> String {
        if decimals == 0 { return digits }
        let missing = decimals + 1 - digits.utf8.count
        let padded = missing > 0 ? String(repeating: "0", count: missing) + digits : digits
        return padded.dropLast(decimals) + "." + padded.suffix(decimals)
    }
}
