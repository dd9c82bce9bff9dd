import TravertineStore

/// Parses the one JSON object of a line; never traps, whatever the bytes are.
struct DumpLineParser {
    private let text: ArraySlice<UInt8>
    private let line: Int
    private var position: Int

    /// More members than any line has; bounds the work on hostile input.
    private static let memberCountMax = 16

    init(_ text: ArraySlice<UInt8>, line: Int) {
        self.text = text
        self.line = line
        position = text.startIndex
    }

    /// The members of the object, in order.
    mutating func members() throws(DumpError) -> [(name: String, value: DumpLine.Value)] {
        var members: [(name: String, value: DumpLine.Value)] = []
        try expect(UInt8(ascii: "{"), "an object was expected")
        if try take(UInt8(ascii: "}")) {
            try expectEnd()
            return members
        }
        repeat {
            let place = position
            let name = try string()
            guard let name = String(validating: name, as: UTF8.self) else {
                throw error("the member's name is not UTF-8", at: place)
            }
            try expect(UInt8(ascii: ":"), "“:” was expected")
            members.append((name, try value()))
            guard members.count <= Self.memberCountMax else {
                throw error("there are too many members", at: place)
            }
        } while try take(UInt8(ascii: ","))
        try expect(UInt8(ascii: "}"), "“,” or “}” was expected")
        try expectEnd()
        return members
    }

    // MARK: Values

    private mutating func value() throws(DumpError) -> DumpLine.Value {
        skipSpace()
        guard position < text.endIndex else { throw error("the line ends inside an object") }
        switch text[position] {
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
        case UInt8(ascii: "t"):
            try expect(word: "true")
            return .boolean(true)
        case UInt8(ascii: "f"):
            try expect(word: "false")
            return .boolean(false)
        default: throw error("a string, a whole number, true or false was expected")
        }
    }

    private mutating func number() throws(DumpError) -> UInt64 {
        let start = position
        var number: UInt64 = 0
        while position < text.endIndex, let digit = Self.digit(text[position]) {
            let (product, overflows) = number.multipliedReportingOverflow(by: 10)
            let (sum, carries) = product.addingReportingOverflow(digit)
            if overflows || carries { throw error("the number is too large", at: start) }
            number = sum
            position += 1
        }
        if position - start > 1, text[start] == UInt8(ascii: "0") {
            throw error("a number does not begin with 0", at: start)
        }
        return number
    }

    private static func digit(_ byte: UInt8) -> UInt64? {
        byte >= 0x30 && byte <= 0x39 ? UInt64(byte - 0x30) : nil
    }

    private mutating func expect(word: String) throws(DumpError) {
        guard text[position...].starts(with: word.utf8) else {
            throw error("“\(word)” was expected")
        }
        position += word.utf8.count
    }

    // MARK: Strings

    private mutating func string() throws(DumpError) -> [UInt8] {
        try expect(UInt8(ascii: "\""), "a string was expected")
        var bytes: [UInt8] = []
        var start = position
        while position < text.endIndex {
            let byte = text[position]
            if byte == UInt8(ascii: "\"") {
                defer { position += 1 }
                if bytes.isEmpty { return Array(text[start..<position]) }
                bytes.append(contentsOf: text[start..<position])
                return bytes
            }
            if byte < 0x20 { throw error("a control character is in a string") }
            position += 1
            if byte == UInt8(ascii: "\\") {
                bytes.append(contentsOf: text[start..<position - 1])
                try escape(into: &bytes)
                start = position
            }
        }
        throw error("the line ends inside a string")
    }

    private mutating func escape(into bytes: inout [UInt8]) throws(DumpError) {
        guard position < text.endIndex else { throw error("the line ends inside a string") }
        let letter = text[position]
        position += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes.append(letter)
        case UInt8(ascii: "b"): bytes.append(0x08)
        case UInt8(ascii: "f"): bytes.append(0x0c)
        case UInt8(ascii: "n"): bytes.append(0x0a)
        case UInt8(ascii: "r"): bytes.append(0x0d)
        case UInt8(ascii: "t"): bytes.append(0x09)
        case UInt8(ascii: "u"): try unicodeEscape(into: &bytes)
        default: throw error("there is no escape of this letter", at: position - 1)
        }
    }

    private mutating func unicodeEscape(into bytes: inout [UInt8]) throws(DumpError) {
        let start = position
        var code = try fourDigits()
        if 0xd800..<0xdc00 ~= code, text[position...].starts(with: "\\u".utf8) {
            position += 2
            let low = try fourDigits()
            guard 0xdc00..<0xe000 ~= low else { throw error("half a surrogate pair", at: start) }
            code = 0x10000 + (code - 0xd800) << 10 + (low - 0xdc00)
        }
        guard let scalar = Unicode.Scalar(code) else {
            throw error("half a surrogate pair", at: start)
        }
        bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }

    private mutating func fourDigits() throws(DumpError) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard position < text.endIndex,
                let digit = Character(Unicode.Scalar(text[position])).hexDigitValue,
                text[position] < 0x80
            else { throw error("four hexadecimal digits were expected") }
            code = code << 4 | UInt32(digit)
            position += 1
        }
        return code
    }

    // MARK: Steps

    private mutating func skipSpace() {
        while position < text.endIndex {
            let byte = text[position]
            guard byte == 0x20 || byte == 0x09 || byte == 0x0d else { return }
            position += 1
        }
    }

    private mutating func take(_ byte: UInt8) throws(DumpError) -> Bool {
        skipSpace()
        guard position < text.endIndex else { throw error("the line ends inside an object") }
        if text[position] != byte { return false }
        position += 1
        skipSpace()
        return true
    }

    private mutating func expect(_ byte: UInt8, _ otherwise: String) throws(DumpError) {
        skipSpace()
        guard position < text.endIndex, text[position] == byte else { throw error(otherwise) }
        position += 1
    }

    private mutating func expectEnd() throws(DumpError) {
        skipSpace()
        if position < text.endIndex { throw error("something follows the object") }
    }

    private func error(_ reason: String, at place: Int? = nil) -> DumpError {
        let column = (place ?? position) - text.startIndex + 1
        return DumpError(line: line, reason: .syntax(reason, column: column))
    }
}
