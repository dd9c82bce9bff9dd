/// The parts of the text of an array, `{1,NULL,"a \"b\""}`, one after the other.
struct ArrayText {
    enum Part: Equatable {
        case begin
        case end
        case null
        case value([UInt8])
    }

    private let text: UnsafeRawBufferPointer
    private let delimiter: UInt8
    private var offset = 0
    private var depth = 0

    private static let quote = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")

    /// - Parameter text: valid as long as this is in use.
    init(_ text: UnsafeRawBufferPointer, delimiter: UInt8) {
        self.text = text
        self.delimiter = delimiter
        // Bounds that do not begin with 1 are before it: `[0:1]={a,b}`. Quotes come later only.
        if text.first == UInt8(ascii: "["), let equals = text.firstIndex(of: UInt8(ascii: "=")) {
            offset = equals + 1
        }
    }

    /// The next part; nil after the end of the array.
    ///
    /// - Throws: `.malformedValue` for a text that is no array.
    mutating func next() throws(PostgreSQLError) -> Part? {
        if depth == 0, offset > 0, offset == text.count { return nil }
        if depth > 0, peek() == delimiter { offset += 1 }
        guard let byte = peek(), depth > 0 || byte == UInt8(ascii: "{") else { throw malformed }
        switch byte {
        case UInt8(ascii: "{"):
            offset += 1
            depth += 1
            return .begin
        case UInt8(ascii: "}"):
            offset += 1
            depth -= 1
            if depth == 0, offset < text.count { throw malformed }
            return .end
        case Self.quote: return .value(try quoted())
        default: return try plain()
        }
    }

    private var malformed: PostgreSQLError { .malformedValue("the text of an array is not one") }

    private func peek() -> UInt8? { offset < text.count ? text[offset] : nil }

    private mutating func quoted() throws(PostgreSQLError) -> [UInt8] {
        var value: [UInt8] = []
        offset += 1
        while let byte = peek(), byte != Self.quote {
            if byte == Self.backslash { offset += 1 }
            guard let byte = peek() else { break }
            value.append(byte)
            offset += 1
        }
        guard peek() == Self.quote else { throw malformed }
        offset += 1
        return value
    }

    private mutating func plain() throws(PostgreSQLError) -> Part {
        var value: [UInt8] = []
        while let byte = peek(), byte != delimiter, byte != UInt8(ascii: "}") {
            if byte == Self.backslash { offset += 1 }
            guard let byte = peek() else { break }
            value.append(byte)
            offset += 1
        }
        if value.isEmpty { throw malformed }
        return value.map { $0 & 0xdf } == Array("NULL".utf8) ? .null : .value(value)
    }
}
