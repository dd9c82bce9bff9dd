import Travertine

/// Reads MongoDB Extended JSON, version 2, both forms and mixtures of them.
struct ExtendedJSONReader {
    var scanner: JSONScanner
    private var depth = 0

    init(_ bytes: UnsafeRawBufferPointer) { scanner = JSONScanner(bytes) }

    /// Reads a value, and the space before it.
    mutating func value() throws(DocumentError) -> AnyBSON {
        scanner.skipSpace()
        switch scanner.byte {
        case UInt8(ascii: "{"): return try object()
        case UInt8(ascii: "["): return .array(try array())
        case UInt8(ascii: "\""): return .string(try scanner.string())
        case UInt8(ascii: "t"):
            try scanner.word("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try scanner.word("false")
            return .bool(false)
        case UInt8(ascii: "n"):
            try scanner.word("null")
            return .null
        case let byte? where byte == UInt8(ascii: "-") || byte &- 0x30 < 10:
            let start = scanner.offset
            switch try scanner.number() {
            case .integer(let number):
                return Int32(exactly: number).map { .int32($0) } ?? .int64(number)
            case .double(let number): return .double(number)
            case .tooLarge:
                throw scanner.failure(
                    "a number that would be rounded, or become infinite: write it as "
                        + "{\"$numberDecimal\": …}", at: start)
            }
        case nil: throw scanner.failure("a value expected, the end found")
        default: throw scanner.failure("a value expected")
        }
    }

    /// Reads a document; anything else is an error.
    mutating func document() throws(DocumentError) -> Document {
        scanner.skipSpace()
        let start = scanner.offset
        guard case .document(let document) = try value() else {
            throw scanner.failure("a document expected", at: start)
        }
        return document
    }

    /// Requires that nothing but space follows.
    mutating func requireEnd() throws(DocumentError) {
        scanner.skipSpace()
        if scanner.byte != nil { throw scanner.failure("text behind the value") }
    }

    private mutating func descend() throws(DocumentError) {
        guard depth < DocumentLimits.depthMax else {
            throw scanner.failure("more than \(DocumentLimits.depthMax) levels")
        }
        depth += 1
        scanner.offset += 1
    }

    private mutating func array() throws(DocumentError) -> [AnyBSON] {
        try descend()
        defer { depth -= 1 }
        var values: [AnyBSON] = []
        if scanner.take(UInt8(ascii: "]")) { return values }
        while true {
            values.append(try value())
            if scanner.take(UInt8(ascii: "]")) { return values }
            try scanner.require(UInt8(ascii: ","), "between elements")
        }
    }

    private mutating func object() throws(DocumentError) -> AnyBSON {
        let start = scanner.offset
        try descend()
        defer { depth -= 1 }
        var elements: [Document.Element] = []
        var isWrapper = false
        var names = NameCheck()
        if scanner.take(UInt8(ascii: "}")) { return .document(Document()) }
        while true {
            scanner.skipSpace()
            let keyOffset = scanner.offset
            let key = try scanner.string()
            if !names.insert(key, elements) {
                throw scanner.failure("the name \"\(key)\" for the second time", at: keyOffset)
            }
            if key.utf8.first == UInt8(ascii: "$") {
                isWrapper = isWrapper || ExtendedJSONWrapper.isName(key)
            }
            try scanner.require(UInt8(ascii: ":"), "behind a name")
            elements.append(Document.Element(key: key, value: try value()))
            if scanner.take(UInt8(ascii: "}")) { break }
            try scanner.require(UInt8(ascii: ","), "between names")
        }
        let document = Document(elements: elements)
        if !isWrapper { return .document(document) }
        switch ExtendedJSONWrapper.value(document) {
        case .success(let value): return value
        case .failure(let problem): throw scanner.failure(problem.reason, at: start)
        }
    }

    /// Finds names that come twice in an object.
    private struct NameCheck {
        private var names: Set<NameBytes> = []

        mutating func insert(_ name: String, _ elements: [Document.Element]) -> Bool {
            if elements.count < 12 { return !elements.contains { $0.key.isName(name) } }
            if names.isEmpty { names = Set(elements.map { NameBytes($0.key) }) }
            return names.insert(NameBytes(name)).inserted
        }
    }
}
