/// Why a text is not a JSON object.
struct JSONSyntaxError: Error {
    /// The byte of the line, from 1.
    let column: Int
    let reason: String
}

/// Checks that a text is one JSON object (RFC 8259) and shows its members, without building a tree.
///
/// A scanner of its own rather than Foundation's, because the text of a number has to stay as it
/// was written (a key `9007199254740993` must not pass through a `Double`), and because an error
/// should name the column.
struct JSONObjectScanner {
    /// A member of the outermost object: where its name (without quotes) and its value stand.
    struct Member {
        let name: Range<Int>
        let value: Range<Int>
    }

    private static let depthMax = 512
    private let bytes: [UInt8]
    private var position = 0
    private var members: [Member] = []

    /// The members of the object, in the order of the text.
    static func members(of text: [UInt8]) throws(JSONSyntaxError) -> [Member] {
        guard String(validating: text, as: UTF8.self) != nil else {
            throw JSONSyntaxError(column: 1, reason: "the line is not UTF-8")
        }
        var scanner = JSONObjectScanner(bytes: text)
        try scanner.scanWhole()
        return scanner.members
    }

    /// The content of the value at a place that `members(of:)` gave.
    static func field(
        _ text: [UInt8], _ place: Range<Int>
    ) throws(JSONSyntaxError) -> InputRecord.Field {
        let value = text[place]
        switch value.first {
        case UInt8(ascii: "\""):
            return .text(try unescaped(value.dropFirst().dropLast()))
        case UInt8(ascii: "{"), UInt8(ascii: "["): return .nested(Array(value))
        case UInt8(ascii: "n"): return .null
        default: return .text(Array(value))
        }
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    // MARK: Grammar

    private mutating func scanWhole() throws(JSONSyntaxError) {
        skipSpace()
        guard peek() == UInt8(ascii: "{") else {
            throw error("a JSON object has to begin with “{”")
        }
        try scanObject(depth: 1)
        skipSpace()
        if position < bytes.count { throw error("something follows the JSON object") }
    }

    private mutating func scanObject(depth: Int) throws(JSONSyntaxError) {
        position += 1
        skipSpace()
        if skip("}") { return }
        while true {
            skipSpace()
            guard peek() == UInt8(ascii: "\"") else { throw error("a member's name is expected") }
            let nameStart = position + 1
            try scanString()
            let nameEnd = position - 1
            skipSpace()
            guard skip(":") else { throw error("“:” is expected behind a member's name") }
            skipSpace()
            let valueStart = position
            try scanValue(depth: depth)
            if depth == 1 {
                members.append(Member(name: nameStart..<nameEnd, value: valueStart..<position))
            }
            skipSpace()
            if skip("}") { return }
            guard skip(",") else { throw error("“,” or “}” is expected") }
        }
    }

    private mutating func scanArray(depth: Int) throws(JSONSyntaxError) {
        position += 1
        skipSpace()
        if skip("]") { return }
        while true {
            skipSpace()
            try scanValue(depth: depth)
            skipSpace()
            if skip("]") { return }
            guard skip(",") else { throw error("“,” or “]” is expected") }
        }
    }

    private mutating func scanValue(depth: Int) throws(JSONSyntaxError) {
        guard depth < Self.depthMax else {
            throw error("values are nested more than \(Self.depthMax) deep")
        }
        guard let first = peek() else { throw error("the line ends within a value") }
        switch first {
        case UInt8(ascii: "\""): try scanString()
        case UInt8(ascii: "{"): try scanObject(depth: depth + 1)
        case UInt8(ascii: "["): try scanArray(depth: depth + 1)
        case UInt8(ascii: "t"): try scanWord("true")
        case UInt8(ascii: "f"): try scanWord("false")
        case UInt8(ascii: "n"): try scanWord("null")
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try scanNumber()
        default: throw error("a value is expected")
        }
    }

    private mutating func scanString() throws(JSONSyntaxError) {
        position += 1
        while let byte = peek() {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return
            case UInt8(ascii: "\\"): try scanEscape()
            case 0..<0x20:
                position -= 1
                throw error("a control character in a string has to be written as \\u00NN")
            default: break
            }
        }
        throw error("the line ends within a string")
    }

    private mutating func scanEscape() throws(JSONSyntaxError) {
        guard let kind = peek() else { throw error("the line ends within a string") }
        position += 1
        if kind == UInt8(ascii: "u") {
            for _ in 0..<4 {
                guard let digit = peek(), ByteText.hexDigitValue(digit) != nil else {
                    throw error("four hexadecimal digits are expected behind \\u")
                }
                position += 1
            }
        } else if !#""\/bfnrt"#.utf8.contains(kind) {
            throw error("a backslash in a string has to be followed by one of \"\\/bfnrtu")
        }
    }

    private mutating func scanNumber() throws(JSONSyntaxError) {
        _ = skip("-")
        if !skip("0") { try scanDigits() }
        if skip(".") { try scanDigits() }
        if skip("e") || skip("E") {
            _ = skip("+") || skip("-")
            try scanDigits()
        }
    }

    private mutating func scanDigits() throws(JSONSyntaxError) {
        let start = position
        while let digit = peek(), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) {
            position += 1
        }
        if position == start { throw error("a digit is expected") }
    }

    private mutating func scanWord(_ word: StaticString) throws(JSONSyntaxError) {
        let isThere = word.withUTF8Buffer { bytes[position...].starts(with: $0) }
        guard isThere else { throw error("a value is expected") }
        position += word.utf8CodeUnitCount
    }

    // MARK: Bytes

    private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skip(_ byte: Unicode.Scalar) -> Bool {
        guard peek() == UInt8(ascii: byte) else { return false }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = peek(), byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d {
            position += 1
        }
    }

    private func error(_ reason: String) -> JSONSyntaxError {
        JSONSyntaxError(column: position + 1, reason: reason)
    }
}
