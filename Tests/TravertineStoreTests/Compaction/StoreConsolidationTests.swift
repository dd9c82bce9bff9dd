import SegmentLog
import SimulatedDisk
import TestSupport
import Testing

@testable import StoreFixtures
@testable import TravertineStore

/// A full pass also fills the leaves of the index, and the pages of both kept checkpoints are few.
@Suite struct StoreConsolidationTests {
    private let fixture = CompactionFixture(seed: 91)
    /// So many keys that most leaves of random keys were split not long before.
    private static let keyCount = 3200

    /// Numbers in an order that follows from a seed, so that leaves are as full as random keys make
    /// them.
    private func fill(_ store: Store, seed: UInt64 = 17) throws -> CompactionModel {
        let count = Self.keyCount
        var random = SeededRandom(seed: seed)
        var model = CompactionModel()
        for number in (0..<count).shuffled(using: &random) { try model.put(number, 0, store) }
        return model
    }

    private func bytesOfPages() -> Int {
        let disk = fixture.machine.disk
        return disk.paths.filter { $0.hasSuffix(".pages") }
            .reduce(0) { $0 + (disk.contents(of: $1)?.count ?? 0) }
    }

    /// The most that the page files of both kept checkpoints take: the pages, which they share, and
    /// for each its header and its descriptor.
    private func pageByteCountMax(_ store: Store) throws -> Int {
        let statistics = try store.statistics
        let descriptor = CheckpointDescriptor.byteCount(
            treeCount: store.keyspaces.count + 1, segmentCount: statistics.segments.count,
            pageFileCount: 2)
        return statistics.index.nodeByteCount + 2 * (PageFileHeader.byteCount + descriptor)
    }

    // How full leaves are differs from one order of keys to another, so that one of them proves
    // little.
    @Test("over many orders of keys a full pass makes nodes a fifth smaller")
    func size() throws {
        var before = 0
        var after = 0
        for seed in UInt64(1)...12 {
            let store = try CompactionFixture(seed: seed).open {
                $0.segmentByteCount = 1 << 20
            }
            var random = SeededRandom(seed: seed)
            let numbers = (0..<Self.keyCount).shuffled(using: &random)
            try store.write(durability: .unsynced) { transaction in
                for number in numbers {
                    try transaction.put([1], forKey: CompactionModel.key(number))
                }
            }
            let nodes = try store.statistics.index.nodeByteCount
            _ = try store.consolidateLeaves(checkpointEvery: .max)
            let filled = try store.statistics.index.nodeByteCount
            #expect(filled <= nodes, "seed \(seed)")
            #expect(try store.snapshot().count() == numbers.count, "seed \(seed)")
            try store.close()
            before += nodes
            after += filled
        }
        #expect(Double(after) <= Double(before) * 0.8, "\(after) of \(before)")
    }

    @Test(
        "after a full pass both checkpoints share the pages, and the keys stay",
        arguments: [17, 18, 19] as [UInt64])
    func pages(seed: UInt64) throws {
        let store = try fixture.open()
        let model = try fill(store, seed: seed)
        try store.checkpoint()
        try store.compact()
        try model.check(store)
        let bytes = bytesOfPages()
        let most = try pageByteCountMax(store)
        #expect(bytes <= most, "\(bytes) of \(most)")
        try store.close()
        // Closing has nothing to write.
        #expect(bytesOfPages() <= bytes)
        try fixture.verify(model)
    }

    @Test("leaves that are full are left alone")
    func onlyOnce() throws {
        let store = try fixture.open()
        let model = try fill(store)
        #expect(try store.consolidateLeaves(checkpointEvery: .max))
        #expect(try !store.consolidateLeaves(checkpointEvery: .max))
        try model.check(store)
        try store.close()
    }

    @Test("while leaves take more memory than they may, checkpoints give it back")
    func memory() throws {
        let store = try fixture.open { $0.indexMemoryBudget = 0 }
        let model = try fill(store)
        let snapshot = try store.snapshot()
        let before = try store.statistics.checkpointCount
        #expect(try store.consolidateLeaves(checkpointEvery: 1))
        #expect(try store.statistics.checkpointCount > before)
        try model.check(store)
        try model.check(snapshot)
        try store.compact()
        try store.close()
        try fixture.verify(model)
    }

    @Test("where there is hardly room for new pages leaves stay as they are")
    func fullDisk() throws {
        let store = try fixture.open()
        let model = try fill(store)
        try store.checkpoint()
        let nodes = try store.statistics.index.nodeByteCount
        let disk = fixture.machine.disk
        disk.setQuota(byteCount: disk.usedByteCount + nodes)
        try store.consolidateIndex()
        #expect(try store.statistics.index.nodeByteCount == nodes)
        disk.setQuota(byteCount: .max)
        try store.consolidateIndex()
        #expect(try store.statistics.index.nodeByteCount < nodes)
        try model.check(store)
        try store.close()
    }

    @Test("a store that closes in the meantime ends it")
    func closing() throws {
        let store = try fixture.open()
        let model = try fill(store)
        try store.close()
        #expect(throws: StoreError.self) { try store.consolidateLeaves(checkpointEvery: .max) }
        let again = try fixture.open()
        try model.check(again)
        try again.close()
    }
}
