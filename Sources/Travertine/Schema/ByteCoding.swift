/// Writes the little-endian fields of schema records.
struct ByteWriter {
    var bytes: [UInt8] = []

    mutating func put<Number: FixedWidthInteger>(_ number: Number) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// A string of at most 65,535 bytes, its length before it.
    mutating func put(_ text: String) {
        let utf8 = Array(text.utf8.prefix(Int(UInt16.max)))
        put(UInt16(utf8.count))
        bytes.append(contentsOf: utf8)
    }

    /// Bytes with their 32-bit length before them.
    mutating func put(counted piece: [UInt8]) {
        put(UInt32(piece.count))
        bytes.append(contentsOf: piece)
    }
}

/// Reads the fields of schema records; nothing here traps, whatever the bytes are.
struct ByteReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = Array(bytes) }

    var isAtEnd: Bool { position == bytes.count }

    mutating func take<Number: FixedWidthInteger>(
        _ type: Number.Type
    ) throws(SchemaDamage) -> Number {
        let end = position + MemoryLayout<Number>.size
        guard end <= bytes.count else { throw SchemaDamage() }
        defer { position = end }
        return bytes.withUnsafeBytes {
            Number(littleEndian: $0.loadUnaligned(fromByteOffset: position, as: Number.self))
        }
    }

    mutating func takeText() throws(SchemaDamage) -> String {
        let count = Int(try take(UInt16.self))
        let piece = try takeBytes(count)
        guard let text = String(validating: piece, as: UTF8.self) else { throw SchemaDamage() }
        return text
    }

    mutating func takeCounted() throws(SchemaDamage) -> [UInt8] {
        try takeBytes(Int(try take(UInt32.self)))
    }

    private mutating func takeBytes(_ count: Int) throws(SchemaDamage) -> [UInt8] {
        guard count <= bytes.count - position else { throw SchemaDamage() }
        defer { position += count }
        return Array(bytes[position..<position + count])
    }
}

/// A record of the schema keyspace is not what the format says.
struct SchemaDamage: Error {}
