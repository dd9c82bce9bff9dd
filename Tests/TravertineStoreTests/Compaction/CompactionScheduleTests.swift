import Locks
import SimulatedDisk
import Synchronization
import Testing

@testable import SegmentLog
@testable import StoreFixtures
@testable import TravertineStore

/// When compaction works in the background, when it may not, and what it says of itself.
@Suite struct CompactionScheduleTests {
    private let fixture = CompactionFixture(seed: 51)

    /// Code that the store's next look at the clock runs, once.
    private final class Interruption: Sendable {
        private let body = Locked<(@Sendable () -> Void)?>(nil)
        private let time = Atomic<UInt64>(1)

        func set(_ new: @escaping @Sendable () -> Void) { body.withLock { $0 = new } }

        func now() -> UInt64 {
            let next = body.withLock { body -> (@Sendable () -> Void)? in
                defer { body = nil }
                return body
            }
            next?()
            return time.add(1000, ordering: .relaxed).newValue
        }
    }

    /// Segments that are mostly garbage, each with something live.
    private func litter(_ store: Store, _ model: inout CompactionModel) throws {
        store.pauseCompaction()
        for number in 0..<600 {
            try model.put(number % 20, number, store)
            if number % 5 == 0 { try model.put(1000 + number, 0, store) }
        }
        fixture.machine.executor.drain()
    }

    private var segmentPaths: Set<String> {
        Set(fixture.machine.disk.paths.filter { $0.hasSuffix(".segment") })
    }

    // After a full disk only segments without live records are taken. Where there is none, no pass
    // ever ended well, and compaction stayed off until the store was opened again.
    @Test("after a full disk compaction copies again once there is nothing else to take")
    func afterAFullDisk() throws {
        let store = try fixture.open()
        var model = CompactionModel()
        try litter(store, &model)
        store.compaction.isShortOfSpace = true
        store.resumeCompaction()
        for _ in 0..<3 {
            fixture.machine.executor.drain()
            try store.checkpoint()
        }
        fixture.machine.executor.drain()
        #expect(try fixture.space(of: store) <= 1.5)
        try model.check(store)
    }

    // A crash had left a segment that is removed only once something new is durable. Nothing of the
    // chosen segments was live, so nothing was written: pass followed pass without an end, and
    // later, when that was fixed, compaction waited for somebody to write.
    @Test("what a crash left does not keep a pass from retiring, though nobody writes")
    func unreachableSegment() throws {
        var model = CompactionModel()
        do {
            let store = try fixture.open()
            store.pauseCompaction()
            for number in 0..<600 { try model.put(number % 20, number, store) }
            for number in 0..<2 {
                try model.put(number, 1, store)
                try store.checkpoint()
            }
            try store.close()
        }
        let store = try fixture.open { $0.spaceBound = 1.1 }
        let left = SegmentNumber(rawValue: 9999)
        let path = SimulatedMachine.path + "/" + left.fileName
        fixture.machine.disk.setContents(of: path, [UInt8](repeating: 0, count: 4096))
        store.log.writer.unreachable.append(left)
        let before = try store.snapshot().lsn
        store.scheduleCompaction()
        var stepCount = 0
        while stepCount < 1000, fixture.machine.executor.runNext() { stepCount += 1 }
        #expect((2..<1000).contains(stepCount))
        #expect(try store.statistics.compaction.total.removedSegmentCount > 0)
        #expect(!fixture.machine.disk.paths.contains(path))
        #expect(try store.snapshot().lsn >= before)
        try model.check(store)
        try store.close()
        try fixture.verify(model)
    }

    // After a failed sync of a page file its bytes are unknown, and with them what the next
    // checkpoint can rely on; the segments went all the same.
    @Test("no file is removed after a sync of a checkpoint has failed")
    func failedCheckpoint() throws {
        var files: [String] = []
        for call in 0..<24 {
            let fixture = CompactionFixture(seed: 52)
            let events = Locked<[StoreError]>([])
            let store = try fixture.open { options in
                options.eventHandler = { event in
                    guard case .spaceReclaimStopped(let error) = event else { return }
                    events.withLock { $0.append(error) }
                }
            }
            store.pauseCompaction()
            var model = CompactionModel()
            for round in 0..<4 { for number in 0..<60 { try model.put(number, round, store) } }
            fixture.machine.executor.drain()
            try store.checkpoint()
            try model.put(1, 9, store)
            try store.sync()
            fixture.machine.disk.setFault(.inputOutput, atCall: call)
            let failure = capture { () throws(StoreError) in try store.checkpoint() }
            fixture.machine.disk.clearFaults()
            if case .failure(let error) = failure, !store.log.isPoisoned,
                store.checkpoints.removalIsForbidden
            {
                files.append(error.file ?? "")
                let before = fixture.machine.disk.paths.filter {
                    $0.hasSuffix(".segment") || $0.hasSuffix(".pages")
                }
                // Copies without anything given back would only take more space.
                let refused = #expect(throws: StoreError.self) { try store.compact() }
                #expect(refused?.code == .poisoned, "call \(call)")
                store.resumeCompaction()
                fixture.machine.executor.drain()
                #expect(try store.statistics.compaction.passCount == 0)
                #expect(try store.statistics.compaction.stopReason == error.description)
                #expect(events.withLock { $0.count } == 1, "call \(call)")
                #expect(Set(fixture.machine.disk.paths).isSuperset(of: before), "call \(call)")
            }
            try model.check(store)
            if store.log.isPoisoned { continue }
            try store.close()
            let again = try fixture.open()
            #expect(try again.compact().removedSegmentCount > 0)
            try model.check(again)
        }
        #expect(files.contains { $0.hasSuffix(".pages") }, "\(files)")
        #expect(files.contains { $0.hasSuffix("manifest.new") }, "\(files)")
    }

    @Test("a request during the last step of the background is not lost")
    func requestDuringAStep() throws {
        let interruption = Interruption()
        let store = try fixture.open { $0.environment.now = { interruption.now() } }
        var model = CompactionModel()
        try model.put(0, 0, store)
        fixture.machine.executor.drain()
        store.scheduleCompaction()
        #expect(fixture.machine.executor.submittedJobCount == 1)
        interruption.set { [weak store] in store?.scheduleCompaction() }
        fixture.machine.executor.runNext()
        #expect(fixture.machine.executor.submittedJobCount == 1)
        fixture.machine.executor.runNext()
        #expect(fixture.machine.executor.submittedJobCount == 0)
    }

    @Test("a pause during a step leaves no writer slowed down")
    func pauseDuringAStep() throws {
        let interruption = Interruption()
        let store = try fixture.open { $0.environment.now = { interruption.now() } }
        var model = CompactionModel()
        try litter(store, &model)
        store.compaction.passRate = 1
        store.resumeCompaction()
        interruption.set { [weak store] in store?.pauseCompaction() }
        fixture.machine.executor.runNext()
        #expect(!store.compaction.throttle.isActive)
    }

    @Test("what retired segments wait for goes with the last snapshot that sees them")
    func releasedSnapshot() throws {
        let store = try fixture.open()
        var model = CompactionModel()
        for number in 0..<100 { try model.put(number, 0, store) }
        var snapshot: Snapshot? = try store.snapshot()
        for number in 0..<100 { try model.put(number, 1, store) }
        try store.compact()
        fixture.machine.executor.drain()
        #expect(try store.statistics.compaction.waitingByteCount > 0)
        #expect(try snapshot?.get(CompactionModel.key(1)) == CompactionModel.value(1, 0))
        snapshot = nil
        fixture.machine.executor.drain()
        #expect(try store.statistics.compaction.waitingByteCount == 0)
        try model.check(store)
    }

    @Test("closing removes retired segments that nobody sees any more")
    func closing() throws {
        let store = try fixture.open()
        var model = CompactionModel()
        for number in 0..<100 { try model.put(number, 0, store) }
        var snapshot: Snapshot? = try store.snapshot()
        for number in 0..<100 { try model.put(number, 1, store) }
        try store.compact()
        let waiting = store.compaction.waiting.map {
            SimulatedMachine.path + "/" + $0.number.fileName
        }
        #expect(!waiting.isEmpty && segmentPaths.isSuperset(of: waiting))
        withExtendedLifetime(snapshot) {}
        snapshot = nil
        fixture.machine.executor.removeAll()
        try store.close()
        #expect(segmentPaths.isDisjoint(with: waiting))
        try fixture.verify(model)
    }

    @Test("what a backup held up is removed when it ends, without another commit")
    func endOfAHold() throws {
        let store = try fixture.open()
        var model = CompactionModel()
        try litter(store, &model)
        store.checkpoints.holds.hold()
        let report = try store.compact()
        #expect(report.removedSegmentCount == 0)
        fixture.machine.executor.drain()
        let before = segmentPaths
        store.resumeCompaction()
        fixture.machine.executor.drain()
        #expect(segmentPaths.isSuperset(of: before))
        store.endHold()
        fixture.machine.executor.drain()
        #expect(segmentPaths.count < before.count)
        #expect(try store.statistics.compaction.waitingByteCount == 0)
        try model.check(store)
        try store.close()
    }

    @Test("what a reader in another process held up is removed a while after it has gone")
    func endOfAnOutsidePin() throws {
        let pins = Locked<[UInt64]>([1])
        let store = try fixture.open { $0.externalPins = { pins.withLock { $0 } } }
        var model = CompactionModel()
        try litter(store, &model)
        store.resumeCompaction()
        fixture.machine.executor.drain()
        try store.compact()
        fixture.machine.executor.drain()
        let before = segmentPaths
        #expect(try store.statistics.compaction.waitingByteCount > 0)
        pins.withLock { $0 = [] }
        fixture.machine.executor.advance(byNanoseconds: 4_900_000_000)
        fixture.machine.executor.drain()
        #expect(segmentPaths == before)
        fixture.machine.executor.advance(byNanoseconds: 200_000_000)
        fixture.machine.executor.drain()
        #expect(segmentPaths.count < before.count)
        #expect(try store.statistics.compaction.waitingByteCount == 0)
        #expect(fixture.machine.executor.submittedJobCount == 0)
        try model.check(store)
        try store.close()
    }

    @Test("calls that would wait for their own pass are refused in the handlers of its reports")
    func callsFromHandlers() throws {
        let codes = Locked<[StoreError.Code]>([])
        let held = Locked<Store?>(nil)
        @Sendable func tryAll() {
            guard let store = held.withLock({ $0 }) else { return }
            let compacted = capture { () throws(StoreError) in _ = try store.compact() }
            let closed = capture { () throws(StoreError) in try store.close() }
            for case .failure(let error) in [compacted, closed] {
                codes.withLock { $0.append(error.code) }
            }
        }
        let store = try fixture.open { options in
            options.eventHandler = { event in
                if case .compacted = event { tryAll() }
            }
        }
        var model = CompactionModel()
        try litter(store, &model)
        held.withLock { $0 = store }
        try store.compact { _ in tryAll() }
        held.withLock { $0 = nil }
        #expect(codes.withLock { $0.count } >= 4)
        #expect(codes.withLock { $0.allSatisfy { $0 == .misuse } })
        try model.check(store)
        try store.close()
    }

    @Test("a pass that ends early has dropped no tombstone")
    func earlyEnd() throws {
        let store = try fixture.open()
        var model = CompactionModel()
        try litter(store, &model)
        for number in 0..<10 { try model.delete(number, store) }
        _ = try store.compactionFigures(sealing: true)
        for number in 0..<2 {
            try model.put(number, 1, store)
            try store.checkpoint()
        }
        let segments = try store.compactionFigures(sealing: false).segments.map(\.summary)
        let pass = CompactionPass(segments, now: 0)
        for _ in 0...segments.count { try pass.step(store) }
        #expect(pass.report.droppedTombstoneCount == 0)
        while !pass.isDone { try pass.step(store) }
        #expect(pass.report.droppedTombstoneCount >= 8)
        try model.check(store)
    }

    @Test("retired files that an earlier opening left do not make the store look smaller")
    func amplification() throws {
        do {
            let store = try fixture.open()
            var model = CompactionModel()
            for number in 0..<100 { try model.put(number, 0, store) }
            let snapshot = try store.snapshot()
            for number in 0..<100 { try model.put(number, 1, store) }
            try store.compact()
            try store.close()
            withExtendedLifetime(snapshot) {}
        }
        let store = try fixture.open { $0.externalPins = { [1] } }
        var model = CompactionModel(numbers: 0..<100, round: 1)
        try litter(store, &model)
        try model.put(0, 2, store)
        try store.checkpoint()
        try model.put(0, 3, store)
        try store.checkpoint()
        _ = try store.compactionFigures(sealing: false)
        _ = try store.removeRetiredSegments()
        let statistics = try store.statistics
        #expect(statistics.compaction.waitingByteCount > 0)
        #expect(statistics.boundedSpaceAmplification > 1)
        var other = statistics
        other.compaction.waitingByteCount = 0
        #expect(other.boundedSpaceAmplification == statistics.boundedSpaceAmplification)
    }
}
