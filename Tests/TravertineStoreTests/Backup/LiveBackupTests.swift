import Foundation
import TestSupport
import Testing

@testable import StoreFixtures
@testable import StoreMaintenance
@testable import TravertineStore

/// Backups beside the store object that writes; `ReaderProcessTests` has them in another process.
@Suite("Backups of open stores")
struct LiveBackupTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("store") }
    private var backup: String { directory.path("backup") }

    init() throws { directory = TemporaryDirectory() }

    private func open() throws -> Store {
        var options = StoreOptions()
        options.segmentByteCount = 64 << 10
        options.bufferByteCount = 8 << 10
        return try Store.open(at: path, options: options)
    }

    private func fill(_ store: Store, _ keys: Range<Int>, _ value: String) throws {
        for start in stride(from: keys.lowerBound, to: keys.upperBound, by: 50) {
            try store.write(durability: Durability.unsynced) { transaction in
                for key in start..<min(start + 50, keys.upperBound) {
                    let text = value + String(repeating: ".", count: key % 300)
                    try transaction.put(text, forKey: UInt64(key))
                }
            }
        }
        try store.sync()
    }

    /// What a store holds that is made of the backup, after verifying both.
    private func restored() throws -> [[UInt8]: [UInt8]] {
        let verified = try StoreBackup.verify(path: backup)
        #expect(verified.findings.isEmpty, "\(verified.findings)")
        let copy = directory.path("copy\(UUID().uuidString)")
        try StoreBackup.restore(from: backup, to: copy)
        let store = try Store.open(at: copy)
        #expect(store.openingReport.ignoredTail == nil)
        #expect(store.openingReport.damagedCheckpoints.isEmpty)
        let found = try store.records()
        try store.write { try $0.put("more", forKey: "more") }
        try store.close()
        let report = try StoreVerifier.verify(path: copy, level: .deep)
        #expect(report.findings.isEmpty, "\(report.findings)")
        return found
    }

    @Test("one that is made again and again follows the store through compaction")
    func following() throws {
        let store = try open()
        for round in 0..<4 {
            try fill(store, 0..<2000, "round \(round)")
            if round > 0 { try store.checkpoint() }
            let expected = try store.records()
            let report = try StoreBackup.make(of: path, to: backup)
            #expect(report.lsn == store.log.durableLSN.rawValue)
            #expect(report.linkedFileCount > 0 && report.copiedFileCount == 1)
            #expect(try restored() == expected)
            // A retirement after the checkpoint, one before it, and one that took the files.
            try store.compact()
            if round == 2 { try store.checkpoint() }
            try StoreBackup.make(of: path, to: backup)
            #expect(try restored() == expected)
            let again = try StoreBackup.make(of: path, to: backup)
            #expect(again.reusedFileCount == again.fileCount)
        }
        try store.close()
        #expect(try StoreBackup.make(of: path, to: backup).lsn > 0)
        #expect(try restored().count == 2000)
        let report = try StoreVerifier.verify(path: path)
        #expect(report.findings.isEmpty, "\(report.findings)")
    }

    @Test("parts of a transaction that has not ended, durable or not, are not in it")
    func openTransaction() throws {
        let store = try open()
        try fill(store, 0..<500, "before")
        let expected = try store.records()
        let transaction = try store.beginWrite()
        for key in 0..<3000 {
            try transaction.put(String(repeating: "open", count: 50), forKey: UInt64(key))
        }
        let before = try StoreBackup.make(of: path, to: backup)
        #expect(try restored() == expected)
        try transaction.commit(durability: .commit)
        let after = try StoreBackup.make(of: path, to: backup)
        #expect(after.lsn > before.lsn)
        #expect(try restored() == store.records())
        try store.close()
    }

    @Test("the writer goes on in the segment of which the backup has a copy")
    func lastSegmentIsCopied() throws {
        let store = try open()
        try store.write { try $0.put("first", forKey: "key") }
        let segmentCount = store.log.segments.count
        try StoreBackup.make(of: path, to: backup, options: BackupOptions(method: .link))
        let expected = try store.records()
        try store.write { try $0.put("second", forKey: "key") }
        #expect(store.log.segments.count == segmentCount, "it was not ended")
        #expect(try restored() == expected)
        try store.close()
    }

    @Test("no file of the store goes while it is made")
    func holdsFiles() throws {
        let store = try open()
        try fill(store, 0..<2000, "first")
        try store.checkpoint()
        try fill(store, 0..<2000, "second")
        let expected = try store.records()
        var isFirst = true
        try StoreBackup.make(of: path, to: backup, options: BackupOptions(method: .copy)) { _ in
            guard isFirst else { return }
            isFirst = false
            do {
                try store.checkpoint()
                try store.compact()
                try store.checkpoint()
            } catch {
                Issue.record(error)
            }
        }
        #expect(!isFirst)
        #expect(try restored() == expected)
        try store.close()
    }

    @Test("an empty store, a missing one and something else")
    func edges() throws {
        #expect(errorCode { try StoreBackup.make(of: path, to: backup) } == .notFound)
        let store = try open()
        #expect(try StoreBackup.make(of: path, to: backup).lsn == 0)
        #expect(try restored().isEmpty)
        let error = try #require(throws: StoreError.self) { try StoreBackup.verify(path: path) }
        #expect(error.code == .notAStore && error.description.contains("a store, not a backup"))
        try store.close()
        let other = try Store.open(at: directory.path("other"))
        try other.close()
        let code = errorCode { try StoreBackup.make(of: directory.path("other"), to: backup) }
        #expect(code == .wrongStore)
    }
}
