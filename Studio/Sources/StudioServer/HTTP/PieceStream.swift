import Dispatch
import Synchronization

/// The body of a response that is made in pieces, by a thread that waits for the client.
final class PieceStream: Sendable {
    private let stream: AsyncThrowingStream<[UInt8], any Error>
    private let continuation: AsyncThrowingStream<[UInt8], any Error>.Continuation
    /// Counts the pieces that may be made still. It begins with none, because a semaphore must not
    /// be let go of with less than it began with.
    private let room = DispatchSemaphore(value: 0)
    private let isEnded = Atomic(false)

    private static let waitingCount = 4

    /// The client wants no more.
    struct Ended: Error {}

    /// - Parameter produce: called on a separate thread, with a function that takes the next piece,
    ///   and throws when nobody wants more.
    init(_ produce: @escaping @Sendable (_ write: ([UInt8]) throws -> Void) throws -> Void) {
        (stream, continuation) = AsyncThrowingStream.makeStream()
        for _ in 0..<Self.waitingCount { room.signal() }
        let thread = DispatchQueue(label: "travertine.studio.pieces")
        thread.async {
            do {
                try produce { try self.write($0) }
                self.continuation.finish()
            } catch {
                self.continuation.finish(throwing: error)
            }
        }
    }

    private func write(_ piece: [UInt8]) throws {
        room.wait()
        if isEnded.load(ordering: .acquiring) { throw Ended() }
        continuation.yield(piece)
    }

    /// Calls `body` with each piece.
    ///
    /// - Throws: what making the pieces throws, and what `body` throws.
    func forEachPiece(_ body: ([UInt8]) async throws -> Void) async throws {
        defer { end() }
        for try await piece in stream {
            try await body(piece)
            room.signal()
        }
    }

    /// Ends the production of pieces: nobody wants more.
    func end() {
        isEnded.store(true, ordering: .releasing)
        room.signal()
    }
}
