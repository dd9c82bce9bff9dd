/// Reading numbers.
extension JSONScanner {
    private static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
        1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    ]

    /// Reads a number.
    public mutating func number() throws(JSONFailure) -> JSONNumber {
        let start = offset
        let parts = try numberParts()
        let digits = parts.digits
        if parts.isInteger && digits.isExact {
            let magnitude = digits.value
            if parts.isNegative && magnitude <= 1 << 63 {
                return .integer(Int64(truncatingIfNeeded: 0 &- magnitude))
            }
            if !parts.isNegative && magnitude < 1 << 63 { return .integer(Int64(magnitude)) }
        }
        let value = try double(parts, from: start)
        if parts.isInteger && !(digits.isExact && Double(exactly: digits.value) != nil) {
            return .tooLarge
        }
        return value.isFinite ? .double(value) : .tooLarge
    }

    /// Reads a number and gives its text.
    public mutating func numberText() throws(JSONFailure) -> String {
        let start = offset
        try skipNumber()
        return numberText(from: start)
    }

    /// Reads a number that must be whole, from 0 on, and of 64 bits.
    public mutating func wholeNumber() throws(JSONFailure) -> UInt64 {
        let start = offset
        let parts = try numberParts()
        guard parts.isInteger, parts.digits.isExact, !parts.isNegative else {
            throw failure("a whole number from 0 to 2^64 - 1 expected", at: start)
        }
        return parts.digits.value
    }

    /// Reads a number by its grammar alone.
    public mutating func skipNumber() throws(JSONFailure) { _ = try numberParts() }

    // MARK: Parts

    private struct Parts {
        var isNegative = false
        var isInteger = true
        var digits = Digits()
        var exponent = 0
    }

    private struct Digits {
        var value: UInt64 = 0
        var isExact = true

        @inline(__always)
        mutating func append(_ digit: UInt8) {
            let (product, isOver) = value.multipliedReportingOverflow(by: 10)
            let (sum, isSumOver) = product.addingReportingOverflow(UInt64(digit))
            if isOver || isSumOver { isExact = false }
            value = sum
        }
    }

    @inline(__always)
    private mutating func numberParts() throws(JSONFailure) -> Parts {
        var parts = Parts()
        let start = offset
        parts.isNegative = byte == UInt8(ascii: "-")
        if parts.isNegative { offset += 1 }
        let hasLeadingZero = byte == UInt8(ascii: "0")
        let count = take(&parts.digits)
        guard count == 1 || count > 1 && !hasLeadingZero else {
            throw failure("a number has digits, and no zero before them", at: start)
        }
        if byte == UInt8(ascii: ".") {
            parts.isInteger = false
            offset += 1
            let count = take(&parts.digits)
            if count == 0 { throw failure("digits expected after the point") }
            parts.exponent = -count
        }
        if let byte, byte | 0x20 == UInt8(ascii: "e") {
            parts.isInteger = false
            parts.exponent += try writtenExponent()
        }
        return parts
    }

    /// Takes digits, and says how many.
    @inline(__always)
    private mutating func take(_ digits: inout Digits) -> Int {
        let start = offset
        while let byte, byte &- 0x30 < 10 {
            digits.append(byte &- 0x30)
            offset += 1
        }
        return offset - start
    }

    private mutating func writtenExponent() throws(JSONFailure) -> Int {
        offset += 1
        let isNegative = byte == UInt8(ascii: "-")
        if isNegative || byte == UInt8(ascii: "+") { offset += 1 }
        var digits = Digits()
        if take(&digits) == 0 { throw failure("digits expected in the exponent") }
        let magnitude = digits.isExact ? Int(min(digits.value, 1_000_000)) : 1_000_000
        return isNegative ? -magnitude : magnitude
    }

    private func double(_ parts: Parts, from start: Int) throws(JSONFailure) -> Double {
        let (digits, exponent) = (parts.digits, parts.exponent)
        // Both factors are exact, so that the one operation rounds correctly.
        if digits.isExact && digits.value <= 1 << 53 && abs(exponent) <= 22 {
            let power = Self.powersOfTen[abs(exponent)]
            let value = Double(digits.value)
            let magnitude = exponent < 0 ? value / power : value * power
            return parts.isNegative ? -magnitude : magnitude
        }
        guard let value = Double(numberText(from: start)) else {
            throw failure("not a number", at: start)
        }
        return value
    }

    /// The number that was read, which is ASCII.
    private func numberText(from start: Int) -> String {
        String(
            decoding: UnsafeRawBufferPointer(rebasing: bytes[start..<offset])
                .assumingMemoryBound(to: UInt8.self), as: UTF8.self)
    }
}
