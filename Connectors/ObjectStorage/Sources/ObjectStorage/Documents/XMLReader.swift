/// A strict reader for the small XML documents of S3.
///
/// It takes one element with an optional declaration before it, attributes (checked and dropped),
/// comments, character data, CDATA sections, the five predefined entities and character references.
/// Everything else is refused: document types, and with them all other entities, processing
/// instructions, and text outside of the element. Size, depth and the number of elements are
/// limited, so that an answer of a broken or hostile service costs bounded memory.
struct XMLReader {
    /// The largest document: a page of 1,000 keys, each byte percent-encoded, fits.
    static let byteCountMax = 8 << 20
    static let depthMax = 16
    static let elementCountMax = 100_000

    /// What is wrong with a document, and where.
    struct Failure: Error, Hashable {
        var reason: String
        var offset: Int
    }

    private let bytes: [UInt8]
    private var offset = 0
    private var elementCount = 0

    /// Parses a whole document. Throws `Failure`.
    static func document(_ bytes: [UInt8]) throws -> XMLElement {
        guard bytes.count <= byteCountMax else {
            throw Failure(reason: "the document is too large", offset: byteCountMax)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(reason: "the document is not UTF-8", offset: 0)
        }
        if let scalar = text.unicodeScalars.first(where: { !isCharacter($0) }) {
            throw Failure(reason: "the document has the character \(scalar.value)", offset: 0)
        }
        var reader = XMLReader(bytes: bytes)
        return try reader.document()
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private mutating func document() throws -> XMLElement {
        _ = take("\u{FEFF}")
        if starts("<?xml "), let end = find("?>") { offset = end + 2 }
        try skipBlanksAndComments()
        let root = try element(depth: 1)
        try skipBlanksAndComments()
        guard offset == bytes.count else { throw failure("there is text after the document") }
        return root
    }

    private mutating func element(depth: Int) throws -> XMLElement {
        guard depth <= Self.depthMax else { throw failure("elements are nested too deeply") }
        elementCount += 1
        guard elementCount <= Self.elementCountMax else { throw failure("too many elements") }
        guard take("<") else { throw failure("an element is expected") }
        var element = XMLElement(name: try name())
        if try attributes() { return element }
        var text: [UInt8] = []
        while true {
            guard offset < bytes.count else { throw failure("the document ends too early") }
            if take("</") {
                guard try name() == element.name else { throw failure("a wrong closing tag") }
                skipBlanks()
                guard take(">") else { throw failure("a closing tag does not end") }
                element.text = String(decoding: text, as: UTF8.self)
                return element
            } else if starts("<!--") {
                try skipComment()
            } else if take("<![CDATA[") {
                guard let end = find("]]>") else { throw failure("a CDATA section does not end") }
                text += bytes[offset..<end]
                offset = end + 3
            } else if starts("<") {
                element.children.append(try self.element(depth: depth + 1))
            } else {
                try characterData(into: &text)
            }
        }
    }

    /// Skips the attributes and the end of an opening tag; true if the element is empty.
    private mutating func attributes() throws -> Bool {
        var names: Set<String> = []
        while true {
            let start = offset
            skipBlanks()
            if take("/>") { return true }
            if take(">") { return false }
            guard offset > start else { throw failure("an opening tag does not end") }
            guard try names.insert(name()).inserted else { throw failure("an attribute repeats") }
            skipBlanks()
            guard take("=") else { throw failure("an attribute has no value") }
            skipBlanks()
            let quote = take("\"") ? "\"" : "'"
            guard quote == "\"" || take("'") else { throw failure("a value has no quotes") }
            var value: [UInt8] = []
            while !take(quote) {
                guard offset < bytes.count, !starts("<") else {
                    throw failure("a value does not end")
                }
                try character(into: &value)
            }
        }
    }

    // MARK: Characters

    private mutating func characterData(into text: inout [UInt8]) throws {
        while offset < bytes.count, bytes[offset] != UInt8(ascii: "<") {
            guard bytes[offset] != UInt8(ascii: "]") || !starts("]]>") else {
                throw failure("]]> outside of a CDATA section")
            }
            try character(into: &text)
        }
    }

    private mutating func character(into text: inout [UInt8]) throws {
        let byte = bytes[offset]
        guard byte == UInt8(ascii: "&") else {
            text.append(byte)
            offset += 1
            return
        }
        offset += 1
        // The longest: a character reference with a few leading zeros.
        guard let end = bytes[offset...].prefix(12).firstIndex(of: UInt8(ascii: ";")) else {
            throw failure("a reference does not end")
        }
        let name = String(decoding: bytes[offset..<end], as: UTF8.self)
        let predefined = ["lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'"]
        if let replacement = predefined[name] ?? Self.referenced(name) {
            text += Array(replacement.utf8)
            offset = end + 1
        } else {
            throw failure("an unknown reference")
        }
    }

    private static func referenced(_ name: String) -> String? {
        guard name.hasPrefix("#") else { return nil }
        let isHexadecimal = name.hasPrefix("#x")
        let digits = name.dropFirst(isHexadecimal ? 2 : 1)
        guard digits.allSatisfy(\.isHexDigit),
            let number = UInt32(digits, radix: isHexadecimal ? 16 : 10),
            let scalar = Unicode.Scalar(number), isCharacter(scalar)
        else { return nil }
        return String(Character(scalar))
    }

    /// Whether XML 1.0 allows the character.
    private static func isCharacter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x9, 0xA, 0xD: true
        case 0..<0x20, 0xFFFE, 0xFFFF: false
        default: true
        }
    }

    private mutating func name() throws -> String {
        let start = offset
        while offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "_"), UInt8(ascii: ":"), 0x80...:
                offset += 1
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
                guard offset > start else { throw failure("a name is expected") }
                offset += 1
            default:
                guard offset > start else { throw failure("a name is expected") }
                return String(decoding: bytes[start..<offset], as: UTF8.self)
            }
        }
        throw failure("the document ends too early")
    }

    // MARK: Steps

    private mutating func skipBlanksAndComments() throws {
        skipBlanks()
        while starts("<!--") {
            try skipComment()
            skipBlanks()
        }
    }

    private mutating func skipComment() throws {
        offset += 4
        guard let end = find("--"), bytes[end...].dropFirst(2).first == UInt8(ascii: ">") else {
            throw failure("a comment does not end")
        }
        offset = end + 3
    }

    private mutating func skipBlanks() {
        while offset < bytes.count {
            switch bytes[offset] {
            case 0x20, 0x9, 0xA, 0xD: offset += 1
            default: return
            }
        }
    }

    private func starts(_ text: String) -> Bool { bytes[offset...].starts(with: text.utf8) }

    private mutating func take(_ text: String) -> Bool {
        guard starts(text) else { return false }
        offset += text.utf8.count
        return true
    }

    private func find(_ text: String) -> Int? {
        let first = text.utf8.first!
        var start = offset
        while let index = bytes[start...].firstIndex(of: first) {
            if bytes[index...].starts(with: text.utf8) { return index }
            start = index + 1
        }
        return nil
    }

    private func failure(_ reason: String) -> Failure { Failure(reason: reason, offset: offset) }
}
