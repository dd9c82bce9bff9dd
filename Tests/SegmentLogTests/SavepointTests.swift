import SegmentLog
import SimulatedDisk
import TestSupport
import Testing

@Suite("Savepoints")
struct SavepointTests {
    @Test("rolling back in the buffer cuts it")
    func cut() throws {
        let fixture = LogFixture()
        let (log, _, _) = try fixture.openLog()
        log.beginTransaction()
        try log.append(put(1))
        let mark = log.mark()
        let size = log.pendingByteCount
        try log.append(put(2))
        try log.rollback(to: mark)
        #expect(log.pendingByteCount == size)
        try log.append(put(3))
        try log.commitTransaction(isDeleteOnly: false)
        let (_, replay, _) = try fixture.openLog()
        #expect(replay.transactions.flatMap(\.records).map(\.key) == [put(1).key, put(3).key])
    }

    @Test("rolling back to before the first record leaves nothing to commit")
    func cutAll() throws {
        let fixture = LogFixture()
        let (log, _, _) = try fixture.openLog()
        log.beginTransaction()
        let mark = log.mark()
        try log.append(put(1))
        try log.rollback(to: mark)
        #expect(try log.commitTransaction(isDeleteOnly: false) == .zero)
        #expect(log.writtenLSN == .zero)
    }

    @Test("nested rollbacks over spilled batches leave exactly what counts", arguments: 0..<60)
    func randomNesting(seed: Int) throws {
        let fixture = LogFixture(seed: UInt64(seed))
        fixture.options.maximumBufferedByteCount = 600
        fixture.options.segmentByteCount = 4096
        var random = SeededRandom(scattering: UInt64(seed))
        let (log, _, _) = try fixture.openLog()
        var expected: [[TestRecord]] = []
        for _ in 0..<6 {
            log.beginTransaction()
            var live: [TestRecord] = []
            var marks: [(SegmentLog.Mark, Int)] = []
            for number in 0..<random.below(120) {
                if random.chance(10) { marks.append((log.mark(), live.count)) }
                if random.chance(8), !marks.isEmpty {
                    let index = random.below(marks.count)
                    try log.rollback(to: marks[index].0)
                    live.removeSubrange(marks[index].1...)
                    marks.removeSubrange((index + 1)...)
                }
                var record = put(number, byteCount: random.below(80))
                record.location = try log.append(record)
                live.append(record)
            }
            if random.chance(20) {
                log.abortTransaction()
            } else {
                let before = log.writtenLSN
                let lsn = try log.commitTransaction(isDeleteOnly: false)
                if lsn != before || !live.isEmpty { expected.append(live) }
            }
        }
        let (_, replay, _) = try fixture.openLog()
        let replayed = replay.transactions.map(\.records).filter { !$0.isEmpty }
        #expect(replayed == expected.filter { !$0.isEmpty }, "seed \(seed)")
    }
}
