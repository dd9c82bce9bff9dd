import Locks
import SimulatedDisk
import Synchronization
import TestSupport
import Testing

@testable import StoreFixtures
@testable import StoreMaintenance
@testable import TravertineStore

/// Full passes where the nodes of the index may take hardly any memory.
@Suite struct LittleMemoryTests {
    // One descriptor for each segment of a group: 1,024 were not enough for 1,921 small segments.
    @Test("a full pass over hundreds of small segments needs few descriptors")
    func fewDescriptors() throws {
        let fixture = CompactionFixture(seed: 77)
        let store = try fixture.open { $0.segmentByteCount = 4096 }
        store.pauseCompaction()
        var model = CompactionModel()
        for round in 0..<6 { for number in 0..<400 { try model.put(number, round, store) } }
        try #expect(store.statistics.segments.count > 150)
        // Besides, so many sealed segments may wait for their sync.
        fixture.machine.disk.setOpenFileLimit(fixture.machine.disk.openFiles + 80)
        let report = try store.compact()
        #expect(report.segmentCount > 150 && report.unreadableSegments.isEmpty)
        try model.check(store)
        fixture.machine.disk.setOpenFileLimit(.max)
        try store.close()
        try fixture.verify(model)
    }

    /// A store with more changed leaves than a pass may keep, and what it holds.
    private struct Subject {
        let fixture = CompactionFixture(seed: 52, fileCapacity: 8 << 20)
        let store: Store
        let keys: [[UInt8]]
        let value: [UInt8]

        init(
            budget: Int?, eventHandler: (@Sendable (StoreEvent) -> Void)? = nil
        ) throws {
            store = try fixture.open {
                $0.indexMemoryBudget = budget
                $0.segmentByteCount = 256 << 10
                $0.checkpointInterval = nil
                $0.eventHandler = eventHandler
            }
            store.pauseCompaction()
            var random = SeededRandom(seed: 53)
            keys = (0..<60_000).map { _ in random.bytes(16) }
            value = random.bytes(90)
            for start in stride(from: 0, to: keys.count, by: 500) {
                try store.write { transaction in
                    for key in keys[start..<start + 500] {
                        try transaction.put(key + value, forKey: key)
                    }
                }
            }
        }

        /// Everything is there, and `fsck` finds nothing after a clean close.
        func check() throws {
            let snapshot = try store.snapshot()
            #expect(snapshot.count() == keys.count)
            #expect(try keys.allSatisfy { try snapshot.get($0) == $0 + value })
            try store.close()
            let found = try StoreVerifier.verify(
                path: SimulatedMachine.path, environment: fixture.machine.environment)
            #expect(found.isSound, "\(found.findings)")
        }
    }

    // In a control group with a quarter of the data's bytes a full pass was killed: it read 256 MB
    // of segments, and changed every leaf before the next checkpoint.
    @Test("a full pass holds as few segments and changed leaves as there is memory for")
    func littleMemory() throws {
        func compact(_ budget: Int?) throws -> (groupCount: Int, checkpointCount: Int) {
            let subject = try Subject(budget: budget)
            let store = subject.store
            let before = try store.statistics.checkpointCount
            let passCount = store.compaction.shared.withLock { $0.passCount }
            var changedMax = 0
            try store.compact { _ in
                changedMax = max(changedMax, store.index.changedByteCount)
            }
            if budget == 0 { #expect(changedMax < 3 << 19, "\(changedMax)") }
            let count = try store.statistics.checkpointCount - before
            let groupCount = store.compaction.shared.withLock { $0.passCount } - passCount
            try subject.check()
            return (groupCount, count)
        }
        let (much, little) = (try compact(nil), try compact(0))
        #expect(much.groupCount == 1 && little.groupCount > 1, "\(much), \(little)")
        #expect(little.checkpointCount > much.checkpointCount, "\(much), \(little)")
    }

    @Test("a checkpoint that fails inside a full pass is reported, and the pass goes on")
    func failedCheckpoint() throws {
        // The same pass twice: first to see which call begins the first checkpoint amid the moves.
        let call = try #require(try callOfCheckpoint())
        let failures = Locked<[StoreError]>([])
        let subject = try Subject(budget: 0) { event in
            if case .checkpointFailed(let error) = event { failures.withLock { $0.append(error) } }
        }
        subject.fixture.machine.disk.setFault(.noSpace, atCall: call)
        let report = try subject.store.compact()
        #expect(report.movedRecordCount >= subject.keys.count)
        #expect(failures.withLock { $0.map(\.code) } == [.diskFull])
        try subject.check()
    }

    /// How many calls a full pass makes before it writes the page file of a checkpoint after some
    /// records were moved; nil if it never does.
    private func callOfCheckpoint() throws -> Int? {
        let subject = try Subject(budget: 0)
        let disk = subject.fixture.machine.disk
        let start = disk.callCount
        let files = Locked<[(path: String, call: Int)]>([])
        let count = Atomic<Int>(0)
        disk.setObserver { call in
            let number = count.add(1, ordering: .relaxed).oldValue
            guard call.hasPrefix("write "), call.contains(".pages") else { return }
            files.withLock { files in
                if !files.contains(where: { $0.path == call }) { files.append((call, number)) }
            }
        }
        try subject.store.compact()
        disk.setObserver(nil)
        #expect(disk.callCount - start >= count.load(ordering: .relaxed))
        // The first two are those that `compact()` itself begins with.
        return files.withLock { $0.count > 2 ? $0[2].call : nil }
    }
}
