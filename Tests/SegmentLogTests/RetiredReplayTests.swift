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

    // A reader beside the writer reads no further than what was durable when it asked. It once took
    // a table after that place for proof that a segment may be missing, and showed a store without
    // the records that had been moved out of the segment.
    @Test("a table after a reader's limit does not excuse a segment that is missing before it")
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

    /// Retires a segment by a table that is not synced, after another segment that is not either.
    private func retireUnsynced(
        _ number: UInt32, _ log: SegmentLog
    ) throws -> (lost: UInt32, lsn: LSN) {
        let first = try log.write([put(500)]).records[0].location.segment.rawValue
        while try log.write([put(501, byteCount: 300)]).records[0].location.segment.rawValue
            < first + 2
        {}
        let chosen = try log.sealedSegments.filter { $0.number.rawValue == number }.map {
            ($0, try log.image(of: $0).continuation())
        }
        #expect(chosen.count == 1)
        log.beginTransaction()
        _ = try log.appendRetirement(of: chosen)
        return (first + 1, try log.commitTransaction(isDeleteOnly: false))
    }

    // The table was in a segment that had reached the disk, and the one before that had not.
    // Neither had been reported as durable, but the search for tables took the missing segment for
    // a retired one, and demanded of the log what the table said.
    @Test("a table after a segment that a power cut took is as if it had never been")
    func tableBehindLostSegment() throws {
        let (log, _, _) = try fixture.openLog()
        for number in 0..<50 { try log.write([put(number, byteCount: 300)]) }
        try retire([2], log)
        let durable = log.durableLSN
        let (lost, lsn) = try retireUnsynced(3, log)
        fixture.disk.lose(fixture.path(lost))
        let (again, replay, report) = try fixture.openLog()
        #expect(report.retiredStretchCount == 1)
        #expect(report.lastLSN >= durable && report.lastLSN < lsn)
        #expect(
            replay.transactions.contains { $0.records.first?.location.segment.rawValue == 3 })
        // LSNs are used again, and become durable beyond that of the table.
        while try again.write([put(600, byteCount: 300)]).lsn <= lsn.next {}
        try again.waitUntilDurable(again.writtenLSN)
        let (_, last, _) = try fixture.openLog(durableEvidence: again.writtenLSN)
        #expect(
            last.transactions.contains { $0.records.first?.location.segment.rawValue == 3 })
        #expect(last.lastLSN == again.writtenLSN)
    }

    // As above, but the last segment that is there was ended half empty. A clean end was recorded
    // there, appending went on in it, and the LSNs of the table's segment were used again in an
    // older one.
    @Test("appending does not go on in a segment after which a power cut has cut off others")
    func tableBehindResumedSegment() throws {
        let (log, _, _) = try fixture.openLog()
        for number in 0..<50 { try log.write([put(number, byteCount: 300)]) }
        try retire([2], log)
        let last = try log.write([put(500)]).records[0].location.segment.rawValue
        try log.waitUntilDurable(log.writtenLSN)
        let durable = log.durableLSN
        log.seal()
        while try log.write([put(501, byteCount: 300)]).records[0].location.segment.rawValue
            < last + 2
        {}
        let chosen = try log.sealedSegments.filter { $0.number.rawValue == 3 }.map {
            ($0, try log.image(of: $0).continuation())
        }
        log.beginTransaction()
        _ = try log.appendRetirement(of: chosen)
        let lsn = try log.commitTransaction(isDeleteOnly: false)
        fixture.disk.lose(fixture.path(last + 1))
        let (_, _, report) = try fixture.openLog()
        #expect(report.lastLSN == durable && report.end.segment.rawValue == last)
        let (again, _, _) = try fixture.openLog(durableEvidence: durable, cleanEnd: report.end)
        while try again.write([put(600, byteCount: 100)]).lsn <= lsn.next {}
        try again.waitUntilDurable(again.writtenLSN)
        let (_, replay, whole) = try fixture.openLog(durableEvidence: again.writtenLSN)
        #expect(whole.lastLSN == again.writtenLSN)
        #expect(
            replay.transactions.contains { $0.records.first?.location.segment.rawValue == 3 })
    }

    // The first table of a log: without it nothing is retired.
    @Test("a log that never had a durable table is replayed without one")
    func onlyTableIsLost() throws {
        let (log, _, _) = try fixture.openLog()
        for number in 0..<50 { try log.write([put(number, byteCount: 300)]) }
        try log.waitUntilDurable(log.writtenLSN)
        let durable = log.durableLSN
        let (lost, _) = try retireUnsynced(3, log)
        fixture.disk.lose(fixture.path(lost))
        let (_, replay, report) = try fixture.openLog()
        #expect(report.retiredStretchCount == 0 && report.lastLSN >= durable)
        #expect(replay.transactions.count >= 50)
    }
}
