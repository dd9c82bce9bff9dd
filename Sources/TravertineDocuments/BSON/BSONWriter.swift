import Travertine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes documents as BSON, after what the bytes hold already.
struct BSONWriter {
    private(set) var bytes: [UInt8]
    private var depth = 0
    /// The decimal numbers that name the elements of an array.
    private static let positions: [[UInt8]] = (0..<1_000).map { Array(String($0).utf8) + [0] }

    init(appendingTo bytes: [UInt8] = []) { self.bytes = bytes }

    mutating func write(_ document: Document) throws(DocumentError) {
        let start = try begin()
        for element in document {
            let typeOffset = bytes.count
            bytes.append(0)
            do throws(DocumentError) {
                try terminated(element.key, what: "a name")
                bytes[typeOffset] = try write(element.value)
            } catch {
                throw error.below(element.key)
            }
        }
        try finish(start)
    }

    private mutating func write(_ array: [AnyBSON]) throws(DocumentError) {
        let start = try begin()
        for (index, value) in array.enumerated() {
            let typeOffset = bytes.count
            bytes.append(0)
            if index < Self.positions.count {
                bytes.append(contentsOf: Self.positions[index])
            } else {
                bytes.append(contentsOf: String(index).utf8)
                bytes.append(0)
            }
            do throws(DocumentError) {
                bytes[typeOffset] = try write(value)
            } catch {
                throw error.below(String(index))
            }
        }
        try finish(start)
    }

    private mutating func begin() throws(DocumentError) -> Int {
        try descend()
        append(UInt32(0))
        return bytes.count - 4
    }

    private mutating func descend() throws(DocumentError) {
        guard depth < DocumentLimits.depthMax else {
            throw .notEncodable(reason: DocumentLimits.tooDeep, path: "")
        }
        depth += 1
    }

    private mutating func finish(_ start: Int) throws(DocumentError) {
        depth -= 1
        bytes.append(0)
        try patch(start, byteCount: bytes.count - start)
    }

    private mutating func patch(_ offset: Int, byteCount: Int) throws(DocumentError) {
        guard let length = Int32(exactly: byteCount) else {
            throw .notEncodable(reason: "it takes \(byteCount) bytes, more than 2^31", path: "")
        }
        withUnsafeBytes(of: length.littleEndian) { source in
            bytes.withUnsafeMutableBytes { target in
                UnsafeMutableRawBufferPointer(rebasing: target[offset..<offset + 4])
                    .copyMemory(from: source)
            }
        }
    }

    private mutating func append(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    private mutating func terminated(_ text: String, what: String) throws(DocumentError) {
        let start = bytes.count
        bytes.append(contentsOf: text.utf8)
        if bytes[start...].contains(0) {
            throw .notEncodable(
                reason: "\(what) holds a zero byte, which ends it in BSON", path: "")
        }
        bytes.append(0)
    }

    private mutating func string(_ text: String) throws(DocumentError) {
        let start = bytes.count
        append(UInt32(0))
        bytes.append(contentsOf: text.utf8)
        bytes.append(0)
        try patch(start, byteCount: bytes.count - start - 4)
    }

    private mutating func append(_ id: ObjectId) {
        id._withRaw { raw in
            if case .bytes(let source) = raw { bytes.append(contentsOf: source) }
        }
    }
}

extension BSONWriter {
    /// Writes a value and returns its type.
    private mutating func write(_ value: AnyBSON) throws(DocumentError) -> UInt8 {
        switch value {
        case .double(let number):
            append(number.bitPattern)
            return 0x01
        case .string(let text):
            try string(text)
            return 0x02
        case .document(let document):
            try write(document)
            return 0x03
        case .array(let array):
            try write(array)
            return 0x04
        case .objectId(let id):
            append(id)
            return 0x07
        case .bool(let flag):
            bytes.append(flag ? 1 : 0)
            return 0x08
        case .datetime(let time):
            append(time.milliseconds)
            return 0x09
        case .null: return 0x0A
        case .int32(let number):
            append(number)
            return 0x10
        case .int64(let number):
            append(number)
            return 0x12
        case .decimal128(let number):
            append(number.bits.low)
            append(number.bits.high)
            return 0x13
        default: return try writeRare(value)
        }
    }

    private mutating func writeRare(_ value: AnyBSON) throws(DocumentError) -> UInt8 {
        switch value {
        case .binary(let binary):
            try append(binary)
            return 0x05
        case .uuid(let uuid):
            append(UInt32(16))
            bytes.append(4)
            withUnsafeBytes(of: uuid.uuid) { bytes.append(contentsOf: $0) }
            return 0x05
        case .undefined: return 0x06
        case .regex(let expression):
            try terminated(expression.pattern, what: "a pattern")
            try terminated(expression.options, what: "the options of a pattern")
            return 0x0B
        case .pointer(let pointer):
            try string(pointer.collection)
            append(pointer.id)
            return 0x0C
        case .javascript(let code):
            try string(code)
            return 0x0D
        case .symbol(let text):
            try string(text)
            return 0x0E
        case .javascriptWithScope(let program):
            try descend()
            defer { depth -= 1 }
            let start = bytes.count
            append(UInt32(0))
            try string(program.code)
            try write(program.scope)
            try patch(start, byteCount: bytes.count - start)
            return 0x0F
        case .timestamp(let timestamp):
            append(UInt64(timestamp.seconds) << 32 | UInt64(timestamp.increment))
            return 0x11
        case .maxKey: return 0x7F
        default: return 0xFF
        }
    }

    private mutating func append(_ binary: BSONBinary) throws(DocumentError) {
        let start = bytes.count
        append(UInt32(0))
        bytes.append(binary.subtype)
        if binary.subtype == 2 { append(UInt32(truncatingIfNeeded: binary.data.count)) }
        bytes.append(contentsOf: binary.data)
        try patch(start, byteCount: bytes.count - start - 5)
    }
}

extension DocumentError {
    /// The error with a step put before its path.
    func below(_ step: String) -> DocumentError {
        guard case .notEncodable(let reason, let path) = self else { return self }
        return .notEncodable(reason: reason, path: path.isEmpty ? step : step + "." + path)
    }
}
