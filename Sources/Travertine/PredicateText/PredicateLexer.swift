/// Splits a predicate text into tokens, in one pass over its UTF-8 bytes.
///
/// ```
/// name       letter (letter | digit)*          letter: A–Z, a–z, _, and all beyond ASCII
/// escaped    # name | # string
/// string     'text' | "text"                   with \n \t \r \\ \' \" \uXXXX
/// number     digits [. digits] [e [±] digits] | 0x hexdigits | . digits
/// time       T [-] digits : [-] digits | yyyy-mm-dd@hh:mm:ss[:nanoseconds]
/// data       B64 string
/// argument   % letters | %@ | $ digits | $K digits
/// variable   $ name
/// operator   @ name
/// ```
struct PredicateLexer {
    let text: String
    let bytes: [UInt8]
    var offset = 0
    private var tokens: [PredicateToken] = []

    /// The tokens of a text, the last of which is its end.
    static func tokens(of text: String) throws(PredicateTextError) -> [PredicateToken] {
        var lexer = PredicateLexer(text)
        try lexer.run()
        return lexer.tokens
    }

    private init(_ text: String) {
        self.text = text
        bytes = Array(text.utf8)
    }

    private mutating func run() throws(PredicateTextError) {
        while true {
            skipSpaces()
            guard let byte = byte() else { break }
            try readToken(byte)
        }
        add(.end, "", from: offset)
    }

    private mutating func skipSpaces() {
        while let byte = byte() {
            if Self.isSpace(byte) {
                offset += 1
            } else if let mark = Self.mark(in: bytes, at: offset), mark.isSpace {
                offset += mark.byteCount
            } else {
                return
            }
        }
    }

    private mutating func readToken(_ first: UInt8) throws(PredicateTextError) {
        let start = offset
        switch first {
        case UInt8(ascii: "'"), UInt8(ascii: "\""):
            add(.string, try readString(), from: start)
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            try readNumber()
        case UInt8(ascii: ".") where Self.isDigit(byte(1)) && !endsOperand:
            try readNumber()
        case UInt8(ascii: "%"):
            try readPlaceholder()
        case UInt8(ascii: "$"):
            try readArgument()
        case UInt8(ascii: "@"):
            offset += 1
            let name = takeName()
            guard !name.isEmpty else { throw error("Expected a name after '@'.", from: start) }
            add(.collectionOperator, name, from: start)
        case UInt8(ascii: "#"):
            offset += 1
            let isQuoted = byte() == UInt8(ascii: "'") || byte() == UInt8(ascii: "\"")
            let name = isQuoted ? try readString() : takeName()
            guard isQuoted || !name.isEmpty else {
                throw error("Expected a property's name after '#'.", from: start)
            }
            add(.escapedName, name, from: start)
        case _ where Self.isLetter(first) && Self.mark(in: bytes, at: offset) == nil:
            try readWord()
        default:
            try readSymbol()
        }
    }

    /// Whether the token before is one after which a point begins the next step of a path.
    private var endsOperand: Bool {
        guard let last = tokens.last else { return false }
        switch last.kind {
        case .name, .escapedName, .variable, .pathArgument, .placeholder, .collectionOperator:
            return last.range.upperBound == offset
        case .symbol: return last.text == ")" || last.text == "]"
        default: return false
        }
    }

    // MARK: Words

    private mutating func readWord() throws(PredicateTextError) {
        let start = offset
        if let time = takeTimestamp() {
            return add(.timestamp, time, from: start)
        }
        let name = takeName()
        let quote = byte()
        if name == "B64" || name == "b64",
            quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
        {
            return add(.base64, try readString(), from: start)
        }
        add(.name, name, from: start)
        if PredicateWords.rawFunctions.contains(name.lowercased()) { readRawArgument() }
    }

    /// Reads `(…)` with what is inside as it is written, unless it is a text or an argument.
    private mutating func readRawArgument() {
        guard byte() == UInt8(ascii: "(") else { return }
        var start = offset + 1
        while start < bytes.count, Self.isSpace(bytes[start]) { start += 1 }
        guard start < bytes.count, !"'\"%$()".utf8.contains(bytes[start]) else { return }
        var end = start
        while end < bytes.count, Self.isRaw(bytes[end]) { end += 1 }
        var next = end
        while next < bytes.count, Self.isSpace(bytes[next]) { next += 1 }
        guard end > start, next < bytes.count, bytes[next] == UInt8(ascii: ")") else { return }
        add(.symbol, "(", from: offset, to: offset + 1)
        offset = end
        add(.raw, slice(start..<end), from: start)
    }

    mutating func takeTimestamp() -> String? {
        guard byte() == UInt8(ascii: "T") else { return nil }
        var end = offset + 1
        func takeDigits() -> Bool {
            if end < bytes.count, bytes[end] == UInt8(ascii: "-") { end += 1 }
            let start = end
            while end < bytes.count, Self.isDigit(bytes[end]) { end += 1 }
            return end > start
        }
        guard takeDigits(), end < bytes.count, bytes[end] == UInt8(ascii: ":") else { return nil }
        end += 1
        guard takeDigits() else { return nil }
        let time = slice(offset..<end)
        offset = end
        return time
    }

    // MARK: Arguments

    private mutating func readPlaceholder() throws(PredicateTextError) {
        let start = offset
        offset += 1
        if let next = byte(), next == UInt8(ascii: "@") || next == UInt8(ascii: "K") {
            offset += 1
            return add(.placeholder, next == UInt8(ascii: "@") ? "@" : "K", from: start)
        }
        let lengths = "hlqzjtL".utf8
        while let next = byte(), lengths.contains(next) { offset += 1 }
        let conversion = byte() ?? 0
        if "diuxXoDU".utf8.contains(conversion) || "fFeEgGa".utf8.contains(conversion) {
            offset += 1
            let isInteger = "diuxXoDU".utf8.contains(conversion)
            return add(.placeholder, isInteger ? "d" : "f", from: start)
        }
        offset = start + 1
        if byte() == UInt8(ascii: "%") {
            offset += 1
            throw error("'%%' is a percent sign, and there is no such operator.", from: start)
        }
        throw error(
            "Expected an argument such as %@, %K, %d or %f." + PredicateHints.wildcards,
            from: start,
            to: min(start + 2, bytes.count))
    }

    private mutating func readArgument() throws(PredicateTextError) {
        let start = offset
        offset += 1
        if Self.isDigit(byte()) {
            skipDigits()
            return add(.argument, slice(start + 1..<offset), from: start)
        }
        let name = takeName()
        if name.isEmpty {
            throw error("Expected the number of an argument or a variable after '$'.", from: start)
        }
        if name.utf8.first == UInt8(ascii: "K"), name.utf8.count > 1,
            name.utf8.dropFirst().allSatisfy({ Self.isDigit($0) })
        {
            return add(.pathArgument, String(name.dropFirst()), from: start)
        }
        add(.variable, "$" + name, from: start)
    }

    // MARK: Symbols

    private mutating func readSymbol() throws(PredicateTextError) {
        let start = offset
        if let next = byte(1) {
            let pair = String(decoding: [bytes[offset], next], as: UTF8.self)
            if PredicateWords.pairSymbols.contains(pair) {
                offset += 2
                return add(.symbol, pair, from: start)
            }
        }
        if let mark = Self.mark(in: bytes, at: offset) {
            offset += mark.byteCount
            throw error(
                mark.isQuote
                    ? "Texts are in straight quotes: \"text\" or 'text'."
                    : "'\(slice(start..<offset))' has no meaning in a predicate.", from: start)
        }
        offset += 1
        guard "=<>!(){}[],:.+-*/".utf8.contains(bytes[start]) else {
            throw error(
                "'\(slice(start..<offset))' has no meaning in a predicate.", from: start)
        }
        add(.symbol, slice(start..<offset), from: start)
    }

    // MARK: Bytes

    func byte(_ distance: Int = 0) -> UInt8? {
        offset + distance < bytes.count ? bytes[offset + distance] : nil
    }

    mutating func takeName() -> String {
        let start = offset
        while let byte = byte(), Self.isLetter(byte) || offset > start && Self.isDigit(byte) {
            if byte >= 0x80, Self.mark(in: bytes, at: offset) != nil { break }
            offset += 1
        }
        return slice(start..<offset)
    }

    func slice(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }

    mutating func add(
        _ kind: PredicateToken.Kind, _ text: String, from start: Int, to end: Int? = nil
    ) {
        tokens.append(PredicateToken(kind: kind, text: text, range: start..<(end ?? offset)))
    }

    func error(
        _ message: String, from start: Int, to end: Int? = nil
    ) -> PredicateTextError {
        PredicateTextError(message: message, range: start..<(end ?? offset), text: text)
    }

    /// A character beyond ASCII that is no letter: a space, a quote, or another of the general
    /// punctuation. Editors put these into texts.
    struct Mark {
        var byteCount: Int
        var isSpace = false
        var isQuote = false
    }

    static func mark(in bytes: [UInt8], at offset: Int) -> Mark? {
        guard offset + 1 < bytes.count else { return nil }
        switch (bytes[offset], bytes[offset + 1]) {
        case (0xC2, 0xA0): return Mark(byteCount: 2, isSpace: true)
        case (0xE2, 0x80):
            guard offset + 2 < bytes.count else { return nil }
            switch bytes[offset + 2] {
            case 0x80...0x8A, 0xA8, 0xA9, 0xAF: return Mark(byteCount: 3, isSpace: true)
            case 0x98...0x9F: return Mark(byteCount: 3, isQuote: true)
            default: return Mark(byteCount: 3)
            }
        case (0xE3, 0x80) where offset + 2 < bytes.count && bytes[offset + 2] == 0x80:
            return Mark(byteCount: 3, isSpace: true)
        default: return nil
        }
    }

    /// Whether a text is read as one name.
    static func isName(_ text: String) -> Bool {
        var lexer = PredicateLexer(text)
        return !text.isEmpty && lexer.takeName() == text
    }

    static func isLetter(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte == UInt8(ascii: "_")
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    static func isDigit(_ byte: UInt8?) -> Bool {
        byte.map { $0 &- UInt8(ascii: "0") < 10 } ?? false
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }

    private static func isRaw(_ byte: UInt8) -> Bool {
        isDigit(byte) || isLetter(byte) || "+-.".utf8.contains(byte)
    }
}
