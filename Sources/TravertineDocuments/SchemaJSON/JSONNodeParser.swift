import TravertineJSON

/// Reads a JSON text with the places of its values and names.
struct JSONNodeParser {
    private var scanner: JSONScanner
    private var places: TextPlaces
    private var depth = 0

    /// The value that bytes are, all of them.
    static func read(_ bytes: UnsafeRawBufferPointer) throws(DocumentError) -> JSONNode {
        var parser = JSONNodeParser(scanner: JSONScanner(bytes), places: TextPlaces(bytes))
        do throws(JSONFailure) {
            let node = try parser.node()
            try parser.scanner.requireEnd()
            return node
        } catch {
            throw DocumentError(error, in: bytes)
        }
    }

    private init(scanner: JSONScanner, places: TextPlaces) {
        self.scanner = scanner
        self.places = places
    }

    private mutating func node() throws(JSONFailure) -> JSONNode {
        scanner.skipSpace()
        let position = places.position(scanner.offset)
        return JSONNode(try value(), position)
    }

    private mutating func value() throws(JSONFailure) -> JSONNode.Value {
        switch try scanner.beginning() {
        case .object: return .object(try members())
        case .array: return .array(try elements())
        case .text: return .string(try scanner.string())
        case .number: return .number(try scanner.numberText())
        case .null: return .null
        case .bool(let flag): return .bool(flag)
        }
    }

    private mutating func open() throws(JSONFailure) -> JSONElements {
        guard depth < DocumentLimits.depthMax else {
            throw scanner.failure("more than \(DocumentLimits.depthMax) levels")
        }
        depth += 1
        return scanner.open()
    }

    private mutating func elements() throws(JSONFailure) -> [JSONNode] {
        var rest = try open()
        defer { depth -= 1 }
        var nodes: [JSONNode] = []
        while try scanner.hasNext(&rest) { nodes.append(try node()) }
        return nodes
    }

    private mutating func members() throws(JSONFailure) -> [JSONNode.Member] {
        var rest = try open()
        defer { depth -= 1 }
        var members: [JSONNode.Member] = []
        var keys: Set<NameBytes> = []
        while try scanner.hasNext(&rest) {
            scanner.skipSpace()
            let offset = scanner.offset
            let key = try scanner.name()
            guard keys.insert(NameBytes(key)).inserted else {
                throw scanner.failure("the name \"\(key)\" for the second time", at: offset)
            }
            let position = places.position(offset)
            members.append(JSONNode.Member(key: key, position: position, node: try node()))
        }
        return members
    }
}

/// Counts the lines of a text once, for places that are asked for from the beginning to the end.
private struct TextPlaces {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0
    private var line = 1
    private var lineStart = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// The place at an offset, which is not before the last one.
    mutating func position(_ target: Int) -> TextPosition {
        while offset < target {
            if bytes[offset] == UInt8(ascii: "\n") {
                line += 1
                lineStart = offset + 1
            }
            offset += 1
        }
        return TextPosition(offset: target, line: line, column: target - lineStart + 1)
    }
}
