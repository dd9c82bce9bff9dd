import SimulatedDisk
import Testing

@testable import SegmentLog

/// Replays of a log out of which segments were taken.
@Suite struct RetiredReplayTests {
    private let fixture = LogFixture(seed: 31, segmentByteCount: 4096)

    /// Retires segments by a table, and removes their files.
    private func retire(_ numbers: [UInt32], _ log: SegmentLog) throws {
        let chosen = try log.sealedSegments.filter { numbers.contains($0.number.rawValue) }.map {
            ($0, try log.image(of: $0).continuation())
        }
        #expect(chosen.count == numbers.count)
        log.beginTransaction()
        let (table, location) = try log.appendRetirement(of: chosen)
        let lsn = try log.commitTransaction(isDeleteOnly: false)
        log.didRetire(table, location: location)
        try log.waitUntilDurable(lsn)
        try log.removeRetired(chosen.map(\.0.number))
    }

    // A transaction went over five segments, and rolled back parts of itself in the second and the
    // fourth. When both were retired, a replay remembered only what the fourth made void, and
    // delivered the part of the first segment that the second had rolled back.
    @Test("every retired stretch that a transaction went over keeps void what it rolled back")
    func voidRanges() throws {
        fixture.options.maximumBufferedByteCount = 600
        let (log, _, _) = try fixture.openLog()
        log.beginTransaction()
        var live: [TestRecord] = []
        var number = 0
        func append(until segment: UInt32) throws {
            while true {
                var record = put(number, byteCount: 200)
                number += 1
                record.location = try log.append(record)
                live.append(record)
                if record.location.segment.rawValue == segment { return }
            }
        }
        for segment in [1, 3] as [UInt32] {
            try append(until: segment)
            let (mark, count) = (log.mark(), live.count)
            try append(until: segment + 1)
            for _ in 0..<3 { try append(until: segment + 1) }
            try log.rollback(to: mark)
            live.removeSubrange(count...)
            for _ in 0..<3 { try append(until: segment + 1) }
        }
        try append(until: 5)
        try log.commitTransaction(isDeleteOnly: false)
        for number in 0..<20 { try log.write([put(1000 + number, byteCount: 300)]) }
        try retire([2, 4], log)
        let (_, replay, report) = try fixture.openLog()
        #expect(report.retiredStretchCount == 2)
        let expected = live.filter { ![2, 4].contains($0.location.segment.rawValue) }
        #expect(replay.transactions.first?.records == expected)
    }

    // A reader beside the writer reads no further than what was durable when it asked. It once took a
    // table behind that place for proof that a segment may be missing, and showed a store without the
    // records that had been moved out of the segment.
    @Test("a table behind a reader's limit does not excuse a segment that is missing before it")
    func limitedSearch() throws {
        let (log, _, _) = try fixture.openLog()
        for number in 0..<50 { try log.write([put(number, byteCount: 300)]) }
        let limit = log.writtenLSN
        try retire([2], log)
        let newest = log.writtenLSN
        var replay = Replay()
        let whole = try fixture.makeLog().follow(from: nil, through: newest, visitor: &replay)
        #expect(whole.retiredStretchCount == 1)
        #expect(throws: LogError.self) {
            var replay = Replay()
            _ = try fixture.makeLog().follow(from: nil, through: limit, visitor: &replay)
        }
    }
}
