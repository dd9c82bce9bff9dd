import Travertine

/// Reads MongoDB Extended JSON, version 2, both forms and mixtures of them.
///
/// Levels are counted as `DocumentLimits` has them: an object that stands for a value of another
/// type is none, nor is what it is made of.
struct ExtendedJSONReader {
    var scanner: JSONScanner
    private var depth = 0
    /// The objects around this place that a value of another type is made of.
    private var innerDepth = 0
    /// The most of these: `{"$dbPointer": {"$ref": …, "$id": {"$oid": …}}}` has three.
    private static let innerDepthMax = 3

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

    /// Counts a document or an array that begins here.
    private mutating func descend(from start: Int) throws(DocumentError) {
        if innerDepth > 0 { return try descendInside(from: start) }
        guard depth < DocumentLimits.depthMax else {
            throw scanner.failure("more than \(DocumentLimits.depthMax) levels", at: start)
        }
        depth += 1
    }

    /// Counts an object of those that a value of another type is made of.
    private mutating func descendInside(from start: Int) throws(DocumentError) {
        guard innerDepth < Self.innerDepthMax else {
            throw scanner.failure("no value of another type has so many levels", at: start)
        }
        innerDepth += 1
    }

    /// Counts the document whose fields somebody else reads from here on.
    mutating func enterDocument() { depth += 1 }

    private mutating func array() throws(DocumentError) -> [AnyBSON] {
        let outer = (depth, innerDepth)
        defer { (depth, innerDepth) = outer }
        try descend(from: scanner.offset)
        scanner.offset += 1
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
        let outer = (depth, innerDepth)
        defer { (depth, innerDepth) = outer }
        scanner.offset += 1
        var elements: [Document.Element] = []
        var isWrapper = false
        var names = NameCheck()
        if scanner.take(UInt8(ascii: "}")) {
            try descend(from: start)
            return .document(Document())
        }
        while true {
            scanner.skipSpace()
            let keyOffset = scanner.offset
            let key = try scanner.string()
            if !names.insert(key, elements) {
                throw scanner.failure("the name \"\(key)\" for the second time", at: keyOffset)
            }
            let isOfWrapper =
                key.utf8.first == UInt8(ascii: "$") && ExtendedJSONWrapper.isName(key)
            isWrapper = isWrapper || isOfWrapper
            if isOfWrapper, key == "$scope" {
                // The one object of this kind that holds a document: both are levels.
                (depth, innerDepth) = outer
                try descend(from: start)
            } else if elements.isEmpty {
                try isOfWrapper ? descendInside(from: start) : descend(from: start)
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
