import Foundation
import Locks
import SegmentLog
import TestSupport
import Testing

@testable import StoreFixtures
@testable import StoreMaintenance
@testable import TravertineStore

/// Damaged backups, and backups of damaged stores.
extension BackupTests {
    @Test("every changed byte of the list is noticed")
    func damagedList() throws {
        let store = try open("store")
        try fill(store, 0..<100)
        try store.backup(to: directory.path("backup"))
        let url = URL(fileURLWithPath: directory.path("backup/backup"))
        let list = try Data(contentsOf: url)
        func error(of bytes: Data) -> StoreError? {
            let decoded = Array(bytes).withUnsafeBytes { bytes in
                capture { () throws(StoreError) in
                    try BackupManifest(decoding: bytes, file: "backup")
                }
            }
            guard case .failure(let error) = decoded else { return nil }
            return error
        }
        #expect(error(of: list) == nil)
        for place in list.indices {
            var changed = list
            changed[place] ^= 0x20
            let code = error(of: changed)?.code
            #expect([.damaged, .notAStore, .newerFormat].contains(code), "byte \(place)")
        }
        for length in 0..<list.count { #expect(error(of: list[..<length]) != nil) }
    }

    @Test("a missing, exchanged or damaged file of a backup is found by verifying it")
    func damagedFiles() throws {
        let store = try open("store")
        try fill(store, 0..<1000)
        try store.checkpoint()
        try store.backup(to: directory.path("backup"), options: BackupOptions(method: .copy))
        let names = try directory.names(in: "backup").filter { $0.contains(".") }
        #expect(names.count >= 4)
        for name in names {
            let url = URL(fileURLWithPath: directory.path("backup/" + name))
            let whole = try Data(contentsOf: url)
            try FileManager.default.removeItem(at: url)
            #expect(try !StoreBackup.verify(path: directory.path("backup")).isSound, "\(name)")
            try whole.dropLast(9000).write(to: url)
            #expect(try !StoreBackup.verify(path: directory.path("backup")).isSound, "\(name)")
            var changed = whole
            changed[changed.count / 2] ^= 0x40
            try changed.write(to: url)
            #expect(try !StoreBackup.verify(path: directory.path("backup")).isSound, "\(name)")
            try whole.write(to: url)
        }
        #expect(try StoreBackup.verify(path: directory.path("backup")).findings.isEmpty)
    }

    @Test("verifying a backup changes nothing in it, and needs no lock")
    func verifyingIsReading() throws {
        let store = try open("store")
        try fill(store, 0..<300)
        try store.backup(to: directory.path("backup"))
        let before = try bytes(in: "backup")
        let lock = try RealFileSystem().lock(directory.path("backup/lock"))
        defer { lock.release() }
        #expect(try StoreBackup.verify(path: directory.path("backup")).isSound)
        #expect(try bytes(in: "backup") == before)
        let error = #expect(throws: StoreError.self) {
            try store.backup(to: directory.path("backup"))
        }
        #expect(error?.code == .locked)
    }

    @Test("with a damaged newest checkpoint a backup takes the one before")
    func damagedCheckpoint() throws {
        let store = try open("store")
        try fill(store, 0..<100)
        try store.checkpoint()
        try fill(store, 50..<150, "newer")
        try store.checkpoint()
        let newest = try #require(store.checkpoints.manifest.checkpoints.first?.file)
        let file = try RealFileSystem().open(
            directory.path("store/" + StoreFiles.pageFile(newest)), .readWrite)
        try [UInt8](repeating: 0xff, count: 8).withBytes { (bytes) throws(FileSystemError) in
            try file.write(bytes, at: 16)
        }
        file.close()
        try store.backup(to: directory.path("backup"), options: BackupOptions(method: .copy))
        #expect(try restored("backup", to: "copy") == store.records())
    }

    @Test("a list of files that no backup has is refused, and nothing traps")
    func hostileList() throws {
        let store = try open("store")
        let manifest = store.checkpoints.manifest
        try store.close()
        func reason(_ files: [BackupFile]) -> StoreError.Code? {
            let list = BackupManifest(lsn: .zero, manifest: manifest, files: files)
            let decoded = list.encoded.withUnsafeBytes { bytes in
                capture { () throws(StoreError) in
                    try BackupManifest(decoding: bytes, file: "backup")
                }
            }
            if case .failure(let error) = decoded { return error.code }
            return nil
        }
        func pages(_ number: Int, _ byteCount: UInt64) -> BackupFile {
            BackupFile(kind: .pages, number: UInt32(number), mark: 1, byteCount: byteCount)
        }
        #expect(reason([pages(1, 5000), pages(2, 5000)]) == nil)
        #expect(reason([pages(1, 5000), pages(1, 6000)]) == .damaged)
        let huge = UInt64(1) << 48 - 1
        #expect(reason((1...70_000).map { pages($0, huge) }) == .damaged)
        func segment(_ byteCount: UInt64) -> BackupFile {
            BackupFile(kind: .segment, number: 1, mark: 1, byteCount: byteCount)
        }
        #expect(reason([segment(64 << 20)]) == nil)
        #expect(reason([segment(64 << 20 + 1)]) == .damaged)
    }
}
