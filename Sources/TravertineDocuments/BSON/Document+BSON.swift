#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Documents from and to BSON (B-D1, B-D2).
extension Document {
    /// The document that bytes are, all of them.
    ///
    /// Lengths, terminators, UTF-8 and types are checked, and at most 200 levels are read.
    ///
    /// - Throws: `DocumentError.invalidBSON` with the offset at which something is wrong.
    public init(bson bytes: UnsafeRawBufferPointer) throws(DocumentError) {
        var reader = BSONReader(bytes)
        self = try reader.document()
        guard reader.offset == bytes.count else {
            throw .invalidBSON(
                reason: "\(bytes.count - reader.offset) bytes follow the document",
                offset: reader.offset)
        }
    }

    /// The document that bytes are, all of them.
    ///
    /// - Throws: `DocumentError.invalidBSON` with the offset at which something is wrong.
    public init(bson bytes: [UInt8]) throws(DocumentError) {
        self = try bytes.withUnsafeBytes { buffer in
            Result { () throws(DocumentError) in try Document(bson: buffer) }
        }.get()
    }

    /// The document that data is, all of it.
    ///
    /// - Throws: `DocumentError.invalidBSON` with the offset at which something is wrong.
    public init(bson data: Data) throws(DocumentError) {
        try self.init(bson: [UInt8](data))
    }

    /// The document as BSON.
    ///
    /// - Throws: `DocumentError.notEncodable` for names and patterns with a zero byte, for more
    ///   than 200 levels, and for what takes more than 2^31 bytes.
    public func bson() throws(DocumentError) -> [UInt8] {
        var writer = BSONWriter()
        try writer.write(self)
        return writer.bytes
    }

    /// Adds the document as BSON after other bytes, which stay as they are if this throws.
    ///
    /// - Throws: as `bson()`.
    public func appendBSON(to bytes: inout [UInt8]) throws(DocumentError) {
        let byteCount = bytes.count
        var writer = BSONWriter(appendingTo: bytes)
        bytes = []
        defer { bytes = writer.bytes }
        do throws(DocumentError) {
            try writer.write(self)
        } catch {
            writer.cut(to: byteCount)
            throw error
        }
    }
}

extension BSONWriter {
    fileprivate mutating func cut(to byteCount: Int) {
        self = BSONWriter(appendingTo: Array(bytes.prefix(byteCount)))
    }
}
