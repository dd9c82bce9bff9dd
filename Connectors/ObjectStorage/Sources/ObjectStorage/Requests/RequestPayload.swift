import AsyncHTTPClient
import Crypto
import NIOCore
import Synchronization

/// A request's body, opened, measured and hashed: it can be sent any number of times.
struct RequestPayload: Sendable {
    private enum Content: Sendable {
        case bytes([UInt8])
        case file(LocalFile, offset: UInt64)
    }

    private let content: Content
    let byteCount: UInt64
    let checksum: BodyChecksum

    /// The size of the pieces that are read and sent.
    static let pieceByteCount = 256 << 10
    static let empty = RequestPayload(bytes: [])

    private init(_ content: Content, byteCount: UInt64, checksum: BodyChecksum) {
        self.content = content
        self.byteCount = byteCount
        self.checksum = checksum
    }

    init(bytes: [UInt8]) {
        self.init(
            .bytes(bytes), byteCount: UInt64(bytes.count), checksum: BodyChecksum(of: bytes))
    }

    /// Opens and hashes a body: for a file, reads it once. Throws `ObjectStorageError` or
    /// `CancellationError`.
    init(_ body: ObjectBody, byteCountMax: UInt64) throws {
        switch body.source {
        case .bytes(let bytes):
            try Self.check(UInt64(bytes.count), byteCountMax)
            self.init(bytes: bytes)
        case .file(let path, let offset, let count):
            let file = try LocalFile(reading: path)
            let size = try file.byteCount()
            guard offset <= size, (count ?? 0) <= size - offset else {
                throw ObjectStorageError.invalidArgument(
                    "\(path) has \(size) bytes, fewer than the part that is asked for")
            }
            let byteCount = count ?? size - offset
            try Self.check(byteCount, byteCountMax)
            var hash = SHA256()
            var position: UInt64 = 0
            while position < byteCount {
                try Task.checkCancellation()
                let pieceCount = Int(min(UInt64(Self.pieceByteCount), byteCount - position))
                hash.update(data: try file.read(at: offset + position, byteCount: pieceCount))
                position += UInt64(pieceCount)
            }
            self.init(
                .file(file, offset: offset), byteCount: byteCount,
                checksum: BodyChecksum(hash.finalize()))
        }
    }

    private static func check(_ byteCount: UInt64, _ limit: UInt64) throws {
        guard byteCount <= limit else {
            throw ObjectStorageError.bodyTooLarge(byteCount: byteCount, limit: limit)
        }
    }

    fileprivate func piece(at position: UInt64) throws -> ByteBuffer {
        let count = Int(min(UInt64(Self.pieceByteCount), byteCount - position))
        switch content {
        case .bytes(let bytes):
            let start = Int(position)
            return ByteBuffer(bytes: bytes[start..<start + count])
        case .file(let file, let offset):
            return ByteBuffer(bytes: try file.read(at: offset + position, byteCount: count))
        }
    }
}

/// The pieces of one attempt to send a payload. Each piece that the connection takes counts as
/// activity.
struct PayloadPieces: AsyncSequence, Sendable {
    let payload: RequestPayload
    let activity: Activity

    struct Iterator: AsyncIteratorProtocol {
        let pieces: PayloadPieces
        var position: UInt64 = 0

        mutating func next() async throws -> ByteBuffer? {
            pieces.activity.note()
            guard position < pieces.payload.byteCount else { return nil }
            do {
                let piece = try pieces.payload.piece(at: position)
                position += UInt64(piece.readableBytes)
                return piece
            } catch {
                pieces.activity.fail(error)
                throw error
            }
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(pieces: self) }
}
