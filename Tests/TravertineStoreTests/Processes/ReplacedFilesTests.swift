import Dispatch
import Foundation
import SegmentLog
import TestSupport
import Testing

@testable import TravertineStore

/// R8: files that are replaced while a reader is open.
@Suite("Readers whose files are replaced")
struct ReplacedFilesTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("store") }

    init() throws { directory = TemporaryDirectory() }

    private func write(_ keys: some Sequence<Int>, _ value: String) throws {
        var options = StoreOptions()
        options.scrub = nil
        let store = try Store.open(at: path, options: options)
        for key in keys { try store.write { try $0.put(value, forKey: UInt64(key)) } }
        try store.close()
    }

    /// The files of the store, but for `lock`, in another directory.
    private func copy(to name: String) throws {
        try FileManager.default.createDirectory(
            atPath: directory.path(name), withIntermediateDirectories: true)
        for file in try directory.names(in: "store") where file != StoreFiles.lock {
            try FileManager.default.copyItem(
                atPath: path + "/" + file, toPath: directory.path(name + "/" + file))
        }
    }

    /// Puts these files in the place of the store's, under the same `lock`.
    private func putBack(_ name: String) throws {
        for file in try directory.names(in: "store") where file != StoreFiles.lock {
            try FileManager.default.removeItem(atPath: path + "/" + file)
        }
        for file in try directory.names(in: name) {
            try FileManager.default.copyItem(
                atPath: directory.path(name + "/" + file), toPath: path + "/" + file)
        }
    }

    private func manifest() throws -> Manifest {
        try #require(try ManifestFile.read(in: path, fileSystem: RealFileSystem()))
    }

    @Test("an older copy that was put back under the same lock is refused, however it has grown")
    func olderCopy() throws {
        try write(0..<3, "common")
        try copy(to: "older")
        try write(3..<6, "first")
        let reader = try StoreReader.open(at: path)
        let old = try reader.snapshot()
        #expect(try old.get(UInt64(5)) == Array("first".utf8))
        try putBack("older")
        #expect(try !reader.refresh(), "nobody has written there")
        // As many commits, of the same lengths, so that LSNs and places are the same; then more.
        for keys in [3..<4, 4..<6, 6..<9] {
            try write(keys, "other")
            #expect(errorCode { try reader.refresh() } == .wrongStore)
            #expect(errorCode { _ = try reader.waitForCommit(after: 0, timeout: .zero) } == nil)
            #expect(try reader.snapshot().get(UInt64(5)) == Array("first".utf8))
            #expect(try reader.snapshot().get(UInt64(7)) == nil)
        }
        #expect(try old.get(UInt64(5)) == Array("first".utf8))
        reader.close()
        let next = try StoreReader.open(at: path)
        #expect(try next.snapshot().get(UInt64(5)) == Array("other".utf8))
        #expect(try next.snapshot().get(UInt64(7)) == Array("other".utf8))
    }

    @Test("it is refused also if the reader looks only when it has grown past what was read")
    func grown() throws {
        try write(0..<3, "common")
        try copy(to: "older")
        try write(3..<6, "first")
        let reader = try StoreReader.open(at: path)
        // What is not in memory is gone with its file.
        #expect(try reader.snapshot().get(UInt64(5)) == Array("first".utf8))
        try putBack("older")
        try write(3..<20, "other")
        for _ in 0..<2 { #expect(errorCode { try reader.refresh() } == .wrongStore) }
        #expect(try reader.snapshot().get(UInt64(5)) == Array("first".utf8))
        #expect(try reader.snapshot().get(UInt64(7)) == nil)
    }

    @Test("a store that goes on with an older copy has another lineage, a closed one has not")
    func lineage() throws {
        try write(0..<3, "common")
        let before = try manifest().identity
        try write(3..<4, "common")
        #expect(try manifest().identity == before)
        try copy(to: "older")
        try write(4..<6, "first")
        #expect(try manifest().identity == before)
        try putBack("older")
        try write(4..<5, "other")
        let after = try manifest().identity
        #expect(after.isOfSameStore(as: before) && after != before)
        try write(5..<6, "other")
        #expect(try manifest().identity == after)
    }

    @Test("a copy that goes on from what a reader has read is followed")
    func continued() throws {
        try write(0..<3, "common")
        let reader = try StoreReader.open(at: path)
        try copy(to: "same")
        try write(3..<6, "first")
        try putBack("same")
        try write(3..<8, "other")
        #expect(try reader.refresh())
        #expect(try reader.snapshot().get(UInt64(5)) == Array("other".utf8))
    }

    @Test("a wait for commits ends when the reader is closed, without looking by itself")
    func closing() throws {
        try write(0..<3, "common")
        let reader = try StoreReader.open(at: path)
        let hasBegun = DispatchSemaphore(value: 0)
        let hasEnded = DispatchSemaphore(value: 0)
        DispatchQueue(label: "waiting").async {
            hasBegun.signal()
            let code = errorCode {
                _ = try reader.waitForCommit(after: reader.lsn, timeout: nil, pause: nil)
            }
            if code == .closed { hasEnded.signal() }
        }
        hasBegun.wait()
        reader.close()
        #expect(hasEnded.wait(timeout: .now() + 60) == .success)
    }
}
