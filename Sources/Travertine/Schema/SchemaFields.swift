import TravertineStore

/// The fields of schema records whose length varies: it is before their bytes.
extension ByteWriter {
    /// Appends a string of at most 65,535 bytes, after its 16-bit length.
    mutating func append(_ text: String) {
        let utf8 = text.utf8
        guard utf8.count <= UInt16.max else {
            misuse(
                "The name that begins with '\(text.prefix(40))' has more than 65,535 bytes. Give the "
                    + "class or property a shorter one.")
        }
        append(UInt16(utf8.count))
        append(contentsOf: utf8)
    }

    /// Appends bytes after their 32-bit length.
    mutating func append(counted piece: [UInt8]) {
        append(UInt32(piece.count))
        append(contentsOf: piece)
    }

    /// Appends a keyspace as four bytes.
    mutating func append(_ keyspace: KeyspaceID) { append(keyspace.rawValue) }
}

/// Reads fields of records that must be there; nothing here traps, whatever the bytes are.
extension ByteReader {
    mutating func take<Number: FixedWidthInteger & BitwiseCopyable>(
        _ type: Number.Type
    ) throws(SchemaDamage) -> Number {
        guard let number = read(type) else { throw SchemaDamage() }
        return number
    }

    mutating func takeKeyspace() throws(SchemaDamage) -> KeyspaceID {
        KeyspaceID(rawValue: try take(UInt32.self))
    }

    mutating func takeText() throws(SchemaDamage) -> String {
        let piece = try takeBytes(Int(try take(UInt16.self)))
        guard let text = String(validating: piece, as: UTF8.self) else { throw SchemaDamage() }
        return text
    }

    mutating func takeCounted() throws(SchemaDamage) -> [UInt8] {
        Array(try takeBytes(Int(try take(UInt32.self))))
    }

    private mutating func takeBytes(
        _ count: Int
    ) throws(SchemaDamage) -> UnsafeRawBufferPointer {
        guard let piece = read(byteCount: count) else { throw SchemaDamage() }
        return piece
    }
}

/// A record of the schema keyspace is not what the format says.
struct SchemaDamage: Error {}
