import SegmentLog
import SimulatedDisk
import Testing

@testable import StoreFixtures
@testable import TravertineStore

/// What compaction must not believe, and what it must not leave when it fails.
@Suite struct RetirementTests {
    private struct Stop: Error {}

    // A rolled-back transaction made a keyspace, put a key and deleted it, in parts that it had
    // written already. A pass over the segment with the deletion took it for a tombstone that the
    // dead value made necessary, and moved it into a tree that no version ever had.
    @Test("a deletion from a keyspace that was never made is no tombstone")
    func deadKeyspace() throws {
        let fixture = CompactionFixture(seed: 41)
        let store = try fixture.open { options in
            options.checkpointInterval = 1 << 30
            options.bufferByteCount = 500
        }
        var model = CompactionModel()
        try model.put(0, 0, store)
        _ = try store.compactionFigures(sealing: true)
        #expect(throws: Stop.self) {
            try store.write { transaction in
                let keyspace = try transaction.keyspace(named: "dead")
                try transaction.put("v", forKey: "k", in: keyspace)
                for number in 0..<40 {
                    let value = CompactionModel.value(number, 0)
                    try transaction.put(value, forKey: CompactionModel.key(number))
                }
                try transaction.delete("k", in: keyspace)
                for number in 40..<80 {
                    let value = CompactionModel.value(number, 0)
                    try transaction.put(value, forKey: CompactionModel.key(number))
                }
                throw Stop()
            }
        }
        _ = try store.compactionFigures(sealing: true)
        try model.put(1, 0, store)
        try store.checkpoint()
        try model.put(2, 0, store)
        try store.checkpoint()
        let segments = try store.compactionFigures(sealing: false).segments.map(\.summary)
        #expect(segments.count > 3)
        // Without the segment that has the dead value.
        let pass = CompactionPass(Array(segments.dropFirst(2)), now: 0)
        while !pass.isDone { try pass.step(store) }
        #expect(pass.report.movedRecordCount == 0)
        #expect(pass.report.segmentCount == segments.count - 2)
        try model.check(store)
        try store.close()
        try fixture.verify(model)
    }

    // A full pass begins with a table, in its own segment. When writing it failed, the log believed
    // all the same that it was there, and the next checkpoint named its place.
    @Test("a table that could not be written is not named by the next checkpoint")
    func failedTable() throws {
        for call in 0..<60 {
            let fixture = CompactionFixture(seed: 42)
            let store = try fixture.open()
            store.pauseCompaction()
            var model = CompactionModel()
            for round in 0..<3 { for number in 0..<40 { try model.put(number, round, store) } }
            fixture.machine.executor.drain()
            try store.compact()
            for number in 0..<40 { try model.put(number, 9, store) }
            try store.sync()
            fixture.machine.disk.setFault(.inputOutput, atCall: call)
            _ = capture { () throws(StoreError) in try store.compact() }
            fixture.machine.disk.clearFaults()
            if store.log.isPoisoned {
                _ = capture { () throws(StoreError) in try store.close() }
            } else {
                try model.put(1, 10, store)
                try store.checkpoint()
                try store.close()
            }
            let again = try fixture.open()
            #expect(try again.statistics.keyspaces.first?.keyCount == 40, "call \(call)")
            try model.check(again)
            try again.close()
            try fixture.verify(model)
        }
    }
}
