import Travertine
import TravertineJSON

/// Reads MongoDB Extended JSON, version 2, both forms and mixtures of them.
///
/// Levels are counted as `DocumentLimits` has them: an object that represents a value of another
/// type is none, nor is what it is made of.
struct ExtendedJSONReader {
    var scanner: JSONScanner
    private var depth = 0
    /// The objects around this place that a value of another type is made of.
    private var innerDepth = 0
    /// The most of these: `{"$dbPointer": {"$ref": …, "$id": {"$oid": …}}}` has three.
    private static let innerDepthMax = 3

    init(_ bytes: UnsafeRawBufferPointer) { scanner = JSONScanner(bytes) }

    /// What `body` reads of bytes, all of which it must read.
    static func read<Value>(
        _ bytes: UnsafeRawBufferPointer,
        _ body: (inout ExtendedJSONReader) throws(JSONFailure) -> Value
    ) throws(DocumentError) -> Value {
        var reader = ExtendedJSONReader(bytes)
        do throws(JSONFailure) {
            let value = try body(&reader)
            try reader.scanner.requireEnd()
            return value
        } catch {
            throw DocumentError(error, in: bytes)
        }
    }

    /// Reads a value, and the space before it.
    mutating func value() throws(JSONFailure) -> AnyBSON {
        switch try scanner.beginning() {
        case .object: return try object()
        case .array: return .array(try array())
        case .text: return .string(try scanner.string())
        case .number: return try number()
        case .null: return .null
        case .bool(let flag): return .bool(flag)
        }
    }

    private mutating func number() throws(JSONFailure) -> AnyBSON {
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
    }

    /// Reads a document; anything else is an error.
    mutating func document() throws(JSONFailure) -> Document {
        scanner.skipSpace()
        let start = scanner.offset
        guard case .document(let document) = try value() else {
            throw scanner.failure("a document expected", at: start)
        }
        return document
    }

    /// Counts a document or an array that begins here.
    private mutating func descend(from start: Int) throws(JSONFailure) {
        if innerDepth > 0 { return try descendInside(from: start) }
        guard depth < DocumentLimits.depthMax else {
            throw scanner.failure("more than \(DocumentLimits.depthMax) levels", at: start)
        }
        depth += 1
    }

    /// Counts an object of those that a value of another type is made of.
    private mutating func descendInside(from start: Int) throws(JSONFailure) {
        guard innerDepth < Self.innerDepthMax else {
            throw scanner.failure("no value of another type has so many levels", at: start)
        }
        innerDepth += 1
    }

    /// Counts the document whose fields another reader reads from here on.
    mutating func enterDocument() { depth += 1 }

    private mutating func array() throws(JSONFailure) -> [AnyBSON] {
        let outer = (depth, innerDepth)
        defer { (depth, innerDepth) = outer }
        try descend(from: scanner.offset)
        var values: [AnyBSON] = []
        var rest = scanner.open()
        while try scanner.hasNext(&rest) { values.append(try value()) }
        return values
    }

    private mutating func object() throws(JSONFailure) -> AnyBSON {
        let start = scanner.offset
        let outer = (depth, innerDepth)
        defer { (depth, innerDepth) = outer }
        var elements: [Document.Element] = []
        var isWrapper = false
        var names = NameCheck()
        var rest = scanner.open()
        while try scanner.hasNext(&rest) {
            scanner.skipSpace()
            let keyOffset = scanner.offset
            let key = try scanner.name()
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
            elements.append(Document.Element(key: key, value: try value()))
        }
        if elements.isEmpty { try descend(from: start) }
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
