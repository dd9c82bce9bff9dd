import Foundation
import SegmentLog
import SimulatedDisk
import StoreWorkload
import TestSupport
import Testing

@testable import StoreFixtures
@testable import StoreMaintenance
@testable import TravertineStore

/// Checkpoints that refer to the pages of earlier ones: what they cost, which files stay, and what
/// readers see at the same time.
@Suite struct IncrementalCheckpointTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = TemporaryDirectory()
        path = directory.path("store")
    }

    private func open(budget: Int? = nil, interval: Int? = 1 << 40) throws -> Store {
        var options = StoreOptions()
        options.durability = Durability.unsynced
        options.indexMemoryBudget = budget
        options.checkpointInterval = interval
        return try Store.open(at: path, options: options)
    }

    /// A key of 16 bytes that looks random and follows from a number.
    private func key(_ number: UInt64) -> [UInt8] {
        var random = SeededRandom(seed: number &+ 77)
        return random.bytes(16)
    }

    private func fill(_ store: Store, _ numbers: Range<UInt64>, value: String = "v") throws {
        for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 5000) {
            try store.write { transaction in
                for number in start..<min(start + 5000, numbers.upperBound) {
                    try transaction.put(value, forKey: key(number))
                }
            }
        }
    }

    private var pageFiles: [String] {
        get throws { try directory.names(in: "store").filter { $0.hasSuffix(".pages") } }
    }

    private func files(of store: Store) -> [CheckpointDescriptor.PageFileReference] {
        store.checkpoints.state.withLock { $0.newestFiles }
    }

    @Test("one change in ten thousand costs a checkpoint at most 2 % of a full one's bytes")
    func cost() throws {
        let count: UInt64 = 100_000
        let store = try open()
        try fill(store, 0..<count)
        try store.checkpoint()
        let full = try store.statistics.lastCheckpointByteCount
        #expect(full > Int(count) * 25)
        for round in 0..<3 as Range<UInt64> {
            try store.write { transaction in
                for number in 0..<count / 10_000 {
                    try transaction.put("new", forKey: key(number * 9_973 + round))
                }
            }
            try store.checkpoint()
            let incremental = try store.statistics.lastCheckpointByteCount
            #expect(incremental * 50 <= full, "\(incremental) of \(full) bytes")
        }
        try store.close()
        let again = try open()
        #expect(again.openingReport.source == .newestCheckpoint)
        #expect(again.openingReport.replayedTransactions == 0)
        let snapshot = try again.snapshot()
        #expect(snapshot.count() == Int(count))
        for number in 0..<count / 10_000 {
            #expect(try snapshot.get(key(number * 9_973)) == Array("new".utf8))
        }
        #expect(try snapshot.get(key(5)) == Array("v".utf8))
        // The next one goes on where the last process stopped.
        try again.write { try $0.put("newer", forKey: key(6)) }
        try again.checkpoint()
        #expect(try again.statistics.lastCheckpointByteCount * 50 <= full)
        try again.close()
        #expect(try StoreVerifier.verify(path: path).worst == nil)
    }

    @Test("page files stay below twice their live pages, and few, whatever changes")
    func spaceAndNumber() throws {
        let seed: UInt64 = 41
        var random = SeededRandom(seed: seed)
        var store = try open()
        try fill(store, 0..<20_000)
        for round in 0..<60 {
            let count = [1, 30, 300][round % 3]
            try store.write { transaction in
                for _ in 0..<count {
                    let number = UInt64.random(in: 0..<20_000, using: &random)
                    try transaction.put("round \(round)", forKey: key(number))
                }
            }
            try store.checkpoint()
            let files = files(of: store)
            let pin = store.index.pin(note: 0)
            let live = try store.index.livePageCounts(of: pin.root)
            store.index.unpin(pin)
            let pages = files.reduce(0) { $0 + Int($1.pageCount) }
            let livePages = live.values.reduce(0, +)
            #expect(pages <= 2 * livePages, "round \(round): \(pages) of \(livePages)")
            #expect(files.count <= 24, "round \(round): \(files.count) files")
            #expect(Set(live.keys).isSubset(of: Set(files.map(\.number))))
            if round % 6 == 5 { #expect(try store.brokenInvariants() == [], "round \(round)") }
            if round % 20 == 19 {
                // Half of the rounds run with pages instead of nodes in memory.
                try store.close()
                store = try open()
            }
        }
        // Nothing is left of files that no checkpoint needs.
        let needed = files(of: store).count
        #expect(try pageFiles.count <= 2 * needed + 2)
        try store.close()
        #expect(try StoreVerifier.verify(path: path).worst == nil, "seed \(seed)")
    }

    @Test("a snapshot keeps the page files that it reads, and they go when it does")
    func snapshotsKeepFiles() throws {
        let first = try open()
        try fill(first, 0..<5000)
        try first.close()
        let store = try open()
        let old = try #require(try pageFiles.last)
        var snapshot: Snapshot? = try store.snapshot()
        // The old file is replaced by one with every leaf new.
        for round in 0..<3 {
            try fill(store, 0..<5000, value: "\(round)")
            try store.checkpoint()
        }
        #expect(files(of: store).allSatisfy { StoreFiles.pageFile($0.number) != old })
        #expect(try pageFiles.contains(old))
        for number in 0..<5000 as Range<UInt64> {
            #expect(try snapshot?.get(key(number)) == Array("v".utf8))
        }
        snapshot = nil
        try store.write { try $0.put("x", forKey: "y") }
        try store.checkpoint()
        #expect(try !pageFiles.contains(old))
        #expect(try store.snapshot().get(key(7)) == Array("2".utf8))
        try store.close()
    }

    @Test("a snapshot from before a file came does not keep it")
    func olderSnapshotKeepsNothing() throws {
        let store = try open(budget: 0)
        try fill(store, 0..<5000)
        let snapshot = try store.snapshot()
        try fill(store, 0..<5000, value: "w")
        try store.checkpoint()
        let second = try #require(try pageFiles.last)
        for round in 0..<3 {
            try fill(store, 0..<5000, value: "\(round)")
            try store.checkpoint()
        }
        #expect(try !pageFiles.contains(second))
        #expect(try snapshot.get(key(3)) == Array("v".utf8))
        try store.close()
    }

    @Test("above the memory budget leaves are read from page files, and their memory goes back")
    func memoryBudget() throws {
        let budget = 1 << 20
        let store = try open(budget: budget)
        try fill(store, 0..<200_000)
        let before = try store.statistics.index
        #expect(before.nodeByteCount > 4 * budget)
        let snapshot = try store.snapshot()
        try store.checkpoint()
        try store.checkpoint()
        let after = try store.statistics.index
        #expect(after.nodeByteCount <= budget)
        #expect(after.pageByteCount > 4 * budget)
        // The snapshot holds the nodes; what it sees is the same.
        #expect(after.retiredByteCount > 4 * budget)
        for number in stride(from: UInt64(0), to: 200_000, by: 97) {
            #expect(try snapshot.get(key(number)) == Array("v".utf8))
            #expect(try store.get(key(number)) == Array("v".utf8))
        }
        try withExtendedLifetime(snapshot) { try store.write { try $0.put("1", forKey: "a") } }
        try store.close()
    }

    @Test("without a snapshot the memory of adopted leaves goes back to the system")
    func memoryGoesBack() throws {
        let store = try open(budget: 1 << 20)
        try fill(store, 0..<200_000)
        let before = try store.statistics.index.reservedByteCount
        try store.checkpoint()
        // The leaves retired with the last slice are looked at by the next.
        try store.write { try $0.put("1", forKey: "a") }
        try store.checkpoint()
        let after = try store.statistics.index.reservedByteCount
        #expect(after <= before / 2, "\(after) of \(before) bytes")
        #expect(try store.snapshot().count() == 200_001)
        try store.close()
    }

    @Test("after a load with checkpoints, memory is little more than the nodes in use")
    func memoryAfterLoad() throws {
        let count: UInt64 = 150_000
        let store = try open()
        for start in stride(from: UInt64(0), to: count, by: 25_000) {
            try fill(store, start..<start + 25_000)
            try store.checkpoint()
        }
        let index = try store.statistics.index
        #expect(
            index.reservedByteCount <= index.nodeByteCount * 9 / 8 + (4 << 20),
            "\(index.reservedByteCount) for \(index.nodeByteCount) bytes of nodes")
        #expect(try store.snapshot().count() == Int(count))
        #expect(try store.get(key(77)) == Array("v".utf8))
        try store.close()
    }

    @Test("a store whose pages are all in files takes changes of every kind")
    func changesUponPages() throws {
        let store = try open(budget: 0)
        var model: [[UInt8]: [UInt8]] = [:]
        var random = SeededRandom(seed: 9)
        for round in 0..<30 {
            try store.write { transaction in
                for _ in 0..<200 {
                    let key = key(UInt64.random(in: 0..<3000, using: &random))
                    if Bool.random(using: &random) {
                        try transaction.delete(key)
                        model[key] = nil
                    } else {
                        let value = random.bytes(20)
                        try transaction.put(value, forKey: key)
                        model[key] = value
                    }
                }
            }
            try store.checkpoint()
            let snapshot = try store.snapshot()
            #expect(snapshot.count() == model.count, "round \(round)")
            for (key, value) in model { #expect(try snapshot.get(key) == value) }
        }
        try store.close()
        #expect(try StoreVerifier.verify(path: path).worst == nil)
    }
}
