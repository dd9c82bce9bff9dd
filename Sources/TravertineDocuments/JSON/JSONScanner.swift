/// Reads the words of JSON from bytes that may hold anything.
///
/// It follows RFC 8259 to the letter: no comments, no trailing commas, no unpaired surrogates, no
/// bytes that are not UTF-8. Unsafe by subject: it reads from a buffer without copying. Invariant:
/// `offset` never exceeds the buffer's count, and every byte is read through `byte`, which checks.
struct JSONScanner {
    private let bytes: UnsafeRawBufferPointer
    var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// The next byte; nil at the end.
    @inline(__always)
    var byte: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    func failure(_ reason: String, at offset: Int? = nil) -> DocumentError {
        .invalidJSON(
            reason: reason, position: TextPosition(offset: offset ?? self.offset, in: bytes))
    }

    @inline(__always)
    mutating func skipSpace() {
        while let byte, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            offset += 1
        }
    }

    /// Takes a byte if it comes next, behind any space.
    @inline(__always)
    mutating func take(_ expected: UInt8) -> Bool {
        skipSpace()
        guard byte == expected else { return false }
        offset += 1
        return true
    }

    /// Takes a byte that has to come next, behind any space.
    @inline(__always)
    mutating func require(_ expected: UInt8, _ place: StaticString) throws(DocumentError) {
        if !take(expected) { throw missing(expected, place) }
    }

    private func missing(_ expected: UInt8, _ place: StaticString) -> DocumentError {
        let found = byte.map { "\"\(Character(UnicodeScalar($0)))\"" } ?? "the end"
        return failure(
            "\"\(Character(UnicodeScalar(expected)))\" expected \(place), \(found) found")
    }

    /// Reads "null", "true" or "false".
    mutating func word(_ word: StaticString) throws(DocumentError) {
        let start = offset
        for index in 0..<word.utf8CodeUnitCount {
            guard byte == word.utf8Start[index] else {
                throw failure("\"\(word)\" expected", at: start)
            }
            offset += 1
        }
    }

    /// Reads a text in quotes.
    mutating func string() throws(DocumentError) -> String {
        try require(UInt8(ascii: "\""), "before a text")
        let start = offset
        while let byte {
            if byte == UInt8(ascii: "\"") {
                defer { offset += 1 }
                return try text(start..<offset)
            }
            if byte == UInt8(ascii: "\\") { return try escapedString(from: start) }
            if byte < 0x20 { throw failure("a control character in a text has to be escaped") }
            offset += 1
        }
        throw failure("a text does not end", at: start - 1)
    }

    /// Reads a text in quotes and gives its bytes where they stand; nil, with nothing read, if
    /// there is an escape in it.
    @inline(__always)
    mutating func plainText() throws(DocumentError) -> UnsafeRawBufferPointer? {
        guard byte == UInt8(ascii: "\"") else { throw missing(UInt8(ascii: "\""), "before a text") }
        var end = offset + 1
        while end + 8 <= bytes.count,
            !JSONBytes.hasSpecial(bytes.loadUnaligned(fromByteOffset: end, as: UInt64.self))
        {
            end += 8
        }
        while end < bytes.count, bytes[end] >= 0x20, bytes[end] != UInt8(ascii: "\""),
            bytes[end] != UInt8(ascii: "\\")
        {
            end += 1
        }
        guard end < bytes.count, bytes[end] == UInt8(ascii: "\"") else {
            // An escape; or an error, which reading a string tells.
            if end < bytes.count, bytes[end] == UInt8(ascii: "\\") { return nil }
            _ = try string()
            return nil
        }
        let slice = UnsafeRawBufferPointer(rebasing: bytes[offset + 1..<end])
        guard UTF8Text.isValid(slice) else { throw failure("a text is not UTF-8", at: offset + 1) }
        offset = end + 1
        return slice
    }

    private func text(_ range: Range<Int>) throws(DocumentError) -> String {
        let slice = UnsafeRawBufferPointer(rebasing: bytes[range])
        guard let text = UTF8Text.string(slice) else {
            throw failure("a text is not UTF-8", at: range.lowerBound)
        }
        return text
    }

    private mutating func escapedString(from start: Int) throws(DocumentError) -> String {
        var result = Array(bytes[start..<offset])
        while let byte {
            offset += 1
            if byte == UInt8(ascii: "\"") {
                guard let text = result.withUnsafeBytes({ UTF8Text.string($0) }) else {
                    throw failure("a text is not UTF-8", at: start)
                }
                return text
            }
            if byte == UInt8(ascii: "\\") {
                try escape(&result)
            } else if byte < 0x20 {
                throw failure("a control character in a text has to be escaped", at: offset - 1)
            } else {
                result.append(byte)
            }
        }
        throw failure("a text does not end", at: start - 1)
    }

    private mutating func escape(_ result: inout [UInt8]) throws(DocumentError) {
        let start = offset - 1
        guard let byte else { throw failure("a text does not end", at: start) }
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): result.append(byte)
        case UInt8(ascii: "b"): result.append(0x08)
        case UInt8(ascii: "f"): result.append(0x0C)
        case UInt8(ascii: "n"): result.append(0x0A)
        case UInt8(ascii: "r"): result.append(0x0D)
        case UInt8(ascii: "t"): result.append(0x09)
        case UInt8(ascii: "u"):
            let scalar = try escapedScalar(from: start)
            result.append(contentsOf: String(Character(scalar)).utf8)
        default: throw failure("there is no such escape", at: start)
        }
    }

    private mutating func escapedScalar(from start: Int) throws(DocumentError) -> UnicodeScalar {
        let first = try fourDigits()
        if let scalar = UnicodeScalar(first) { return scalar }
        guard first < 0xDC00, byte == UInt8(ascii: "\\") else {
            throw failure("a surrogate without its pair", at: start)
        }
        offset += 1
        guard byte == UInt8(ascii: "u") else {
            throw failure("a surrogate without its pair", at: start)
        }
        offset += 1
        let second = try fourDigits()
        guard (0xDC00..<0xE000).contains(second),
            let scalar = UnicodeScalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw failure("a surrogate without its pair", at: start) }
        return scalar
    }

    private mutating func fourDigits() throws(DocumentError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte, let digit = Character(UnicodeScalar(byte)).hexDigitValue else {
                throw failure("four hexadecimal digits expected")
            }
            value = value << 4 | UInt32(digit)
            offset += 1
        }
        return value
    }
}

/// A number of JSON: an integer of 64 bits if it is written as one and fits, else the nearest
/// floating-point number.
enum JSONNumber: Equatable {
    case integer(Int64)
    case double(Double)
    /// An integer that neither 64 bits nor a double hold, or a number beyond all doubles.
    case tooLarge
}

extension JSONScanner {
    private static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
        1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    ]

    /// Reads a number.
    mutating func number() throws(DocumentError) -> JSONNumber {
        let start = offset
        let isNegative = byte == UInt8(ascii: "-")
        if isNegative { offset += 1 }
        var digits = Digits()
        let hasLeadingZero = byte == UInt8(ascii: "0")
        guard take(&digits) > 0, !hasLeadingZero || offset - start == (isNegative ? 2 : 1) else {
            throw failure("a number has digits, and no zero before them", at: start)
        }
        var isInteger = true
        var exponent = 0
        if byte == UInt8(ascii: ".") {
            isInteger = false
            offset += 1
            let count = take(&digits)
            if count == 0 { throw failure("digits expected behind the point") }
            exponent = -count
        }
        if let byte, byte | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            exponent += try writtenExponent()
        }
        if isInteger && digits.isExact {
            let magnitude = digits.value
            if isNegative && magnitude <= 1 << 63 {
                return .integer(Int64(truncatingIfNeeded: 0 &- magnitude))
            }
            if !isNegative && magnitude < 1 << 63 { return .integer(Int64(magnitude)) }
        }
        let value = try double(digits, exponent, isNegative: isNegative, from: start)
        if isInteger && !(digits.isExact && Double(exactly: digits.value) != nil) {
            return .tooLarge
        }
        return value.isFinite ? .double(value) : .tooLarge
    }

    /// Reads a number and gives its text.
    mutating func numberText() throws(DocumentError) -> String {
        let start = offset
        _ = try number()
        return try text(start..<offset)
    }

    private func double(
        _ digits: Digits, _ exponent: Int, isNegative: Bool, from start: Int
    ) throws(DocumentError) -> Double {
        // Both factors are exact, so that the one operation rounds correctly.
        if digits.isExact && digits.value <= 1 << 53 && abs(exponent) <= 22 {
            let power = Self.powersOfTen[abs(exponent)]
            let value = Double(digits.value)
            let magnitude = exponent < 0 ? value / power : value * power
            return isNegative ? -magnitude : magnitude
        }
        guard let value = Double(try text(start..<offset)) else {
            throw failure("not a number", at: start)
        }
        return value
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

    /// Takes digits, and says how many.
    private mutating func take(_ digits: inout Digits) -> Int {
        let start = offset
        while let byte, byte &- 0x30 < 10 {
            digits.append(byte &- 0x30)
            offset += 1
        }
        return offset - start
    }

    private mutating func writtenExponent() throws(DocumentError) -> Int {
        offset += 1
        let isNegative = byte == UInt8(ascii: "-")
        if isNegative || byte == UInt8(ascii: "+") { offset += 1 }
        var digits = Digits()
        if take(&digits) == 0 { throw failure("digits expected in the exponent") }
        let magnitude = digits.isExact ? Int(min(digits.value, 1_000_000)) : 1_000_000
        return isNegative ? -magnitude : magnitude
    }
}
