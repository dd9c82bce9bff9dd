import Foundation
import Locks
import SegmentLog
import Synchronization
import TestSupport
import Testing

@testable import StoreFixtures
@testable import StoreMaintenance
@testable import TravertineStore

@Suite("Backup")
struct BackupTests {
    let directory: TemporaryDirectory

    init() throws { directory = TemporaryDirectory() }

    func open(_ name: String, segmentByteCount: Int = 64 << 10) throws -> Store {
        var options = StoreOptions()
        options.segmentByteCount = segmentByteCount
        return try Store.open(at: directory.path(name), options: options)
    }

    func fill(_ store: Store, _ keys: Range<Int>, _ value: String = "value") throws {
        for start in stride(from: keys.lowerBound, to: keys.upperBound, by: 50) {
            try store.write(durability: Durability.unsynced) { transaction in
                for key in start..<min(start + 50, keys.upperBound) {
                    let text = value + String(repeating: ".", count: key % 300)
                    try transaction.put(text, forKey: UInt64(key))
                }
            }
        }
    }

    /// Restores a backup and gives what the store that it becomes holds.
    func restored(_ backup: String, to name: String) throws -> [[UInt8]: [UInt8]] {
        try StoreBackup.restore(from: directory.path(backup), to: directory.path(name))
        let store = try open(name)
        #expect(store.openingReport.ignoredTail == nil)
        #expect(store.openingReport.damagedCheckpoints.isEmpty)
        let found = try store.records()
        try store.close()
        #expect(try StoreVerifier.verify(path: directory.path(name)).isSound)
        return found
    }

    // `travertine backup` with few descriptors called the checkpoint of a sound store damaged.
    @Test("a backup without descriptors fails for that, and never calls the store damaged")
    func fewDescriptors() throws {
        let machine = SimulatedMachine(seed: 5)
        let store = try Store.open(
            at: SimulatedMachine.path, options: machine.options(segmentByteCount: 4096))
        try fill(store, 0..<100)
        for _ in 0..<2 { try store.checkpoint() }
        var failureCount = 0
        var spare = 0
        while true {
            machine.disk.setOpenFileLimit(machine.disk.openFiles + spare)
            let made = capture { () throws(StoreError) in
                try store.backup(to: "/backup \(spare)")
            }
            machine.disk.setOpenFileLimit(.max)
            guard case .failure(let error) = made else { break }
            #expect(error.code == .tooManyOpenFiles, "\(spare) descriptors: \(error)")
            failureCount += 1
            spare += 1
        }
        #expect(failureCount > 0)
        try store.close()
    }

    @Test(
        "a backup holds what the store held, by whatever method",
        arguments: BackupOptions.Method.allCases)
    func roundTrip(method: BackupOptions.Method) throws {
        let store = try open("store")
        try fill(store, 0..<3000)
        try store.checkpoint()
        try fill(store, 2900..<3100, "beyond the checkpoint")
        let expected = try store.records()
        let report = try store.backup(
            to: directory.path("backup"), options: BackupOptions(method: method))
        try fill(store, 0..<500, "later")
        #expect(report.fileCount > 5)
        if method == .link { #expect(report.linkedFileCount == report.fileCount) }
        if method == .copy { #expect(report.copiedFileCount == report.fileCount) }
        let verified = try StoreBackup.verify(path: directory.path("backup"))
        #expect(verified.findings.isEmpty, "\(verified.findings)")
        #expect(verified.lastLSN == report.lsn)
        #expect(try restored("backup", to: "copy") == expected)
        #expect(try store.records().count == 3100)
        try store.close()
    }

    private final class WriterState: Sendable {
        let isDone = Atomic<Bool>(false)
        let written = Atomic<Int>(0)
        /// Given when the writer has ended.
        let end = DispatchSemaphore(value: 0)
    }

    @Test("writing goes on during a backup, which shows one commit")
    func concurrentWriting() throws {
        let store = try open("store")
        try fill(store, 0..<2000)
        let state = WriterState()
        let thread = Thread {
            var number = 0
            while !state.isDone.load(ordering: .sequentiallyConsistent) {
                number += 1
                // Both or none: what a torn copy would show.
                _ = try? store.write(durability: Durability.unsynced) { transaction in
                    try transaction.put("\(number)", forKey: "left")
                    try transaction.put("\(number)", forKey: "right")
                }
                state.written.store(number, ordering: .sequentiallyConsistent)
            }
            state.end.signal()
        }
        thread.start()
        var last = 0
        for round in 0..<3 {
            let before = state.written.load(ordering: .sequentiallyConsistent)
            try store.backup(
                to: directory.path("backup"), options: BackupOptions(method: .copy))
            let found = try restored("backup", to: "copy\(round)")
            #expect(found[Array("left".utf8)] == found[Array("right".utf8)])
            let left = found[Array("left".utf8)] ?? Array("0".utf8)
            let number = try #require(Int(String(decoding: left, as: UTF8.self)))
            #expect(number >= before, "what was committed before the backup is in it")
            #expect(number >= last)
            last = number
        }
        state.isDone.store(true, ordering: .sequentiallyConsistent)
        state.end.wait()
        try store.close()
    }

    @Test("a second backup into the same directory brings only what is new")
    func incremental() throws {
        let store = try open("store")
        try fill(store, 0..<3000)
        try store.checkpoint()
        let first = try store.backup(
            to: directory.path("backup"), options: BackupOptions(method: .copy))
        try fill(store, 3000..<3050)
        let second = try store.backup(
            to: directory.path("backup"), options: BackupOptions(method: .copy))
        #expect(second.reusedFileCount == first.fileCount)
        #expect(second.copiedFileCount == 1)
        #expect(second.copiedByteCount * 10 < first.copiedByteCount)
        try store.checkpoint()
        try store.checkpoint()
        let third = try store.backup(
            to: directory.path("backup"), options: BackupOptions(method: .copy))
        let pageFiles = { try directory.names(in: $0).filter { $0.hasSuffix(".pages") } }
        #expect(third.copiedByteCount * 10 < first.copiedByteCount)
        #expect(try pageFiles("backup").count == 1 + third.copiedFileCount, "the new page files")
        // The first page file is no longer used once most of its pages are dead.
        try fill(store, 0..<3000)
        try store.checkpoint()
        try store.checkpoint()
        let old = try pageFiles("backup")
        try store.backup(to: directory.path("backup"), options: BackupOptions(method: .copy))
        #expect(try Set(pageFiles("backup")).isDisjoint(with: old), "the old page files are gone")
        #expect(try restored("backup", to: "copy") == store.records())
        try store.close()
    }

    @Test("a store that was closed and opened again never writes to a file of its backup")
    func linkedFilesStay() throws {
        var store = try open("store")
        try fill(store, 0..<400)
        try store.backup(to: directory.path("backup"))
        try store.close()
        let before = try bytes(in: "backup")
        for round in 0..<3 {
            store = try open("store")
            try fill(store, 400..<500, "round \(round)")
            try store.close()
        }
        #expect(try bytes(in: "backup") == before)
        #expect(try StoreBackup.verify(path: directory.path("backup")).findings.isEmpty)
    }

    @Test("a store that was restored by links never writes to a file of the backup")
    func restoredLinksStay() throws {
        let store = try open("store")
        try fill(store, 0..<400)
        try store.backup(to: directory.path("backup"))
        try store.close()
        let before = try bytes(in: "backup")
        try StoreBackup.restore(
            from: directory.path("backup"), to: directory.path("copy"),
            options: BackupOptions(method: .link))
        for round in 0..<3 {
            let copy = try open("copy")
            try fill(copy, 300..<450, "round \(round)")
            try copy.close()
        }
        #expect(try bytes(in: "backup") == before)
        #expect(try StoreVerifier.verify(path: directory.path("copy")).isSound)
    }

    func bytes(in name: String) throws -> [String: Data] {
        var found: [String: Data] = [:]
        for file in try directory.names(in: name) {
            found[file] = try Data(
                contentsOf: URL(fileURLWithPath: directory.path(name + "/" + file)))
        }
        return found
    }

    @Test("a restored store is another lineage: its backup is refused where the first one's is")
    func lineage() throws {
        let store = try open("store")
        try fill(store, 0..<100)
        try store.backup(to: directory.path("backup"))
        try StoreBackup.restore(from: directory.path("backup"), to: directory.path("copy"))
        let copy = try open("copy")
        #expect(copy.log.identity.lineage != store.log.identity.lineage)
        let lineage = #expect(throws: StoreError.self) {
            try copy.backup(to: directory.path("backup"))
        }
        #expect(lineage?.code == .wrongStore)
        let other = try open("other")
        let foreign = #expect(throws: StoreError.self) {
            try other.backup(to: directory.path("backup"))
        }
        #expect(foreign?.code == .wrongStore)
        #expect(try StoreBackup.verify(path: directory.path("backup")).findings.isEmpty)
        try copy.backup(to: directory.path("second"))
        #expect(try restored("second", to: "third") == store.records())
    }

    @Test("a directory with something else in it is not touched")
    func foreignDirectory() throws {
        let store = try open("store")
        try fill(store, 0..<10)
        let other = try open("other")
        try other.close()
        let before = try bytes(in: "other")
        let error = #expect(throws: StoreError.self) {
            try store.backup(to: directory.path("other"))
        }
        #expect(error?.code == .notAStore)
        #expect(try bytes(in: "other") == before)
        let inside = #expect(throws: StoreError.self) {
            try store.backup(to: directory.path("store"))
        }
        #expect(inside?.code == .notAStore)
        for path in ["store/backup", "."] {
            let nested = #expect(throws: StoreError.self) {
                try store.backup(to: directory.path(path))
            }
            #expect(nested?.code == .misuse, "\(path)")
        }
    }

    @Test("a backup is not a store, and an unfinished one is nothing")
    func notAStore() throws {
        let store = try open("store")
        try fill(store, 0..<100)
        try store.backup(to: directory.path("backup"))
        let opened = #expect(throws: StoreError.self) { try open("backup") }
        #expect(opened?.code == .notAStore)
        try FileManager.default.removeItem(atPath: directory.path("backup/backup"))
        let verified = #expect(throws: StoreError.self) {
            try StoreBackup.verify(path: directory.path("backup"))
        }
        #expect(verified?.code == .notAStore)
        let restored = #expect(throws: StoreError.self) {
            try StoreBackup.restore(from: directory.path("backup"), to: directory.path("copy"))
        }
        #expect(restored?.code == .notAStore)
        #expect(!FileManager.default.fileExists(atPath: directory.path("copy")))
    }

    private final class Waited: Sendable {
        private let state = Locked<UInt64>(0)
        var longest: UInt64 { state.withLock { $0 } }
        func note(_ nanoseconds: UInt64) { state.withLock { $0 = max($0, nanoseconds) } }
    }

    private final class Done {
        var byteCounts: [UInt64] = []
    }

    @Test("a rate limit waits as long as the bytes are worth")
    func rate() throws {
        let store = try open("store")
        try fill(store, 0..<2000)
        let waited = Waited()
        var options = BackupOptions(method: .copy, bytesPerSecond: 1000)
        options.sleep = { waited.note($0) }
        let done = Done()
        let report = try store.backup(to: directory.path("backup"), options: options) {
            done.byteCounts.append($0.byteCount)
        }
        let due = report.copiedByteCount * 1_000_000
        #expect(waited.longest > due / 10 * 9)
        #expect(done.byteCounts == done.byteCounts.sorted())
        #expect(done.byteCounts.last == report.byteCount)
    }

    @Test("progress counts what counts of each file, by whatever method", arguments: [true, false])
    func progress(isLinked: Bool) throws {
        let store = try open("store", segmentByteCount: 256 << 10)
        try fill(store, 0..<200)
        try store.checkpoint()
        var counts: [UInt64] = []
        var total: UInt64 = 0
        // The file of a segment that was active is longer than what was written to it.
        let report = try store.backup(
            to: directory.path("backup"),
            options: BackupOptions(method: isLinked ? .link : .copy)
        ) { progress in
            counts.append(progress.byteCount)
            total = progress.totalByteCount
        }
        #expect(counts.count == report.fileCount && report.fileCount >= 2)
        #expect(total == report.byteCount)
        #expect(counts.last == total)
        #expect(counts.dropLast().allSatisfy { $0 < total }, "\(counts) of \(total)")
        try store.close()
    }

    @Test("an empty store has a backup too")
    func empty() throws {
        let store = try open("store")
        try store.backup(to: directory.path("backup"))
        #expect(try StoreBackup.verify(path: directory.path("backup")).isSound)
        #expect(try restored("backup", to: "copy").isEmpty)
    }

    @Test("a backup after a transaction that was rolled back is restored whole")
    func rolledBack() throws {
        struct Stop: Error {}
        let store = try open("store")
        func fail() {
            #expect(throws: Stop.self) {
                try store.write { transaction in
                    try transaction.put("dead", forKey: "dead")
                    throw Stop()
                }
            }
        }
        fail()
        try store.backup(to: directory.path("backup"))
        #expect(try restored("backup", to: "copy 0").isEmpty)
        for round in 1..<4 {
            try fill(store, 0..<100, "round \(round)")
            try store.backup(to: directory.path("backup"))
            fail()
            try store.backup(to: directory.path("backup"))
            #expect(try restored("backup", to: "copy \(round)") == store.records())
        }
        try store.close()
        #expect(try StoreVerifier.verify(path: directory.path("store")).isSound)
    }

    @Test("a backup of a closed store creates nothing")
    func closed() throws {
        let store = try open("store")
        try store.close()
        let error = #expect(throws: StoreError.self) {
            try store.backup(to: directory.path("backup"))
        }
        #expect(error?.code == .closed)
        #expect(!FileManager.default.fileExists(atPath: directory.path("backup")))
    }
}
