import AsyncHTTPClient
import Crypto

/// An object's bytes, or a range of them, as they arrive.
///
/// After a lost connection the stream goes on where it was, with a request for the rest of the same
/// state of the object; if the object has changed it throws `conditionFailed`. The content is
/// complete and checked only when the sequence has ended without an error: the checksum of a whole
/// object is compared at the end. The connection is read no faster than the stream.
///
/// The sequence can be iterated once. A stream that is dropped closes its connection.
public struct ObjectStream: AsyncSequence, Sendable {
    /// The object's properties when the stream was opened.
    public let attributes: ObjectAttributes
    /// Where the stream's bytes are in the object.
    public let range: Range<UInt64>
    private let reader: ObjectStreamReader

    init(
        store: ObjectStore, attributes: ObjectAttributes, range: Range<UInt64>,
        first: HTTPClientResponse.Body
    ) {
        self.attributes = attributes
        self.range = range
        reader = ObjectStreamReader(store, attributes, range, first)
    }

    /// Reads the stream.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let reader: ObjectStreamReader

        /// The next bytes, at least one; nil at the end. Throws `ObjectStorageError` or
        /// `CancellationError`.
        public func next() async throws -> [UInt8]? { try await reader.next() }
    }

    /// The iterator; all iterators of one stream share its position.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reader: reader) }
}

/// The position in a stream, and the connection that it is read from.
private actor ObjectStreamReader {
    private let store: ObjectStore
    private let attributes: ObjectAttributes
    private let end: UInt64
    private var position: UInt64
    private var connection: BodyConnection?
    /// Of a whole object with a checksum.
    private var hash: SHA256?
    /// Since the last byte that arrived; nil if nothing has failed since.
    private var attempts: Attempts?
    private var isReading = false

    init(
        _ store: ObjectStore, _ attributes: ObjectAttributes, _ range: Range<UInt64>,
        _ first: HTTPClientResponse.Body
    ) {
        self.store = store
        self.attributes = attributes
        position = range.lowerBound
        end = range.upperBound
        connection = BodyConnection(first)
        let isWhole = range == 0..<attributes.byteCount
        hash = isWhole && attributes.checksumSHA256 != nil ? SHA256() : nil
    }

    func next() async throws -> [UInt8]? {
        precondition(!isReading, "a stream is read by one task at a time")
        isReading = true
        defer { isReading = false }
        while position < end {
            do {
                let bytes = try await read()
                position += UInt64(bytes.count)
                hash?.update(data: bytes)
                attempts = nil
                return bytes
            } catch {
                connection = nil
                try Task.checkCancellation()
                var attempts = self.attempts ?? Attempts(store.options)
                try await attempts.pause(after: ObjectStorageError(transportError: error))
                self.attempts = attempts
            }
        }
        connection = nil
        if let hash {
            self.hash = nil
            guard BodyChecksum(hash.finalize()).base64 == attributes.checksumSHA256 else {
                throw ObjectStorageError.checksumMismatch(
                    "'\(attributes.key)' was received otherwise")
            }
        }
        return nil
    }

    private func read() async throws -> [UInt8] {
        let connection = try await openConnection()
        guard let bytes = try await connection.next(idle: store.options.idleTimeout) else {
            throw ObjectStorageError.connectionLost("\(end - position) bytes were not received")
        }
        guard UInt64(bytes.count) <= end - position else {
            throw ObjectStorageError.malformedResponse("more bytes than announced")
        }
        return bytes
    }

    private func openConnection() async throws -> BodyConnection {
        if let connection { return connection }
        let remaining = attempts?.remaining ?? store.options.totalTimeout
        let body = try await store.streamBody(
            attributes.key, range: position..<end, ifMatch: attributes.entityTag,
            within: remaining)
        let opened = BodyConnection(body)
        connection = opened
        return opened
    }
}

/// The body of one answer. `next` is called by one task at a time.
///
/// Unchecked, because the iterator is not `Sendable`: the reader makes one call at a time, and
/// checks that with `isReading`.
private final class BodyConnection: @unchecked Sendable {
    private var iterator: HTTPClientResponse.Body.AsyncIterator

    init(_ body: HTTPClientResponse.Body) { iterator = body.makeAsyncIterator() }

    /// The next bytes that are not empty. Throws `timedOut(.idle)` if none arrive.
    func next(idle: Duration) async throws -> [UInt8]? {
        try await Activity().limit(idle: idle, total: nil) {
            while let piece = try await self.iterator.next() {
                if piece.readableBytes > 0 { return Array(piece.readableBytesView) }
            }
            return nil
        }
    }
}
