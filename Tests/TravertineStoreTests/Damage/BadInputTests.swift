import Foundation
import SegmentLog
import TestSupport
import Testing

@testable import StoreFixtures
@testable import StoreMaintenance
@testable import TravertineStore

/// What the world does to a store's files: each gives a typed error, and none a trap.
@Suite struct BadInputTests {
    private func code(_ body: () throws -> Void) -> StoreError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? StoreError)?.code
        }
    }

    /// A closed store with a few records, some of them after the newest checkpoint's predecessor.
    private func makeStore(_ directory: TemporaryDirectory) throws -> String {
        let path = directory.path("store")
        for round in 0..<3 as Range<UInt64> {
            let store = try Store.open(at: path)
            try store.write { transaction in
                for number in 0..<20 as Range<UInt64> {
                    try transaction.put("value \(round)", forKey: round * 100 + number)
                }
            }
            try store.close()
        }
        return path
    }

    private func file(_ path: String, suffix: String) throws -> String {
        let names = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
        return path + "/" + (try #require(names.last { $0.hasSuffix(suffix) }))
    }

    private func contents(_ file: String) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: file))
    }

    private func write(_ data: Data, to file: String) throws {
        try data.write(to: URL(fileURLWithPath: file))
    }

    @Test("a missing path is an error unless it may be created")
    func missingPath() throws {
        let directory = TemporaryDirectory()
        var options = StoreOptions()
        options.createIfMissing = false
        #expect(
            code { _ = try Store.open(at: directory.path("none"), options: options) } == .notFound)
        #expect(code { _ = try Store.open(at: directory.path("a/b/c")) } == .notFound)
        #expect(code { _ = try StoreVerifier.verify(path: directory.path("none")) } == .notFound)
    }

    @Test("a path to a file is not a directory")
    func notADirectory() throws {
        let directory = TemporaryDirectory()
        try write(Data("text".utf8), to: directory.path("file"))
        #expect(code { _ = try Store.open(at: directory.path("file")) } == .notADirectory)
    }

    @Test("a directory with other files is left alone")
    func notAStore() throws {
        let directory = TemporaryDirectory()
        try write(Data("text".utf8), to: directory.path("notes.txt"))
        #expect(code { _ = try Store.open(at: directory.path) } == .notAStore)
        try #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.path).contains(
                "notes.txt"))
    }

    @Test("a manifest of something else, of a newer format, damaged, cut short, empty or missing")
    func badManifest() throws {
        let directory = TemporaryDirectory()
        let path = try makeStore(directory)
        let manifest = path + "/manifest"
        let good = try contents(manifest)
        func openingCode() -> StoreError.Code? { code { _ = try Store.open(at: path) } }

        try write(Data("SQLite format 3".utf8) + good.dropFirst(15), to: manifest)
        #expect(openingCode() == .notAStore)

        var newer = try Manifest(
            decoding: good.withUnsafeBytes { UnsafeRawBufferPointer($0) }, file: ""
        ).encoded
        newer[8] = UInt8(SealedFileHeader.formatVersion) + 1
        let crc = checksum(of: Array(newer.dropLast(4)))
        newer.replaceSubrange(508..., with: withUnsafeBytes(of: crc.littleEndian, Array.init))
        try write(Data(newer), to: manifest)
        #expect(openingCode() == .newerFormat)

        for length in [0, 1, 8, 100, 511] {
            try write(good.prefix(length), to: manifest)
            #expect(openingCode() == .damaged || openingCode() == .notAStore, "length \(length)")
        }
        try write(good + Data([0]), to: manifest)
        #expect(openingCode() == .damaged)
        try FileManager.default.removeItem(atPath: manifest)
        #expect(openingCode() == .damaged)
        try write(good, to: manifest)
        #expect(openingCode() == nil)
    }

    @Test("segments of another store are refused")
    func wrongStore() throws {
        let directory = TemporaryDirectory()
        let path = try makeStore(directory)
        let other = directory.path("other")
        let store = try Store.open(at: other)
        try store.write { try $0.put("v", forKey: "k") }
        try store.close()
        try FileManager.default.removeItem(atPath: path + "/manifest")
        try FileManager.default.copyItem(atPath: other + "/manifest", toPath: path + "/manifest")
        // The segment that the checkpoint's replay begins in is there, and is not the store's.
        #expect(code { _ = try Store.open(at: path) } == .wrongStore)
    }

    @Test("a damaged checkpoint leads to the one before, then to the whole log, and is reported")
    func damagedCheckpoints() throws {
        let directory = TemporaryDirectory()
        let path = try makeStore(directory)
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
            .filter { $0.hasSuffix(".pages") }.sorted()
        #expect(names.count == 2)
        var expected: [OpeningReport.Source] = [.previousCheckpoint, .fullReplay]
        for name in names.reversed() {
            var data = try contents(path + "/" + name)
            data[data.count - 1] ^= 0xff
            try write(data, to: path + "/" + name)
            let copy = directory.path("copy-\(name)")
            try FileManager.default.copyItem(atPath: path, toPath: copy)
            let store = try Store.open(at: copy)
            #expect(store.openingReport.source == expected.removeFirst())
            #expect(!store.openingReport.damagedCheckpoints.isEmpty)
            #expect(try store.snapshot().count() == 60)
            #expect(try store.get(205 as UInt64) == Array("value 2".utf8))
            try store.close()
            #expect(try StoreVerifier.verify(path: copy).isSound)
        }
    }

    @Test("a missing, empty or truncated segment is damage with file and LSN")
    func badSegment() throws {
        let directory = TemporaryDirectory()
        let path = try makeStore(directory)
        let segment = try file(path, suffix: ".segment")
        let good = try contents(segment)
        for length in [0, 1, 127, 128, 200, 300] where length < good.count {
            try write(good.prefix(length), to: segment)
            // Without a checkpoint to start after, the log itself must be whole.
            let error = #expect(throws: StoreError.self, "length \(length)") {
                try withoutCheckpoints(path) { _ = try Store.open(at: $0) }
            }
            #expect(error?.code == .damaged, "length \(length)")
            #expect(error?.lsn != nil, "length \(length)")
        }
        try FileManager.default.removeItem(atPath: segment)
        let error = #expect(throws: StoreError.self) {
            try withoutCheckpoints(path) { _ = try Store.open(at: $0) }
        }
        #expect(error?.code == .damaged && error?.lsn != nil)
        try #expect(!StoreVerifier.verify(path: path).isSound)
    }

    /// A copy of a store whose page files are gone, so that opening replays the whole log.
    private func withoutCheckpoints(_ path: String, _ body: (String) throws -> Void) throws {
        let copy = path + "-copy-\(UUID().uuidString)"
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        for name in try FileManager.default.contentsOfDirectory(atPath: copy)
        where name.hasSuffix(".pages") {
            try FileManager.default.removeItem(atPath: copy + "/" + name)
        }
        try body(copy)
    }

    @Test("a second store object on one directory is refused, and close releases the lock")
    func secondStore() throws {
        let directory = TemporaryDirectory()
        let path = directory.path("store")
        let store = try Store.open(at: path)
        #expect(code { _ = try Store.open(at: path) } == .locked)
        #expect(
            code {
                _ = try Store.open(
                    at: directory.path(
                        "../\(URL(fileURLWithPath: directory.path).lastPathComponent)/store"))
            } == .locked)
        #expect(code { _ = try StoreVerifier.verify(path: path) } == .locked)
        try store.close()
        let again = try Store.open(at: path)
        try again.close()
    }
}
