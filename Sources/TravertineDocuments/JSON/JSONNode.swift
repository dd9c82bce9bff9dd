/// A value of a JSON text with the place where it stands, for texts that people write.
struct JSONNode: Sendable {
    indirect enum Value: Sendable {
        case null
        case bool(Bool)
        /// A number as it is written.
        case number(String)
        case string(String)
        case array([JSONNode])
        case object([Member])
    }

    struct Member: Sendable {
        let key: String
        let position: TextPosition
        let node: JSONNode
    }

    let value: Value
    let position: TextPosition

    /// The value that a text is, all of it.
    init(_ text: String) throws(DocumentError) {
        var text = text
        self = try text.withUTF8 { buffer in
            Result { () throws(DocumentError) in
                var parser = JSONNodeParser(UnsafeRawBufferPointer(buffer))
                return try parser.whole()
            }
        }.get()
    }

    fileprivate init(_ value: Value, _ position: TextPosition) {
        self.value = value
        self.position = position
    }

    /// The value without places.
    var constant: JSONConstant {
        switch value {
        case .null: .null
        case .bool(let flag): .bool(flag)
        case .number(let text): .number(text)
        case .string(let text): .string(text)
        case .array(let nodes): .array(nodes.map(\.constant))
        case .object(let members):
            .object(members.map { JSONConstant.Member(key: $0.key, value: $0.node.constant) })
        }
    }
}

/// A value of JSON that is kept and written again as it was read: numbers digit by digit.
public indirect enum JSONConstant: Sendable, Hashable {
    /// No value.
    case null
    /// A truth value.
    case bool(Bool)
    /// A number as it is written.
    case number(String)
    /// A text.
    case string(String)
    /// Values in order.
    case array([JSONConstant])
    /// Values under names, in order.
    case object([Member])

    /// A name with its value.
    public struct Member: Sendable, Hashable {
        /// The name.
        public var key: String
        /// The value.
        public var value: JSONConstant

        /// A name with its value.
        public init(key: String, value: JSONConstant) {
            self.key = key
            self.value = value
        }

        /// Whether it is a keyword of a schema with what holds without it.
        var saysNothing: Bool {
            switch (key, value) {
            case ("required", .array(let names)): names.isEmpty
            case ("uniqueItems", .bool(false)): true
            default: false
            }
        }
    }

    /// This value with the names of objects in the order of an older value; a new name stands behind
    /// the one that is before it here, and an older one that says nothing stays in a schema whose
    /// type stays.
    ///
    /// Elements of arrays are compared by their positions. Costs time in proportion to both.
    func ordered(as older: JSONConstant) -> JSONConstant {
        switch (self, older) {
        case (.object(let members), .object(let olderMembers)):
            let own = Dictionary(members.map { (NameBytes($0.key), $0) }) { first, _ in first }
            let before = Set(olderMembers.map { NameBytes($0.key) })
            let type = Self.bsonType(members)
            let isOfOneType = type != nil && type == Self.bsonType(olderMembers)
            let kept = olderMembers.compactMap { member in
                own[NameBytes(member.key)].map {
                    Member(key: $0.key, value: $0.value.ordered(as: member.value))
                } ?? (isOfOneType && member.saysNothing ? member : nil)
            }
            return .object(Self.inserting(members, before, into: kept))
        case (.array(let elements), .array(let olderElements)):
            return .array(
                elements.enumerated().map { index, element in
                    index < olderElements.count
                        ? element.ordered(as: olderElements[index]) : element
                })
        default: return self
        }
    }

    /// The type that a schema names; nil for what is no schema.
    private static func bsonType(_ members: [Member]) -> String? {
        guard case .string(let type)? = members.first(where: { $0.key == "bsonType" })?.value
        else { return nil }
        return type
    }

    /// Members in the order of those that are kept, with new ones behind what is before them.
    private static func inserting(
        _ members: [Member], _ before: Set<NameBytes>, into kept: [Member]
    ) -> [Member] {
        // The new ones, by the old one that they follow; those at the beginning follow none.
        var followers: [NameBytes?: [Member]] = [:]
        var last: NameBytes?
        for member in members {
            let name = NameBytes(member.key)
            if before.contains(name) {
                last = name
            } else {
                followers[last, default: []].append(member)
            }
        }
        return (followers[nil] ?? [])
            + kept.flatMap { [$0] + (followers[NameBytes($0.key)] ?? []) }
    }

    /// The number as an integer; nil for all else.
    public var integer: Int? {
        if case .number(let text) = self { return Int(text) }
        return nil
    }

    /// The number, rounded to floating point; nil for all else.
    public var double: Double? {
        if case .number(let text) = self { return Double(text) }
        return nil
    }
}

private struct JSONNodeParser {
    private var scanner: JSONScanner
    private var places: TextPlaces
    private var depth = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        scanner = JSONScanner(bytes)
        places = TextPlaces(bytes)
    }

    mutating func whole() throws(DocumentError) -> JSONNode {
        let node = try node()
        scanner.skipSpace()
        if scanner.byte != nil { throw scanner.failure("text behind the value") }
        return node
    }

    private mutating func node() throws(DocumentError) -> JSONNode {
        scanner.skipSpace()
        let position = places.position(scanner.offset)
        return JSONNode(try value(), position)
    }

    private mutating func value() throws(DocumentError) -> JSONNode.Value {
        switch scanner.byte {
        case UInt8(ascii: "{"): return .object(try members())
        case UInt8(ascii: "["): return .array(try elements())
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
            return .number(try scanner.numberText())
        default: throw scanner.failure("a value expected")
        }
    }

    private mutating func descend() throws(DocumentError) {
        guard depth < DocumentLimits.depthMax else {
            throw scanner.failure("more than \(DocumentLimits.depthMax) levels")
        }
        depth += 1
        scanner.offset += 1
    }

    private mutating func elements() throws(DocumentError) -> [JSONNode] {
        try descend()
        defer { depth -= 1 }
        var nodes: [JSONNode] = []
        if scanner.take(UInt8(ascii: "]")) { return nodes }
        while true {
            nodes.append(try node())
            if scanner.take(UInt8(ascii: "]")) { return nodes }
            try scanner.require(UInt8(ascii: ","), "between elements")
        }
    }

    private mutating func members() throws(DocumentError) -> [JSONNode.Member] {
        try descend()
        defer { depth -= 1 }
        var members: [JSONNode.Member] = []
        var keys: Set<NameBytes> = []
        if scanner.take(UInt8(ascii: "}")) { return members }
        while true {
            scanner.skipSpace()
            let offset = scanner.offset
            let key = try scanner.string()
            guard keys.insert(NameBytes(key)).inserted else {
                throw scanner.failure("the name \"\(key)\" for the second time", at: offset)
            }
            let position = places.position(offset)
            try scanner.require(UInt8(ascii: ":"), "behind a name")
            members.append(JSONNode.Member(key: key, position: position, node: try node()))
            if scanner.take(UInt8(ascii: "}")) { return members }
            try scanner.require(UInt8(ascii: ","), "between names")
        }
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
