import Foundation
import SegmentLog
import TestSupport
import Testing

@testable import StoreFixtures
@testable import StoreMaintenance
@testable import TravertineStore

/// A copy of a store's directory, by whatever means, has its own history (Engine 4.7).
@Suite("Copied stores")
struct LineageTests {
    private let directory: TemporaryDirectory

    init() throws { directory = TemporaryDirectory() }

    private func path(_ name: String) -> String { directory.path(name) }

    private func manifest(_ name: String) throws -> Manifest {
        try #require(try ManifestFile.read(in: path(name), fileSystem: RealFileSystem()))
    }

    private func copy(_ source: String, to target: String) throws {
        try FileManager.default.copyItem(atPath: path(source), toPath: path(target))
    }

    private func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: path(name))
    }

    private func put(_ value: String, forKey key: String, in name: String) throws {
        let store = try Store.open(at: path(name))
        try store.write { try $0.put(value, forKey: key) }
        try store.close()
    }

    private func get(_ key: String, in name: String) throws -> String? {
        let store = try Store.open(at: path(name))
        let value = try store.snapshot().get(key).map { String(decoding: $0, as: UTF8.self) }
        try store.close()
        return value
    }

    private func backUp(_ name: String) throws {
        let store = try Store.open(at: path(name))
        defer { _ = try? store.close() }
        try store.backup(to: path("backup"), options: BackupOptions(method: .copy))
    }

    @Test("a copy begins a lineage when it is opened for writing, and keeps it from then on")
    func copied() throws {
        try put("first", forKey: "key", in: "store")
        let original = try manifest("store")
        try copy("store", to: "copy")
        #expect(try manifest("copy") == original)
        #expect(try get("key", in: "copy") == "first")
        let copied = try manifest("copy")
        #expect(copied.identity.lineage != original.identity.lineage)
        #expect(copied.identity.uuidLow == original.identity.uuidLow)
        try put("second", forKey: "key", in: "copy")
        #expect(try manifest("copy").identity == copied.identity)
        try put("other", forKey: "key", in: "store")
        #expect(try manifest("store").identity == original.identity)
        for name in ["store", "copy"] {
            let report = try StoreVerifier.verify(path: path(name), level: .deep)
            #expect(report.findings.isEmpty, "\(name): \(report.findings)")
        }
    }

    @Test("one whose files have second names leaves those of the original alone")
    func hardLinked() throws {
        try put("first", forKey: "key", in: "store")
        try FileManager.default.createDirectory(
            atPath: path("copy"), withIntermediateDirectories: false)
        for name in try FileManager.default.contentsOfDirectory(atPath: path("store"))
        where name != StoreFiles.lock {
            try FileManager.default.linkItem(
                atPath: path("store/" + name), toPath: path("copy/" + name))
        }
        try put("in the copy", forKey: "key", in: "copy")
        try put("in the store", forKey: "key", in: "store")
        #expect(try get("key", in: "copy") == "in the copy")
        #expect(try get("key", in: "store") == "in the store")
        #expect(try StoreVerifier.verify(path: path("store")).isSound)
        #expect(try StoreVerifier.verify(path: path("copy")).isSound)
    }

    @Test("a backup of the copy is refused where the original's is, also of one that grew alike")
    func incrementalBackup() throws {
        try put("first", forKey: "key", in: "store")
        try backUp("store")
        try copy("store", to: "copy")
        // As long as the other, so that no count of bytes distinguishes them.
        try put("in store", forKey: "key", in: "store")
        try put("in copy!", forKey: "key", in: "copy")
        let error = try #require(throws: StoreError.self) { try backUp("copy") }
        #expect(error.code == .wrongStore)
        #expect(error.description.contains("copied"), "\(error)")
        try backUp("store")
        try StoreBackup.restore(from: path("backup"), to: path("restored"))
        #expect(try get("key", in: "restored") == "in store")
    }

    @Test("a store that was moved, or renamed, keeps its lineage")
    func moved() throws {
        try put("first", forKey: "key", in: "store")
        let before = try manifest("store").identity
        try FileManager.default.moveItem(atPath: path("store"), toPath: path("moved"))
        try put("second", forKey: "key", in: "moved")
        #expect(try manifest("moved").identity == before)
    }

    @Test("a store of an older program keeps its lineage, and is known from then on")
    func olderStore() throws {
        try put("first", forKey: "key", in: "store")
        let directory = try #require(manifest("store").directory)
        var old = try manifest("store")
        old.directory = nil
        try ManifestFile.replace(old, in: path("store"), fileSystem: RealFileSystem())
        #expect(try get("key", in: "store") == "first")
        let new = try manifest("store")
        #expect(new.identity == old.identity)
        #expect(new.directory == directory)
        #expect(old.encoded[8..<12] == new.encoded[8..<12], "older programs read it as before")
    }

    @Test("a restored store is known where it was restored, before anything opens it")
    func restored() throws {
        try put("first", forKey: "key", in: "store")
        try backUp("store")
        try StoreBackup.restore(from: path("backup"), to: path("restored"))
        let restored = try manifest("restored")
        try copy("restored", to: "copy")
        try put("second", forKey: "key", in: "restored")
        #expect(try manifest("restored").identity == restored.identity)
        try put("third", forKey: "key", in: "copy")
        #expect(try manifest("copy").identity.lineage != restored.identity.lineage)
    }

    /// A disk image that is put back has inode and lineage of before; its backup is newer.
    @Test("a store that was put back to an older state is refused where its newer backup is")
    func putBack() throws {
        try put("first", forKey: "key", in: "store")
        try backUp("store")
        try copy("store", to: "old")
        for number in 0..<5 { try put("value \(number)", forKey: "key", in: "store") }
        try backUp("store")
        let directory = try manifest("store").directory
        try remove("store")
        try copy("old", to: "store")
        func disguise() throws {
            var manifest = try manifest("store")
            manifest.directory = DirectoryMark(try RealFileSystem().identity(of: path("store")))
            try ManifestFile.replace(manifest, in: path("store"), fileSystem: RealFileSystem())
        }
        try disguise()
        #expect(try manifest("store").directory != directory)
        let older = try #require(throws: StoreError.self) { try backUp("store") }
        #expect(older.code == .wrongStore && older.description.contains("LSN"), "\(older)")
        // Other commits, until the LSN is beyond that of the backup.
        for number in 0..<50 { try put("other \(number)", forKey: "key", in: "store") }
        let other = try #require(throws: StoreError.self) { try backUp("store") }
        #expect(other.code == .wrongStore && other.description.contains("bytes"), "\(other)")
    }

    @Test(
        "a reader of a copy goes on when the first writer gives it its lineage",
        arguments: [false, true])
    func readerBeforeWriter(isSettled: Bool) throws {
        try put("first", forKey: "key", in: "store")
        if isSettled {
            let table = try ReaderTable(
                directory: path("store"), lineage: manifest("store").identity.lineage,
                fileSystem: RealFileSystem())
            try table.durable.settle(LSN(rawValue: 1), durableLSN: LSN(rawValue: 1))
            table.close()
        }
        try copy("store", to: "copy")
        let reader = try StoreReader.open(at: path("copy"))
        defer { reader.close() }
        let store = try Store.open(at: path("copy"))
        try store.write { try $0.put("second", forKey: "key") }
        #expect(try reader.refresh())
        #expect(try reader.snapshot().get("key").map { Array($0) } == Array("second".utf8))
        try store.close()
    }
}
