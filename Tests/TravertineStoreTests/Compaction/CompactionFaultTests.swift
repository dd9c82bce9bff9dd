import SegmentLog
import SimulatedDisk
import TestSupport
import Testing

@testable import StoreFixtures
@testable import TravertineStore

/// Compaction on a disk that fails, is full, damaged, or incomplete.
@Suite struct CompactionFaultTests {
    /// A store with much to compact, and what it holds.
    private func prepared(_ fixture: CompactionFixture) throws -> (Store, CompactionModel) {
        let store = try fixture.open()
        store.pauseCompaction()
        var model = CompactionModel()
        for round in 0..<5 {
            for number in 0..<60 { try model.put(number, round, store) }
            for number in 50..<60 { try model.delete(number, store) }
            fixture.machine.executor.drain()
        }
        return (store, model)
    }

    @Test("an input/output error at any call of a pass harms nothing")
    func inputOutputErrors() throws {
        var failureCount = 0
        for call in SampledNumbers(oneOf: 8) {
            let fixture = CompactionFixture(seed: 7)
            let (store, prepared) = try prepared(fixture)
            var model = prepared
            let start = fixture.machine.disk.callCount
            fixture.machine.disk.setFault(.inputOutput, atCall: call)
            let failure = capture { () throws(StoreError) in try store.compact() }
            let isOver = fixture.machine.disk.callCount - start <= call
            fixture.machine.disk.clearFaults()
            try model.check(store)
            if case .failure(let error) = failure {
                failureCount += 1
                #expect(error.code != .damaged, "call \(call): \(error)")
            }
            if !store.log.isPoisoned {
                // Commits go on, and so does compaction.
                try model.put(1, 99, store)
                if store.checkpoints.removalIsForbidden {
                    let refused = #expect(throws: StoreError.self) { try store.compact() }
                    #expect(refused?.code == .poisoned)
                } else {
                    try store.compact()
                    #expect(store.compaction.waiting.isEmpty, "call \(call): segments stay")
                }
                try model.check(store)
                try store.close()
                try fixture.verify(model)
            } else {
                _ = capture { () throws(StoreError) in try store.close() }
                let again = try fixture.open()
                try model.check(again)
                try again.close()
            }
            if isOver { break }
        }
        #expect(failureCount > 2)
    }

    @Test("a damaged record keeps its segment and is reported; the other segments go")
    func damagedRecord() throws {
        let fixture = CompactionFixture(seed: 8)
        let (store, model) = try prepared(fixture)
        let segment = SegmentNumber(rawValue: 3)
        let path = SimulatedMachine.path + "/" + segment.fileName
        fixture.machine.disk.corrupt(path, at: 3000)
        let report = try store.compact()
        #expect(report.unreadableSegments.count == 1)
        #expect(report.unreadableSegments.first?.contains(segment.fileName) == true)
        #expect(report.removedSegmentCount > 5)
        #expect(fixture.machine.disk.paths.contains(path))
        let failure = try store.statistics.compaction.lastFailure
        #expect(failure?.contains(segment.fileName) == true, "\(failure ?? "none")")
        // It is not tried again and again.
        #expect(try store.compact().unreadableSegments.isEmpty)
        try model.check(store)
    }

    @Test("a segment that is missing without having been retired is damage, not a gap")
    func missingSegment() throws {
        let fixture = CompactionFixture(seed: 9)
        let (store, _) = try prepared(fixture)
        try store.compact()
        for number in 0..<200 { try store.write { try $0.put("v", forKey: UInt64(number)) } }
        try store.close()
        let names = fixture.machine.files.map(\.name).sorted()
        let segments = names.filter { $0.hasSuffix(".segment") }
        fixture.machine.disk.lose(SimulatedMachine.path + "/" + segments[1])
        let again = try fixture.open()
        #expect { try again.statistics } throws: { ($0 as? StoreError)?.code == .damaged }
        #expect { try again.compact() } throws: { ($0 as? StoreError)?.code == .damaged }
        _ = capture { () throws(StoreError) in try again.close() }
        // The segments around it are still there.
        let left = fixture.machine.files.map(\.name).filter { $0.hasSuffix(".segment") }
        #expect(left.contains(segments[0]))
        fixture.loseCheckpoints()
        #expect { try fixture.open() } throws: { ($0 as? StoreError)?.code == .damaged }
    }

    @Test("a tombstone stays as long as a segment has a value that it deletes")
    func tombstones() throws {
        let fixture = CompactionFixture(seed: 10)
        let store = try fixture.open { $0.checkpointInterval = 1 << 30 }
        var model = CompactionModel()
        // A segment that stays nearly full, with a value that is deleted later.
        for number in 0..<22 { try model.put(number, 0, store) }
        _ = try store.compactionFigures(sealing: true)
        try model.delete(5, store)
        for round in 0..<3 { for number in 100..<120 { try model.put(number, round, store) } }
        _ = try store.compactionFigures(sealing: true)
        try model.put(200, 0, store)
        try store.checkpoint()
        try model.put(201, 0, store)
        try store.checkpoint()
        // A pass over the segments with the tombstone only.
        let segments = try store.compactionFigures(sealing: false).segments.map(\.summary)
        let pass = CompactionPass(Array(segments.dropFirst()), now: 0)
        while !pass.isDone { try pass.step(store) }
        #expect(pass.report.removedSegmentCount == segments.count - 1)
        #expect(pass.report.droppedTombstoneCount == 0)
        // It counts as live, or the next pass would copy it again.
        #expect(store.compaction.tombstoneByteCounts.values.reduce(0, +) > 0)
        try model.check(store)
        try store.close()
        try fixture.verify(model)
        // When the value goes too, nothing is left to delete.
        let again = try fixture.open()
        #expect(try again.compact().droppedTombstoneCount == 1)
        try model.check(again)
        try again.close()
        try fixture.verify(model)
    }

    @Test("a crash at any call of a full pass loses nothing")
    func crashes() throws {
        for call in SampledNumbers(below: 400, oneOf: 14) {
            let fixture = CompactionFixture(seed: 11)
            let model = try crash(fixture, atCall: call)
            if call % 2 == 0 { fixture.loseCheckpoints() }
            let again = try fixture.open()
            try model.check(again)
            try again.close()
            try fixture.verify(model)
        }
    }

    /// The machine stops at a call of a pass; what the store held.
    private func crash(_ fixture: CompactionFixture, atCall call: Int) throws -> CompactionModel {
        let (store, model) = try prepared(fixture)
        try store.sync()
        fixture.machine.disk.setFault(.crashDuring, atCall: call)
        _ = capture { () throws(StoreError) in try store.compact() }
        // The store goes only after its machine has stopped, so that it can't tidy up.
        fixture.machine.crashAndRestart()
        return model
    }

    // Each segment of the pass would have counted as damaged until the next opening, and then those
    // of the next pass.
    @Test("a lack of descriptors ends a pass, and says nothing about segments", arguments: 0..<12)
    func descriptors(spare: Int) throws {
        let fixture = CompactionFixture(seed: 13)
        let (store, model) = try prepared(fixture)
        let disk = fixture.machine.disk
        disk.setOpenFileLimit(disk.openFiles + spare)
        let failure = capture { () throws(StoreError) in try store.compact() }
        disk.setOpenFileLimit(.max)
        if case .failure(let error) = failure {
            #expect(error.code == .tooManyOpenFiles, "\(error)")
        }
        #expect(store.compaction.unreadable.isEmpty)
        try model.check(store)
        let report = try store.compact()
        #expect(report.segmentCount > 0 && report.unreadableSegments.isEmpty, "\(report)")
        try model.check(store)
        try store.close()
        try fixture.verify(model)
    }

    @Test("on a full disk what was deleted comes back")
    func fullDisk() throws {
        let fixture = CompactionFixture(seed: 12)
        let store = try fixture.open { $0.spaceBound = 1.1 }
        var model = CompactionModel()
        for number in 0..<300 { try model.put(number, 0, store) }
        fixture.machine.executor.drain()
        fixture.machine.disk.setQuota(byteCount: fixture.machine.disk.usedByteCount)
        let used = fixture.machine.disk.usedByteCount
        try store.write(durability: Durability.unsynced) { transaction in
            for number in 0..<100 { try transaction.delete(CompactionModel.key(number)) }
        }
        model = CompactionModel(numbers: 200..<300, round: 0)
        fixture.machine.disk.setQuota(byteCount: fixture.machine.disk.usedByteCount + 40_000)
        for number in 100..<200 { try model.delete(number, store) }
        for _ in 0..<4 {
            try store.checkpoint()
            fixture.machine.executor.drain()
        }
        fixture.machine.disk.setQuota(byteCount: .max)
        #expect(fixture.machine.disk.usedByteCount < used)
        try model.check(store)
    }
}
