import SegmentLog
import SimulatedDisk
import StoreWorkload
import TestSupport
import Testing

@testable import StoreFixtures
@testable import TravertineStore

/// The space of a store that is left alone.
@Suite struct IdleSpaceTests {
    private static let floor = 64 << 10
    private static let second: UInt64 = 1_000_000_000

    private func open(
        _ fixture: CompactionFixture, _ change: (inout StoreOptions) -> Void = { _ in }
    ) throws -> Store {
        try fixture.open { options in
            options.idleSpaceFloor = Self.floor
            // So much log is never written here: no checkpoint is due.
            options.checkpointInterval = 1 << 30
            change(&options)
        }
    }

    /// Lets time pass without a call of the store.
    private func leaveAlone(_ fixture: CompactionFixture, seconds: Int = 60) {
        for _ in 0..<seconds {
            fixture.machine.executor.advance(byNanoseconds: Self.second)
            var jobCount = 0
            while fixture.machine.executor.runNext() {
                jobCount += 1
                if jobCount == 100_000 { break }
            }
            #expect(jobCount < 100_000, "the background ends")
        }
    }

    /// Bytes of the segments on the disk.
    private func byteCount(_ fixture: CompactionFixture) -> Int {
        fixture.machine.disk.paths.filter { $0.hasSuffix(".segment") }.reduce(0) {
            $0 + fixture.machine.fileSystem.allocatedByteCount(of: $1)
        }
    }

    private func expectBound(
        _ fixture: CompactionFixture, _ store: Store, _ comment: Comment
    ) throws {
        let live = try store.statistics.liveByteCount
        let allowed = max(Self.floor, Int(Double(live) * store.options.spaceBound))
        #expect(byteCount(fixture) <= allowed, "\(live) live; \(comment)")
    }

    // 63,440 objects in one transaction and their links in a second one took 6.1 times what was
    // live, permanently: nothing lay before the older checkpoint.
    @Test("a store that was written by two large transactions comes within its bound by itself")
    func twoTransactions() throws {
        let fixture = CompactionFixture(seed: 1)
        var store = try open(fixture)
        var model = CompactionModel()
        for round in 0..<6 {
            try store.write(durability: Durability.unsynced) { transaction in
                for number in 0..<800 {
                    try transaction.put(
                        CompactionModel.value(number, round), forKey: CompactionModel.key(number))
                }
            }
        }
        model = CompactionModel(numbers: 0..<800, round: 5)
        #expect(byteCount(fixture) > 1_500_000)
        leaveAlone(fixture)
        try expectBound(fixture, store, "left open")
        try model.check(store)
        try store.close()
        store = try open(fixture)
        store.pauseCompaction()
        for number in 0..<800 { try model.put(number, 6, store) }
        for number in 0..<800 { try model.put(number, 7, store) }
        try store.close()
        fixture.machine.restart()
        store = try open(fixture)
        leaveAlone(fixture)
        try expectBound(fixture, store, "opened again")
        try store.close()
        try fixture.verify(model)
    }

    @Test(
        "after any history a store that is left alone comes within its bound",
        arguments: SampledNumbers.some(8, of: 0..<24))
    func anyHistory(seed: Int) throws {
        let fixture = CompactionFixture(seed: UInt64(seed))
        var random = SeededRandom(seed: UInt64(seed) &+ 900)
        let bound: Double = [1.2, 1.5, 2.0][Int.random(in: 0..<3, using: &random)]
        func reopen() throws -> Store {
            try open(fixture) { options in
                options.spaceBound = bound
                options.checkpointInterval = Bool.random(using: &random) ? 1 << 30 : 20_000
                if Bool.random(using: &random) { options.bufferByteCount = 2000 }
            }
        }
        var store = try reopen()
        var model = CompactionModel()
        var snapshots: [Snapshot] = []
        let keyCount = Int.random(in: 50...1500, using: &random)
        for round in 0..<Int.random(in: 5...40, using: &random) {
            switch Int.random(in: 0..<9, using: &random) {
            case 0, 1, 2:
                let start = Int.random(in: 0..<keyCount, using: &random)
                let numbers = start..<min(keyCount, start + Int.random(in: 1...600, using: &random))
                try store.write(durability: Durability.unsynced) { transaction in
                    for number in numbers {
                        try transaction.put(
                            CompactionModel.value(number, round),
                            forKey: CompactionModel.key(number))
                    }
                }
                for number in numbers { model.note(number, round) }
            case 3:
                for _ in 0..<60 {
                    try model.put(Int.random(in: 0..<keyCount, using: &random), round, store)
                }
            case 4:
                for _ in 0..<100 {
                    try model.delete(Int.random(in: 0..<keyCount, using: &random), store)
                }
            case 5: try store.checkpoint()
            case 6: snapshots.append(try store.snapshot())
            case 7:
                snapshots = []
                try store.close()
                store = try reopen()
            default:
                leaveAlone(fixture, seconds: Int.random(in: 1...15, using: &random))
            }
            if Bool.random(using: &random) { fixture.machine.executor.drain() }
        }
        snapshots = []
        leaveAlone(fixture)
        try expectBound(fixture, store, "seed \(seed), \(keyCount) keys, bound \(bound)")
        try model.check(store)
        #expect(try store.brokenInvariants() == [], "seed \(seed)")
        // While the program does nothing, the store does nothing.
        let lsn = store.log.writtenLSN
        let calls = fixture.machine.disk.callCount
        leaveAlone(fixture)
        #expect(store.log.writtenLSN == lsn)
        #expect(fixture.machine.disk.callCount == calls)
        try store.close()
        try fixture.verify(model)
    }

    @Test("while much is written the store is not idle, and little does not keep it from being so")
    func writing() throws {
        let fixture = CompactionFixture(seed: 3)
        let store = try open(fixture) { $0.segmentByteCount = 16 << 10 }
        var model = CompactionModel()
        for round in 0..<12 {
            for number in 0..<300 { try model.put(number, round, store) }
            for number in 0..<4000 where round % 2 == 0 {
                try model.put(number % 10, number, store)
            }
        }
        let before = byteCount(fixture)
        fixture.machine.executor.drain()
        #expect(byteCount(fixture) == before, "no time has passed")
        for round in 0..<3 {
            for number in 0..<4000 { try model.put(number % 10, number + round, store) }
            leaveAlone(fixture, seconds: 10)
        }
        #expect(byteCount(fixture) > before)
        for second in 0..<30 {
            try model.put(7, second, store)
            leaveAlone(fixture, seconds: 1)
        }
        try expectBound(fixture, store, "a commit each second")
        try model.check(store)
        try store.close()
    }

    @Test("a pass of an idle time that gives nothing back is the last one")
    func withoutGain() throws {
        let fixture = CompactionFixture(seed: 4)
        let store = try open(fixture) { options in
            options.idleSpaceFloor = 1
            options.spaceBound = 1.1
        }
        var model = CompactionModel()
        // Hardly more than the segments that every store has: no pass can help.
        for number in 0..<40 { try model.put(number, 1, store) }
        leaveAlone(fixture)
        let passCount = try store.statistics.compaction.passCount
        #expect(passCount < 4)
        leaveAlone(fixture)
        try #expect(store.statistics.compaction.passCount == passCount)
        try model.check(store)
        try store.close()
    }

    @Test("a store that is paused, or closed, does nothing when it is left alone")
    func paused() throws {
        let fixture = CompactionFixture(seed: 6)
        let store = try open(fixture)
        store.pauseCompaction()
        var model = CompactionModel()
        for round in 0..<8 { for number in 0..<200 { try model.put(number, round, store) } }
        let before = byteCount(fixture)
        leaveAlone(fixture)
        #expect(byteCount(fixture) == before)
        store.resumeCompaction()
        leaveAlone(fixture, seconds: 1)
        try expectBound(fixture, store, "resumed")
        try store.close()
        leaveAlone(fixture)
        try fixture.verify(model)
    }

    @Test("the arithmetic of the bound: what is allowed, and where passes end")
    func arithmetic() {
        var space = IdleSpace(
            byteCount: 100 << 20, liveByteCount: 60 << 20, spaceBound: 1.5, floorByteCount: 16 << 20
        )
        #expect(space.allowedByteCount == 90 << 20)
        #expect(space.aimByteCount == 90 << 20 - (30 << 20) / 4)
        #expect(space.isBeyond && space.isBeyondAim)
        space.byteCount = 88 << 20
        #expect(!space.isBeyond && space.isBeyondAim)
        space.liveByteCount = 1 << 20
        #expect(space.allowedByteCount == 16 << 20)
    }
}
