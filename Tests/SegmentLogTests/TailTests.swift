import CPlatform
import SegmentLog
import SimulatedDisk
import TestSupport
import Testing

@Suite("The end of the log")
struct TailTests {
    /// A log of `count` one-record transactions, the first `durable` of them synced.
    private func makeLog(
        _ fixture: LogFixture, count: Int, durable: Int = 0
    ) throws -> [TestRecord] {
        let (log, _, _) = try fixture.openLog()
        var records: [TestRecord] = []
        for number in 0..<count {
            records += try log.write([put(number)]).records
            if number + 1 == durable { try log.waitUntilDurable(log.writtenLSN) }
        }
        return records
    }

    /// The damage that opening reports.
    private func damage(
        _ fixture: LogFixture, durableEvidence: LSN = .zero, cleanEnd: LogPosition? = nil
    ) -> LogDamage? {
        do {
            _ = try fixture.openLog(durableEvidence: durableEvidence, cleanEnd: cleanEnd)
        } catch LogError.damaged(let damage) {
            return damage
        } catch {
            Issue.record("opening failed with \(error)")
        }
        return nil
    }

    @Test("a bad batch that nobody acknowledged is ignored and reported")
    func tornTailIsIgnored() throws {
        let fixture = LogFixture()
        let records = try makeLog(fixture, count: 10)
        let batch = records[9].location.offset - 64
        fixture.disk.corrupt(fixture.path(1), at: records[9].location.offset + 25)
        let (log, replay, report) = try fixture.openLog()
        #expect(replay.transactions.count == 9)
        let tail = try #require(report.ignoredTail)
        #expect(tail.file == fixture.path(1))
        #expect(tail.offset == UInt64(batch))
        #expect(tail.lsn == LSN(rawValue: 10))
        #expect(log.nextLSN == LSN(rawValue: 10))
    }

    @Test("N bad and N+1 valid is an ordinary power cut")
    func laterBatchesAreIgnoredToo() throws {
        let fixture = LogFixture()
        let records = try makeLog(fixture, count: 10)
        fixture.disk.corrupt(fixture.path(1), at: records[4].location.offset + 2)
        let (log, replay, report) = try fixture.openLog()
        #expect(replay.transactions.count == 4)
        #expect(report.ignoredTail?.lsn == LSN(rawValue: 5))
        // What is written now can't be mistaken for what was ignored.
        let next = try log.write([put(99)])
        #expect(next.lsn == LSN(rawValue: 5))
        let again = try fixture.openLog()
        #expect(again.replay.transactions.count == 5)
        #expect(again.replay.transactions[4].records == next.records)
    }

    @Test("N bad and N+1 valid in the next segment is one too")
    func acrossASegmentBoundary() throws {
        let fixture = LogFixture(segmentByteCount: 4096)
        let records = try makeLog(fixture, count: 60)
        let last = try #require(records.last { $0.location.segment.rawValue == 1 })
        let index = try #require(records.firstIndex(of: last))
        #expect(index < 59)
        fixture.disk.corrupt(fixture.path(1), at: last.location.offset + 21)
        let (log, replay, report) = try fixture.openLog()
        #expect(replay.transactions.count == index)
        #expect(report.ignoredTail?.file == fixture.path(1))
        #expect(!log.unreachableSegments.isEmpty)
        let next = try log.write([put(1000)])
        try log.waitUntilDurable(next.lsn)
        let unreachable = log.unreachableSegments
        try log.removeUnreachableSegments()
        for number in unreachable {
            #expect(fixture.disk.contents(of: fixture.path(number.rawValue)) == nil)
        }
        let again = try fixture.openLog()
        #expect(again.replay.transactions.map(\.records).last == next.records)
        #expect(again.replay.transactions.count == index + 1)
    }

    @Test("a bad batch that a later batch calls durable is damage, with its place")
    func damageByLaterBatch() throws {
        let fixture = LogFixture()
        let records = try makeLog(fixture, count: 10, durable: 6)
        let place = records[3].location.offset
        fixture.disk.corrupt(fixture.path(1), at: place + 30)
        let found = try #require(damage(fixture))
        #expect(found.file == fixture.path(1))
        #expect(found.offset == UInt64(place - 64))
        #expect(found.lsn == LSN(rawValue: 4))
        #expect(found.reason.contains("durable"))
    }

    @Test("a bad batch that the manifest calls durable is damage")
    func damageByManifest() throws {
        let fixture = LogFixture()
        let records = try makeLog(fixture, count: 10)
        fixture.disk.corrupt(fixture.path(1), at: records[9].location.offset + 22)
        let found = try #require(damage(fixture, durableEvidence: LSN(rawValue: 10)))
        #expect(found.lsn == LSN(rawValue: 10))
        #expect(damage(fixture, durableEvidence: LSN(rawValue: 9)) == nil)
    }

    @Test("a bad batch that the next segment calls durable is damage")
    func damageByLaterSegment() throws {
        let fixture = LogFixture(segmentByteCount: 4096)
        let (log, _, _) = try fixture.openLog()
        var records: [TestRecord] = []
        while log.tail.segment.rawValue < 2 {
            records += try log.write([put(records.count)]).records
            try log.waitUntilDurable(log.writtenLSN)
        }
        let last = try #require(records.last { $0.location.segment.rawValue == 1 })
        fixture.disk.corrupt(fixture.path(1), at: last.location.offset + 22)
        #expect(damage(fixture)?.file == fixture.path(1))
    }

    @Test("a missing segment and a bad segment header are damage, when they were durable")
    func damageOfWholeSegments() throws {
        for isLost in [true, false] {
            let fixture = LogFixture(segmentByteCount: 4096)
            let records = try makeLog(fixture, count: 150, durable: 140)
            let first = try #require(records.firstIndex { $0.location.segment.rawValue == 2 })
            if isLost {
                fixture.disk.lose(fixture.path(2))
            } else {
                fixture.disk.corrupt(fixture.path(2), at: 50)
            }
            let expected = LSN(rawValue: UInt64(first) + 1)
            #expect(damage(fixture)?.lsn == expected, "lost: \(isLost)")
        }
    }

    @Test("after a clean close nothing may be missing")
    func cleanEnd() throws {
        let fixture = LogFixture()
        let (log, _, _) = try fixture.openLog()
        for number in 0..<10 { try log.write([put(number)]) }
        let end = log.tail
        let last = try log.write([put(10)]).records[0].location
        let cleanEnd = log.tail
        try log.close(punchingTail: true)
        #expect(damage(fixture, cleanEnd: cleanEnd) == nil)
        fixture.disk.corrupt(fixture.path(1), at: last.offset + 21)
        let found = try #require(damage(fixture, cleanEnd: cleanEnd))
        #expect(found.offset == end.offset)
        #expect(damage(fixture, cleanEnd: end) == nil)
    }

    @Test("appending resumes in the segment of a clean close, and only there")
    func resuming() throws {
        let fixture = LogFixture()
        var (log, _, _) = try fixture.openLog()
        try log.write([put(1)])
        var end = log.tail
        try log.close(punchingTail: true)
        #expect(fixture.disk.usedByteCount == 4096)
        #expect(fixture.disk.paths == [fixture.path(1)])
        (log, _, _) = try fixture.openLog(cleanEnd: end)
        try log.write([put(2)])
        #expect(log.tail.segment.rawValue == 1)
        end = log.tail
        try log.close(punchingTail: true)
        // Without the clean end, a new segment begins.
        (log, _, _) = try fixture.openLog()
        try log.write([put(3)])
        #expect(log.tail.segment.rawValue > 1)
        end = log.tail
        try log.close(punchingTail: true)
        // With garbage after the end too.
        fixture.disk.corrupt(fixture.path(end.segment.rawValue), at: Int(end.offset) + 100)
        let reopened = try fixture.openLog(cleanEnd: end)
        try reopened.log.write([put(4)])
        #expect(reopened.log.tail.segment > end.segment)
        let (_, replay, _) = try fixture.openLog()
        #expect(replay.transactions.count == 4)
    }

    @Test("garbage after the end is ignored and reported")
    func garbageBehindTheEnd() throws {
        let fixture = LogFixture()
        _ = try makeLog(fixture, count: 3)
        let path = fixture.path(1)
        var bytes = try #require(fixture.disk.contents(of: path))
        let end = try #require(bytes.lastIndex { $0 != 0 }) / 8 * 8 + 8
        var random = SeededRandom(scattering: 4)
        for index in end..<end + 700 { bytes[index] = UInt8(truncatingIfNeeded: random.next()) }
        // Whole batches of the same segment, at another place, are garbage as well.
        bytes.replaceSubrange(end + 704..<end + 704 + 128, with: bytes[128..<256])
        fixture.disk.setContents(of: path, bytes)
        let (_, replay, report) = try fixture.openLog()
        #expect(replay.transactions.count == 3)
        #expect(report.ignoredTail?.offset == UInt64(end))
    }

    @Test("a batch of another segment's salt never counts, even at its own offset")
    func staleSalt() throws {
        let fixture = LogFixture()
        _ = try makeLog(fixture, count: 3)
        let stale = try #require(fixture.disk.contents(of: fixture.path(1)))
        let other = LogFixture(seed: 99)
        _ = try makeLog(other, count: 1)
        var bytes = try #require(other.disk.contents(of: other.path(1)))
        let end = try #require(bytes.lastIndex { $0 != 0 }) / 8 * 8 + 8
        bytes.replaceSubrange(end..<bytes.count, with: stale[end...])
        other.disk.setContents(of: other.path(1), bytes)
        let (_, replay, report) = try other.openLog()
        #expect(replay.transactions.count == 1)
        #expect(report.ignoredTail?.reason.contains("salt") == true)
    }

    @Test("recovery can begin after a checkpoint")
    func startingInTheMiddle() throws {
        let fixture = LogFixture(segmentByteCount: 4096)
        let (log, _, _) = try fixture.openLog()
        var positions: [(LogPosition, LSN)] = []
        var records: [TestRecord] = []
        for number in 0..<120 {
            records += try log.write([put(number)]).records
            positions.append((log.tail, log.nextLSN))
        }
        for index in stride(from: 0, to: 120, by: 7) {
            let (again, replay, report) = try fixture.openLog(from: positions[index])
            #expect(replay.transactions.flatMap(\.records) == Array(records[(index + 1)...]))
            #expect(report.lastLSN == LSN(rawValue: 120))
            let early = records[index / 2]
            #expect(Array(try again.reader.verifiedRecord(at: early.location).key) == early.key)
        }
    }

    @Test("a store's segments are not another store's, and newer formats are refused")
    func foreignSegments() throws {
        let fixture = LogFixture()
        _ = try makeLog(fixture, count: 3)
        let log = SegmentLog(
            directory: LogFixture.directory,
            identity: StoreIdentity(uuidLow: 5, uuidHigh: 6, lineage: 0),
            options: fixture.options, environment: fixture.environment(fixture.disk.start()))
        var replay = Replay()
        let error = #expect(throws: LogError.self) {
            _ = try log.recover(
                from: nil, durableEvidence: .zero, cleanEnd: nil, visitor: &replay)
        }
        guard case .wrongStore(fixture.path(1), _, LogFixture.identity) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(replay.transactions.isEmpty)
    }

    @Test("a segment of a newer format is refused, and nothing is changed")
    func newerFormat() throws {
        let fixture = LogFixture()
        _ = try makeLog(fixture, count: 3)
        var bytes = try #require(fixture.disk.contents(of: fixture.path(1)))
        bytes[8] = UInt8(SegmentHeader.sealedFormatVersion) + 1
        let sum = bytes.withUnsafeBytes { travertine_crc32c(0, $0.baseAddress, 124) }
        bytes.replaceSubrange(124..<128, with: withUnsafeBytes(of: sum.littleEndian, Array.init))
        fixture.disk.setContents(of: fixture.path(1), bytes)
        let paths = fixture.disk.paths
        let expected = LogError.newerFormat(
            path: fixture.path(1), found: SegmentHeader.sealedFormatVersion + 1,
            supported: SegmentHeader.sealedFormatVersion)
        #expect(throws: expected) { try fixture.openLog() }
        #expect(fixture.disk.paths == paths)
        #expect(fixture.disk.contents(of: fixture.path(1)) == bytes)
    }

    @Test("what a failed sync left in the cache only is found by reading the device")
    func cacheOnlyData() throws {
        let fixture = LogFixture(seed: 3)
        let (log, _, _) = try fixture.openLog()
        let first = try log.write([put(1)])
        try log.waitUntilDurable(first.lsn)
        let second = try log.write((0..<40).map { put($0) })
        fixture.disk.setFault(.inputOutput, atCall: 0)
        #expect(throws: LogError.commitOutcomeUnknown(second.lsn)) {
            try log.waitUntilDurable(second.lsn)
        }
        // The process ends, the machine does not: its cache still shows the whole batch.
        let (_, replay, report) = try fixture.openLog()
        fixture.disk.crash()
        let after = try fixture.openLog()
        #expect(after.replay.transactions == replay.transactions)
        #expect(after.report.lastLSN == report.lastLSN)
    }

    @Test("what was lost right after a clean end is damage, when it was durable")
    func damageBehindTheCleanEnd() throws {
        let fixture = LogFixture()
        var (log, _, _) = try fixture.openLog()
        try log.write([put(1)])
        let end = log.tail
        try log.close(punchingTail: true)
        (log, _, _) = try fixture.openLog(cleanEnd: end)
        for number in 2..<5 { try log.waitUntilDurable(try log.write([put(number)]).lsn) }
        var bytes = try #require(fixture.disk.contents(of: fixture.path(1)))
        let lost = Int(end.offset)..<Int(end.offset) + 120
        for index in lost { bytes[index] = 0 }
        fixture.disk.setContents(of: fixture.path(1), bytes)
        let found = try #require(damage(fixture, cleanEnd: end))
        #expect(found.lsn == LSN(rawValue: 2))
        #expect(found.offset == end.offset)
    }

    @Test("segments before the start of recovery are known on demand")
    func olderSegments() throws {
        let fixture = LogFixture(segmentByteCount: 4096)
        var (log, _, _) = try fixture.openLog()
        for number in 0..<120 { try log.write([put(number)]) }
        let all = log.segments.dropLast()
        let place = (log.tail, log.nextLSN)
        (log, _, _) = try fixture.openLog(from: place)
        #expect(log.segments.count == 1)
        try log.loadOlderSegments()
        #expect(log.segments.dropLast() == all)
        #expect(log.unreachableSegments.isEmpty)
    }

    @Test("after a crash the unused end of the old segment is given back")
    func abandonedTail() throws {
        let fixture = LogFixture(segmentByteCount: 256 << 10)
        var (log, _, _) = try fixture.openLog()
        try log.waitUntilDurable(try log.write([put(1)]).lsn)
        fixture.disk.crash()
        (log, _, _) = try fixture.openLog()
        let lsn = try log.write([put(2)]).lsn
        let before = fixture.disk.usedByteCount
        try log.removeUnreachableSegments()
        #expect(fixture.disk.usedByteCount == before)
        try log.waitUntilDurable(lsn)
        try log.removeUnreachableSegments()
        #expect(fixture.disk.usedByteCount <= before - (252 << 10))
        #expect(try fixture.openLog().replay.transactions.count == 2)
    }
}
