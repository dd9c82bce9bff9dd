import SegmentLog
import SimulatedDisk
import TestSupport
import Testing

@testable import StoreFixtures
@testable import TravertineStore

/// A full pass also fills the leaves of the index, and the pages of both kept checkpoints are few.
@Suite struct StoreConsolidationTests {
    private let fixture = CompactionFixture(seed: 91)

    /// Numbers in an order that follows from a seed, so that leaves are as full as random keys make
    /// them.
    private func fill(_ store: Store, _ count: Int) throws -> CompactionModel {
        var random = SeededRandom(seed: 17)
        var model = CompactionModel()
        for number in (0..<count).shuffled(using: &random) { try model.put(number, 0, store) }
        return model
    }

    private func bytesOfPages() -> Int {
        let disk = fixture.machine.disk
        return disk.paths.filter { $0.hasSuffix(".pages") }
            .reduce(0) { $0 + (disk.contents(of: $1)?.count ?? 0) }
    }

    @Test("pages of random keys take a quarter less after a full pass, and the keys stay")
    func pages() throws {
        let store = try fixture.open()
        let model = try fill(store, 6000)
        try store.checkpoint()
        let nodes = try store.statistics.index.nodeByteCount
        try store.compact()
        let filled = try store.statistics.index.nodeByteCount
        #expect(Double(filled) < Double(nodes) * 0.8)
        try model.check(store)
        let bytes = bytesOfPages()
        // Both checkpoints have the same pages, beside their headers and descriptors.
        #expect(bytes < filled + (24 << 10))
        try store.close()
        // Closing has nothing to write.
        #expect(bytesOfPages() <= bytes)
        try fixture.verify(model)
    }

    @Test("leaves that are full are left alone")
    func onlyOnce() throws {
        let store = try fixture.open()
        let model = try fill(store, 6000)
        #expect(try store.consolidateLeaves(checkpointEvery: .max))
        #expect(try !store.consolidateLeaves(checkpointEvery: .max))
        try model.check(store)
        try store.close()
    }

    @Test("while leaves take more memory than they may, checkpoints give it back")
    func memory() throws {
        let store = try fixture.open { $0.indexMemoryBudget = 0 }
        let model = try fill(store, 6000)
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
        let model = try fill(store, 6000)
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
        let model = try fill(store, 6000)
        try store.close()
        #expect(throws: StoreError.self) { try store.consolidateLeaves(checkpointEvery: .max) }
        let again = try fixture.open()
        try model.check(again)
        try again.close()
    }
}
