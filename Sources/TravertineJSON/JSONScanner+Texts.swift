/// Reading texts in quotes, and their escapes.
extension JSONScanner {
    /// Reads a text in quotes.
    public mutating func string() throws(JSONFailure) -> String {
        if let plain = try plainText() {
            return String(decoding: plain.assumingMemoryBound(to: UInt8.self), as: UTF8.self)
        }
        return String(decoding: try escapedText(), as: UTF8.self)
    }

    /// Reads a text in quotes and gives its bytes, which are UTF-8.
    public mutating func textBytes() throws(JSONFailure) -> [UInt8] {
        if let plain = try plainText() { return Array(plain) }
        return try escapedText()
    }

    /// Reads a text in quotes and gives its bytes in the buffer; nil, with nothing read, if there
    /// is an escape in it.
    @inlinable @inline(__always)
    public mutating func plainText() throws(JSONFailure) -> UnsafeRawBufferPointer? {
        guard byte == UInt8(ascii: "\"") else { throw missing(UInt8(ascii: "\""), "before a text") }
        let start = offset + 1
        let end = JSONBytes.firstSpecial(in: bytes, from: start)
        guard end < bytes.count, bytes[end] == UInt8(ascii: "\"") else {
            try requireEscape(at: end)
            return nil
        }
        let slice = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
        guard UTF8Text.isValid(slice) else { throw notUTF8(start) }
        offset = end + 1
        return slice
    }

    /// Reads a text in quotes by its grammar alone, which allows halves of surrogate pairs.
    public mutating func skipText() throws(JSONFailure) {
        if try plainText() != nil { return }
        var none: [UInt8]?
        try text(into: &none)
    }

    private mutating func escapedText() throws(JSONFailure) -> [UInt8] {
        var result: [UInt8]? = []
        try text(into: &result)
        return result ?? []
    }

    /// Reads a text in quotes, adding its bytes to the result if there is one.
    private mutating func text(into result: inout [UInt8]?) throws(JSONFailure) {
        let start = offset + 1
        offset = start
        while true {
            let begin = offset
            offset = JSONBytes.firstSpecial(in: bytes, from: begin)
            result?.append(contentsOf: bytes[begin..<offset])
            switch byte {
            case UInt8(ascii: "\""):
                let slice = UnsafeRawBufferPointer(rebasing: bytes[start..<offset])
                guard UTF8Text.isValid(slice) else { throw notUTF8(start) }
                offset += 1
                return
            case UInt8(ascii: "\\"): try escape(&result)
            default: try requireEscape(at: offset, of: start)
            }
        }
    }

    /// Throws for what ends the plain bytes of a text that begins here, unless it is an escape.
    @usableFromInline
    mutating func requireEscape(at end: Int, of start: Int? = nil) throws(JSONFailure) {
        if end < bytes.count, bytes[end] == UInt8(ascii: "\\") { return }
        let start = start ?? offset + 1
        offset = end
        if end == bytes.count { throw failure("a text does not end", at: start - 1) }
        throw failure("a control character in a text must be escaped")
    }

    @usableFromInline
    func notUTF8(_ start: Int) -> JSONFailure { failure("a text is not UTF-8", at: start) }

    // MARK: Escapes

    private mutating func escape(_ result: inout [UInt8]?) throws(JSONFailure) {
        let start = offset
        offset += 1
        guard let byte else { throw failure("a text does not end", at: start) }
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): result?.append(byte)
        case UInt8(ascii: "b"): result?.append(0x08)
        case UInt8(ascii: "f"): result?.append(0x0C)
        case UInt8(ascii: "n"): result?.append(0x0A)
        case UInt8(ascii: "r"): result?.append(0x0D)
        case UInt8(ascii: "t"): result?.append(0x09)
        case UInt8(ascii: "u"):
            let first = try fourDigits()
            if result == nil { return }
            let scalar = try scalar(first, from: start)
            result?.append(contentsOf: String(Character(scalar)).utf8)
        default: throw failure("there is no such escape", at: start)
        }
    }

    /// The scalar of four digits that were read, or of a surrogate pair that they begin.
    private mutating func scalar(
        _ first: UInt32, from start: Int
    ) throws(JSONFailure) -> UnicodeScalar {
        if let scalar = UnicodeScalar(first) { return scalar }
        for letter in [UInt8(ascii: "\\"), UInt8(ascii: "u")] {
            guard first < 0xDC00, byte == letter else {
                throw failure("a surrogate without its pair", at: start)
            }
            offset += 1
        }
        let second = try fourDigits()
        guard (0xDC00..<0xE000).contains(second),
            let scalar = UnicodeScalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw failure("a surrogate without its pair", at: start) }
        return scalar
    }

    private mutating func fourDigits() throws(JSONFailure) -> UInt32 {
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
