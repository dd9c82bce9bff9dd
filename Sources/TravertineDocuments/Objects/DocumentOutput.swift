import Travertine
import TravertineJSON

/// What is written before a value in a document.
enum OutputName {
    /// Nothing: the document is not inside another.
    case root
    /// A field of a type.
    case field(FieldName)
    /// A key of a dictionary.
    case key(UnsafeRawBufferPointer)
    /// A position in an array.
    case position(Int)
}

/// The name of a field, as the formats have it.
struct FieldName {
    /// In quotes, with the colon.
    let json: [UInt8]
    /// With the zero byte.
    let bson: [UInt8]
    /// The name, if Extended JSON would read its object as a value of another type.
    let wrapper: String?

    init(_ name: String) {
        wrapper = ExtendedJSONWrapper.isName(name) ? name : nil
        var json: [UInt8] = []
        JSONText.append(name: name, to: &json)
        self.json = json
        bson = Array(name.utf8) + [0]
    }
}

/// Where a document is written, value by value, without being made.
protocol DocumentOutput {
    /// What was written.
    var bytes: [UInt8] { get set }

    /// Takes back what was written of a document, wherever in it an error came.
    mutating func cut(to count: Int)
    /// Begins a document or an array; gives what `end` takes.
    mutating func begin(isArray: Bool, _ name: OutputName) throws(DocumentError) -> Int
    mutating func end(_ start: Int, isArray: Bool) throws(DocumentError)
    mutating func null(_ name: OutputName) throws(DocumentError)
    mutating func int(_ number: Int64, isNarrow: Bool, _ name: OutputName) throws(DocumentError)
    mutating func double(_ number: Double, _ name: OutputName) throws(DocumentError)
    mutating func bool(_ flag: Bool, _ name: OutputName) throws(DocumentError)
    mutating func text(_ text: UnsafeRawBufferPointer, _ name: OutputName) throws(DocumentError)
    mutating func value(_ value: AnyBSON, _ name: OutputName) throws(DocumentError)
}

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

/// Writes BSON.
struct BSONOutput: DocumentOutput {
    var bytes: [UInt8] = []
    private var depth = 0

    mutating func cut(to count: Int) {
        bytes.removeLast(bytes.count - count)
        depth = 0
    }

    private mutating func put(_ type: UInt8, _ name: OutputName) throws(DocumentError) {
        switch name {
        case .root: return
        case .field(let field):
            bytes.append(type)
            bytes.append(contentsOf: field.bson)
        case .key(let key):
            if key.contains(0) {
                throw .notEncodable(
                    reason: "a name holds a zero byte, which ends it in BSON",
                    path: String(decoding: key, as: UTF8.self))
            }
            bytes.append(type)
            bytes.append(contentsOf: key)
            bytes.append(0)
        case .position(let position):
            bytes.append(type)
            bytes.append(contentsOf: String(position).utf8)
            bytes.append(0)
        }
    }

    private mutating func append(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func begin(isArray: Bool, _ name: OutputName) throws(DocumentError) -> Int {
        guard depth < DocumentLimits.depthMax else {
            throw .notEncodable(reason: DocumentLimits.tooDeep, path: "")
        }
        depth += 1
        try put(isArray ? 0x04 : 0x03, name)
        append(UInt32(0))
        return bytes.count - 4
    }

    mutating func end(_ start: Int, isArray: Bool) throws(DocumentError) {
        depth -= 1
        bytes.append(0)
        guard let length = Int32(exactly: bytes.count - start) else {
            throw .notEncodable(
                reason: "it takes \(bytes.count - start) bytes, more than 2^31", path: "")
        }
        withUnsafeBytes(of: length.littleEndian) { source in
            for offset in 0..<4 { bytes[start + offset] = source[offset] }
        }
    }

    mutating func null(_ name: OutputName) throws(DocumentError) { try put(0x0A, name) }

    mutating func int(
        _ number: Int64, isNarrow: Bool, _ name: OutputName
    ) throws(DocumentError) {
        if isNarrow, let narrow = Int32(exactly: number) {
            try put(0x10, name)
            append(narrow)
        } else {
            try put(0x12, name)
            append(number)
        }
    }

    mutating func double(_ number: Double, _ name: OutputName) throws(DocumentError) {
        try put(0x01, name)
        append(number.bitPattern)
    }

    mutating func bool(_ flag: Bool, _ name: OutputName) throws(DocumentError) {
        try put(0x08, name)
        bytes.append(flag ? 1 : 0)
    }

    mutating func text(
        _ text: UnsafeRawBufferPointer, _ name: OutputName
    ) throws(DocumentError) {
        try put(0x02, name)
        append(UInt32(clamping: text.count + 1))
        bytes.append(contentsOf: text)
        bytes.append(0)
    }

    mutating func value(_ value: AnyBSON, _ name: OutputName) throws(DocumentError) {
        // A document of the one value without name: length, type, the name's end, value, end.
        let whole = try Document([("", value)]).bson()
        try put(whole[4], name)
        bytes.append(contentsOf: whole[6..<whole.count - 1])
    }
}
