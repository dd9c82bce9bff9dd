/// Strings and numbers.
extension PredicateLexer {
    // MARK: Strings

    mutating func readString() throws(PredicateTextError) -> String {
        let start = offset
        let quote = bytes[offset]
        offset += 1
        var content: [UInt8] = []
        while let byte = byte() {
            offset += 1
            if byte == quote { return String(decoding: content, as: UTF8.self) }
            if byte == UInt8(ascii: "\\") {
                try readEscape(into: &content)
            } else {
                content.append(byte)
            }
        }
        throw error(
            "Expected \(quote == UInt8(ascii: "'") ? "'" : "\"") at the end of the text "
                + "that begins here.", from: start, to: start + 1)
    }

    /// Reads what follows a backslash. `\?` and `\*` keep it: they are for `LIKE`.
    private mutating func readEscape(
        into content: inout [UInt8]
    ) throws(PredicateTextError) {
        let start = offset - 1
        guard let byte = byte() else { return }
        offset += 1
        switch byte {
        case UInt8(ascii: "n"): content.append(0x0A)
        case UInt8(ascii: "t"): content.append(0x09)
        case UInt8(ascii: "r"): content.append(0x0D)
        case UInt8(ascii: "0"): content.append(0x00)
        case UInt8(ascii: "?"), UInt8(ascii: "*"): content += [UInt8(ascii: "\\"), byte]
        case UInt8(ascii: "u"): content += try readCodePoint(from: start)
        default: content.append(byte)
        }
    }

    /// Reads the four digits of `\uXXXX`, or of two that are a surrogate pair.
    private mutating func readCodePoint(
        from start: Int
    ) throws(PredicateTextError) -> [UInt8] {
        var value = takeFourDigits()
        if let high = value, (0xD800..<0xDC00).contains(high), byte() == UInt8(ascii: "\\"),
            byte(1) == UInt8(ascii: "u")
        {
            offset += 2
            value = takeFourDigits().flatMap { low in
                (0xDC00..<0xE000).contains(low)
                    ? 0x10000 + (high - 0xD800) << 10 + (low - 0xDC00) : nil
            }
        }
        guard let value, let scalar = Unicode.Scalar(value) else {
            throw error(
                "Expected four hexadecimal digits of a character after \\u.", from: start)
        }
        return Array(String(Character(scalar)).utf8)
    }

    private mutating func takeFourDigits() -> UInt32? {
        guard offset + 4 <= bytes.count else { return nil }
        var value: UInt32 = 0
        for byte in bytes[offset..<offset + 4] {
            guard let digit = Character(UnicodeScalar(byte)).hexDigitValue else { return nil }
            value = value << 4 | UInt32(digit)
        }
        offset += 4
        return value
    }

    // MARK: Numbers

    mutating func readNumber() throws(PredicateTextError) {
        let start = offset
        if let end = endOfCalendarDate {
            offset = end
            return add(.calendarDate, slice(start..<end), from: start)
        }
        var kind = PredicateToken.Kind.integer
        if byte() == UInt8(ascii: "0"), (byte(1) ?? 0) | 0x20 == UInt8(ascii: "x") {
            offset += 2
            let digits = offset
            while let byte = byte(), Character(UnicodeScalar(byte)).isHexDigit { offset += 1 }
            if offset == digits {
                throw error("Expected hexadecimal digits after 0x.", from: start)
            }
        } else {
            skipDigits()
            if byte() == UInt8(ascii: "."), Self.isDigit(byte(1)) {
                kind = .decimal
                offset += 1
                skipDigits()
            }
            if (byte() ?? 0) | 0x20 == UInt8(ascii: "e") {
                let hasSign = byte(1) == UInt8(ascii: "-") || byte(1) == UInt8(ascii: "+")
                if Self.isDigit(byte(hasSign ? 2 : 1)) {
                    kind = .decimal
                    offset += hasSign ? 2 : 1
                    skipDigits()
                }
            }
        }
        if let next = byte(), Self.isLetter(next), Self.mark(in: bytes, at: offset) == nil {
            let end = offset
            _ = takeName()
            throw error(
                "'\(slice(start..<min(offset, end + 20)))' is neither a number nor a name. A name "
                    + "that begins with a digit is written #\"…\".", from: start)
        }
        add(kind, slice(start..<offset), from: start)
    }

    /// Where `yyyy-mm-dd@hh:mm:ss[:n]` ends that begins here; nil if there is none.
    var endOfCalendarDate: Int? {
        var end = offset
        func take(_ pattern: StaticString) -> Bool {
            pattern.withUTF8Buffer { pattern in
                for expected in pattern {
                    guard end < bytes.count else { return false }
                    let matches =
                        switch expected {
                        case UInt8(ascii: "0"): Self.isDigit(bytes[end])
                        case UInt8(ascii: "@"):
                            bytes[end] == expected || bytes[end] == UInt8(ascii: "T")
                        default: bytes[end] == expected
                        }
                    guard matches else { return false }
                    end += 1
                }
                return true
            }
        }
        guard take("0000-00-00@00:00:00") else { return nil }
        if end + 1 < bytes.count, bytes[end] == UInt8(ascii: ":"), Self.isDigit(bytes[end + 1]) {
            end += 1
            while end < bytes.count, Self.isDigit(bytes[end]) { end += 1 }
        }
        return end
    }

    mutating func skipDigits() {
        while Self.isDigit(byte()) { offset += 1 }
    }
}
