import Travertine
import TravertineJSON

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif
#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads BSON from bytes that may hold anything.
///
/// Unsafe by subject: it reads from a buffer without copying. Invariant: `offset` never exceeds
/// `end`, which never exceeds the buffer's end, and every read of *n* bytes follows a check that
/// `end - offset >= n` (`require`). While a document is read, `end` is the place of its last zero.
struct BSONReader {
    private let bytes: UnsafeRawBufferPointer
    private(set) var offset: Int
    private var end: Int
    private var depth = 0
    /// The offset of the type of the value that is read.
    private var typeOffset = 0

    init(_ bytes: UnsafeRawBufferPointer, at offset: Int = 0) {
        self.bytes = bytes
        self.offset = offset
        end = bytes.count
    }

    /// Reads a document with its length.
    mutating func document() throws(DocumentError) -> Document {
        var elements: [Document.Element] = []
        try forEachElement { (reader, type) throws(DocumentError) in
            let key = try reader.terminatedString()
            let value = try reader.value(ofType: type)
            elements.append(Document.Element(key: key, value: value))
        }
        return Document(elements: elements)
    }

    private mutating func array() throws(DocumentError) -> [AnyBSON] {
        var values: [AnyBSON] = []
        try forEachElement { (reader, type) throws(DocumentError) in
            // The names of elements are their numbers; what they say is not looked at.
            try reader.skipTerminatedString()
            values.append(try reader.value(ofType: type))
        }
        return values
    }

    @inline(__always)
    private mutating func forEachElement(
        _ body: (inout BSONReader, UInt8) throws(DocumentError) -> Void
    ) throws(DocumentError) {
        let start = offset
        guard depth < DocumentLimits.depthMax else {
            throw failure("more than \(DocumentLimits.depthMax) levels", at: start)
        }
        let outerEnd = end
        let byteCount = Int(try int32())
        guard byteCount >= 5, byteCount <= outerEnd - start else {
            throw failure("a document of \(byteCount) bytes has \(outerEnd - start)", at: start)
        }
        end = start + byteCount - 1
        guard bytes[end] == 0 else {
            throw failure("a document ends with \(bytes[end]) in place of 0", at: end)
        }
        depth += 1
        while offset < end {
            let type = bytes[offset]
            typeOffset = offset
            offset += 1
            try body(&self, type)
        }
        depth -= 1
        offset = end + 1
        end = outerEnd
    }
}

extension BSONReader {
    private mutating func value(ofType type: UInt8) throws(DocumentError) -> AnyBSON {
        switch type {
        case 0x01: return .double(Double(bitPattern: try uint64()))
        case 0x02: return .string(try string())
        case 0x03: return .document(try document())
        case 0x04: return .array(try array())
        case 0x05: return try binary()
        case 0x06: return .undefined
        case 0x07: return .objectId(try objectId())
        case 0x08: return .bool(try bool())
        case 0x09:
            return .datetime(BSONDateTime(milliseconds: Int64(bitPattern: try uint64())))
        case 0x0A: return .null
        case 0x0B:
            let pattern = try terminatedString()
            return .regex(
                BSONRegularExpression(pattern: pattern, storedOptions: try terminatedString()))
        case 0x0C: return .pointer(BSONPointer(collection: try string(), id: try objectId()))
        case 0x0D: return .javascript(try string())
        case 0x0E: return .symbol(try string())
        case 0x0F: return try code()
        case 0x10: return .int32(try int32())
        case 0x11:
            let word = try uint64()
            return .timestamp(
                BSONTimestamp(
                    seconds: UInt32(truncatingIfNeeded: word >> 32),
                    increment: UInt32(truncatingIfNeeded: word)))
        case 0x12: return .int64(Int64(bitPattern: try uint64()))
        case 0x13:
            let low = try uint64()
            return .decimal128(Decimal128(bits: (low, try uint64())))
        case 0x7F: return .maxKey
        case 0xFF: return .minKey
        default: throw failure("there is no type \(type)", at: typeOffset)
        }
    }

    private func failure(_ reason: String, at offset: Int) -> DocumentError {
        .invalidBSON(reason: reason, offset: offset)
    }

    @inline(__always)
    private func require(_ byteCount: Int) throws(DocumentError) {
        if end - offset < byteCount {
            throw failure("\(byteCount) bytes are missing at the end", at: offset)
        }
    }

    @inline(__always)
    private mutating func int32() throws(DocumentError) -> Int32 { try integer() }

    @inline(__always)
    private mutating func uint64() throws(DocumentError) -> UInt64 { try integer() }

    @inline(__always)
    private mutating func integer<Integer: FixedWidthInteger & BitwiseCopyable>()
        throws(DocumentError) -> Integer
    {
        let byteCount = MemoryLayout<Integer>.size
        try require(byteCount)
        let value = bytes.loadUnaligned(fromByteOffset: offset, as: Integer.self)
        offset += byteCount
        return Integer(littleEndian: value)
    }

    private mutating func bool() throws(DocumentError) -> Bool {
        try require(1)
        guard bytes[offset] <= 1 else {
            throw failure("a truth value is \(bytes[offset])", at: offset)
        }
        offset += 1
        return bytes[offset - 1] == 1
    }

    private mutating func objectId() throws(DocumentError) -> ObjectId {
        try require(12)
        let raw = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + 12])
        offset += 12
        return ObjectId._from(.bytes(raw)) ?? ObjectId()
    }

    private func text(from start: Int, byteCount: Int) throws(DocumentError) -> String {
        let slice = UnsafeRawBufferPointer(rebasing: bytes[start..<start + byteCount])
        guard let text = UTF8Text.string(slice) else {
            throw failure("a text is not UTF-8", at: start)
        }
        return text
    }

    private mutating func string() throws(DocumentError) -> String {
        let start = offset
        let byteCount = Int(try int32())
        guard byteCount >= 1, byteCount <= end - offset else {
            throw failure("a text of \(byteCount) bytes has \(end - offset)", at: start)
        }
        guard bytes[offset + byteCount - 1] == 0 else {
            throw failure("a text does not end with 0", at: offset + byteCount - 1)
        }
        let result = try text(from: offset, byteCount: byteCount - 1)
        offset += byteCount
        return result
    }

    /// The place of the next zero.
    private func terminator() throws(DocumentError) -> Int {
        guard let base = bytes.baseAddress, let found = memchr(base + offset, 0, end - offset)
        else { throw failure("a name does not end with 0", at: offset) }
        return UnsafeRawPointer(found) - base
    }

    private mutating func terminatedString() throws(DocumentError) -> String {
        let stop = try terminator()
        let result = try text(from: offset, byteCount: stop - offset)
        offset = stop + 1
        return result
    }

    private mutating func skipTerminatedString() throws(DocumentError) {
        offset = try terminator() + 1
    }

    private mutating func binary() throws(DocumentError) -> AnyBSON {
        let start = offset
        var byteCount = Int(try int32())
        guard byteCount >= 0, byteCount < end - offset else {
            throw failure("\(byteCount) bytes of binary are not there", at: start)
        }
        let subtype = bytes[offset]
        offset += 1
        if subtype == 2 {
            // The old form has its length twice.
            guard byteCount >= 4, Int(try int32()) == byteCount - 4 else {
                throw failure("the lengths of binary of subtype 2 differ", at: start)
            }
            byteCount -= 4
        }
        let slice = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + byteCount])
        offset += byteCount
        if subtype == 4 && byteCount == 16, let uuid = UUID._from(.bytes(slice)) {
            return .uuid(uuid)
        }
        return .binary(BSONBinary(Data(slice), subtype: subtype))
    }

    private mutating func code() throws(DocumentError) -> AnyBSON {
        let start = offset
        let byteCount = Int(try int32())
        guard byteCount >= 14, byteCount <= end - start else {
            throw failure("a program of \(byteCount) bytes has \(end - start)", at: start)
        }
        guard depth < DocumentLimits.depthMax else {
            throw failure("more than \(DocumentLimits.depthMax) levels", at: start)
        }
        depth += 1
        let code = try string()
        let scope = try document()
        depth -= 1
        guard offset == start + byteCount else {
            throw failure("a program has \(offset - start) of \(byteCount) bytes", at: start)
        }
        return .javascriptWithScope(BSONCode(code, scope: scope))
    }
}
