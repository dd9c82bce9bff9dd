import Foundation
import Synchronization
import Testing

@testable import StudioServer

@Suite("Files of which not every piece comes")
struct UploadTests {
    private var uploads = Uploads()
    private let start = ContinuousClock.now

    private func piece(
        _ file: String, _ offset: Int, _ text: String = "ab", isLast: Bool = false
    ) -> UploadRequest {
        UploadRequest(type: "T", file: file, offset: offset, text: text, isLast: isLast)
    }

    /// Sends a piece that is refused; gives the sentence.
    private mutating func refusal(of piece: UploadRequest, after time: Duration) throws -> String {
        do {
            _ = try uploads.take(piece, at: start + time)
        } catch {
            #expect(error.status == 409)
            return error.message
        }
        Issue.record("the piece was taken")
        return ""
    }

    @Test("a file is let go of when no piece has come for two minutes, and its next one is refused")
    mutating func abandoned() throws {
        _ = try uploads.take(piece("f", 0), at: start)
        uploads.releaseAbandoned(at: start + .seconds(119))
        let (received, whole) = try uploads.take(piece("f", 2), at: start + .seconds(119))
        #expect(received == 4 && whole == nil)
        uploads.releaseAbandoned(at: start + .seconds(238))
        #expect(uploads.byteCount == 4)
        uploads.releaseAbandoned(at: start + .seconds(239))
        #expect(uploads.byteCount == 0)
        let message = try refusal(of: piece("f", 4), after: .seconds(240))
        #expect(message.contains("no piece of it came for 120 seconds"), "\(message)")
        #expect(message.contains("Import it again"))
        // It may begin anew.
        _ = try uploads.take(piece("f", 0), at: start + .seconds(241))
        let last = try uploads.take(piece("f", 2, "c", isLast: true), at: start + .seconds(242))
        #expect(last.whole?.bytes == Array("abc".utf8))
        #expect(uploads.byteCount == 0)
    }

    @Test("several files are collected at a time; the one that waits longest makes room")
    mutating func tooMany() throws {
        for (second, file) in ["a", "b", "c", "d"].enumerated() {
            _ = try uploads.take(piece(file, 0), at: start + .seconds(second))
        }
        _ = try uploads.take(piece("a", 2), at: start + .seconds(5))
        _ = try uploads.take(piece("e", 0), at: start + .seconds(6))
        let message = try refusal(of: piece("b", 2), after: .seconds(7))
        #expect(message.contains("needed the room"), "\(message)")
        for (file, offset) in [("a", 4), ("c", 2), ("d", 2), ("e", 2)] {
            let last = piece(file, offset, "", isLast: true)
            #expect(try uploads.take(last, at: start + .seconds(8)).whole?.file == file)
        }
    }

    @Test("all files together have 64 MiB")
    mutating func tooManyBytes() throws {
        let text = String(repeating: "x", count: 20 << 20)
        for file in ["a", "b", "c"] { _ = try uploads.take(piece(file, 0, text), at: start) }
        #expect(uploads.byteCount == 60 << 20)
        _ = try uploads.take(piece("c", 20 << 20, text), at: start)
        #expect(uploads.byteCount == 60 << 20)
        let message = try refusal(of: piece("a", 20 << 20), after: .zero)
        #expect(message.contains("needed the room"), "\(message)")
        let (received, _) = try uploads.take(piece("b", 20 << 20), at: start)
        #expect(received == 20 << 20 + 2)
        let large = piece("b", 20 << 20 + 2, text + text + text)
        let error = #expect(throws: RequestFailure.self) { try uploads.take(large, at: start) }
        #expect(error?.status == 413)
    }

    @Test("a piece that does not follow the last one is refused")
    mutating func missing() throws {
        for wrong in [0, 1, 3].map({ piece("f", $0 + 1) }) where wrong.offset != 2 {
            _ = try uploads.take(piece("f", 0), at: start)
            #expect(try refusal(of: wrong, after: .zero).contains("missing"))
        }
        #expect(try refusal(of: piece("never", 2), after: .zero).contains("missing"))
    }

    @Test("a server that nobody asks for anything lets go of them, too")
    func unasked() async throws {
        let fixture = try await EditingFixture()
        let time = Mutex(ContinuousClock.now)
        let explorer = try await RealmExplorer(
            fixture.directory, isWritable: true, now: { time.withLock { $0 } })
        _ = try await explorer.upload(
            UploadRequest(type: "Guest", file: "f", offset: 0, text: "{}", isLast: false))
        await explorer.lookAround()
        #expect(await explorer.uploads.byteCount == 2)
        time.withLock { $0 += .seconds(120) }
        await explorer.lookAround()
        #expect(await explorer.uploads.byteCount == 0)
    }
}
