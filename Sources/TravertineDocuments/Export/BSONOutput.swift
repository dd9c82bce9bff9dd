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
