import TravertineJSON

/// Writes Extended JSON without space.
struct JSONOutput: DocumentOutput {
    var bytes: [UInt8] = []
    let mode: ExtendedJSONMode
    private var depth = 0

    init(_ mode: ExtendedJSONMode) { self.mode = mode }

    mutating func cut(to count: Int) {
        bytes.removeLast(bytes.count - count)
        depth = 0
    }

    @inline(__always)
    private mutating func put(_ name: OutputName) throws(DocumentError) {
        if case .root = name { return }
        let last = bytes[bytes.count - 1]
        if last != UInt8(ascii: "{") && last != UInt8(ascii: "[") {
            bytes.append(UInt8(ascii: ","))
        }
        switch name {
        case .field(let field):
            if let wrapper = field.wrapper { throw Self.ambiguity(wrapper) }
            bytes.append(contentsOf: field.json)
        case .key(let key):
            if key.first == UInt8(ascii: "$") {
                let name = String(decoding: key, as: UTF8.self)
                if ExtendedJSONWrapper.isName(name) { throw Self.ambiguity(name) }
            }
            JSONText.append(utf8: key, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
        case .root, .position: break
        }
    }

    private static func ambiguity(_ name: String) -> DocumentError {
        .notEncodable(reason: ExtendedJSONWrapper.ambiguity(name), path: name)
    }

    mutating func begin(isArray: Bool, _ name: OutputName) throws(DocumentError) -> Int {
        guard depth < DocumentLimits.depthMax else {
            throw .notEncodable(reason: DocumentLimits.tooDeep, path: "")
        }
        depth += 1
        try put(name)
        bytes.append(UInt8(ascii: isArray ? "[" : "{"))
        return 0
    }

    mutating func end(_ start: Int, isArray: Bool) throws(DocumentError) {
        depth -= 1
        bytes.append(UInt8(ascii: isArray ? "]" : "}"))
    }

    mutating func null(_ name: OutputName) throws(DocumentError) {
        try put(name)
        bytes.append(contentsOf: "null".utf8)
    }

    mutating func int(
        _ number: Int64, isNarrow: Bool, _ name: OutputName
    ) throws(DocumentError) {
        guard mode == .relaxed else {
            let narrow = isNarrow ? Int32(exactly: number) : nil
            return try value(narrow.map { .int32($0) } ?? .int64(number), name)
        }
        try put(name)
        bytes.append(contentsOf: String(number).utf8)
    }

    mutating func double(_ number: Double, _ name: OutputName) throws(DocumentError) {
        guard mode == .relaxed, number.isFinite else { return try value(.double(number), name) }
        try put(name)
        bytes.append(contentsOf: number.description.utf8)
    }

    mutating func bool(_ flag: Bool, _ name: OutputName) throws(DocumentError) {
        try put(name)
        bytes.append(contentsOf: (flag ? "true" : "false").utf8)
    }

    mutating func text(
        _ text: UnsafeRawBufferPointer, _ name: OutputName
    ) throws(DocumentError) {
        try put(name)
        JSONText.append(utf8: text, to: &bytes)
    }

    mutating func value(_ value: AnyBSON, _ name: OutputName) throws(DocumentError) {
        try put(name)
        var writer = ExtendedJSONWriter(appendingTo: bytes, mode: mode)
        bytes = []
        writer.write(value)
        bytes = writer.bytes
    }
}
