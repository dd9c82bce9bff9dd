import SegmentLog
import SimulatedDisk
import Testing

@Suite("Space")
struct SpaceTests {
    /// Writes until the disk is full; the number of the first put that was refused.
    private func fill(_ log: SegmentLog) throws -> Int {
        for number in 0..<10_000 {
            do {
                try log.write([put(number, byteCount: 100)])
            } catch LogError.diskFull(let path, let needed) {
                #expect(path.hasSuffix(".segment"))
                #expect(needed > 0)
                return number
            }
        }
        Issue.record("the disk never filled up")
        return 0
    }

    @Test("a full disk is a clean error, and deleting goes on")
    func fullDisk() throws {
        let fixture = LogFixture(segmentByteCount: 8192)
        fixture.disk.setQuota(byteCount: 5 * 8192)
        let (log, _, _) = try fixture.openLog()
        let count = try fill(log)
        #expect(count > 150)
        #expect(throws: LogError.self) { try log.write([put(1)]) }
        // One segment is kept for tombstones.
        var deleted = 0
        while deleted < 60 {
            try log.write([delete(deleted)], isDeleteOnly: true)
            deleted += 1
        }
        #expect(throws: LogError.self) { try log.write([put(1)]) }
        try log.waitUntilDurable(log.writtenLSN)
        fixture.disk.crash()
        let (again, replay, _) = try fixture.openLog()
        #expect(replay.transactions.count == count + deleted)
        // More space, and it goes on.
        fixture.disk.setQuota(byteCount: 20 * 8192)
        try again.write([put(1)])
    }

    @Test("a transaction that would use the reserve fails as a whole")
    func wholeTransactionFails() throws {
        let fixture = LogFixture(segmentByteCount: 8192)
        fixture.options.maximumBufferedByteCount = 1000
        fixture.disk.setQuota(byteCount: 4 * 8192)
        let (log, _, _) = try fixture.openLog()
        try log.write([put(0)])
        #expect(throws: LogError.self) {
            try log.write((0..<1000).map { put($0, byteCount: 100) })
        }
        let (_, replay, report) = try fixture.openLog()
        #expect(replay.transactions.count == 1)
        #expect(report.deadBatches > 0)
    }

    @Test("a spare is always one ahead, and closing removes it")
    func spare() throws {
        let fixture = LogFixture(segmentByteCount: 4096)
        let (log, _, _) = try fixture.openLog()
        for number in 0..<100 {
            try log.write([put(number)])
            let next = log.tail.segment.rawValue + 1
            let spare = try #require(fixture.disk.contents(of: fixture.path(next)))
            #expect(spare.count == 4096)
            #expect(spare.allSatisfy { $0 == 0 })
        }
        let active = log.tail.segment.rawValue
        try log.close(punchingTail: true)
        #expect(fixture.disk.contents(of: fixture.path(active + 1)) == nil)
        #expect(fixture.disk.contents(of: fixture.path(active)) != nil)
    }

    @Test("a spare that a crash left is used again")
    func spareIsAdopted() throws {
        let fixture = LogFixture(segmentByteCount: 4096)
        let (log, _, _) = try fixture.openLog()
        try log.write([put(1)])
        let (again, _, _) = try fixture.openLog()
        try again.write([put(2)])
        #expect(again.tail.segment.rawValue == 2)
        #expect(again.unreachableSegments.isEmpty)
    }

    @Test("the prepared spare is synced in the background, so a roll syncs no directory")
    func background() throws {
        let fixture = LogFixture(segmentByteCount: 4096)
        let (log, _, _) = try fixture.openLog()
        try log.write([put(0)])
        fixture.executor.drain()
        try log.waitUntilDurable(log.writtenLSN)
        while log.tail.segment.rawValue < 2 { try log.write([put(1)]) }
        let before = fixture.disk.callCount
        try log.waitUntilDurable(log.writtenLSN)
        let calls = fixture.disk.recentCalls.suffix(fixture.disk.callCount - before)
        #expect(!calls.contains { $0.hasPrefix("syncDirectory") })
        // Without the background job the commit itself sees to the entry.
        fixture.executor.removeAll()
        while log.tail.segment.rawValue < 3 { try log.write([put(1)]) }
        try log.waitUntilDurable(log.writtenLSN)
        #expect(fixture.disk.recentCalls.contains { $0.hasPrefix("syncDirectory") })
    }

    @Test("segments grow with the live bytes")
    func segmentSizes() throws {
        let fixture = LogFixture(segmentByteCount: nil)
        let (log, _, _) = try LogFixture(segmentByteCount: nil, fileCapacity: 64 << 20).openLog()
        _ = fixture
        try log.write([put(1)])
        #expect(log.segments.last?.byteCount == 1 << 20)
        log.liveByteCountHint = 100 << 20
        log.seal()
        try log.write([put(2)])
        log.seal()
        try log.write([put(2)])
        #expect(log.segments.last?.byteCount == UInt64(100 << 20) / 32)
        log.liveByteCountHint = 1 << 40
        log.seal()
        try log.write([put(2)])
        log.seal()
        try log.write([put(2)])
        #expect(log.segments.last?.byteCount == 64 << 20)
    }

    @Test("many segments need few open files")
    func descriptorBudget() throws {
        let fixture = LogFixture(segmentByteCount: 4096, fileCapacity: 8 << 10)
        fixture.options.openFileBudget = 3
        fixture.disk.setOpenFileLimit(6)
        let (log, _, _) = try fixture.openLog()
        var records: [TestRecord] = []
        for number in 0..<1500 { records += try log.write([put(number)]).records }
        #expect(log.tail.segment.rawValue > 40)
        for record in records {
            #expect(Array(try log.reader.verifiedRecord(at: record.location).key) == record.key)
        }
        let end = log.tail
        try log.close(punchingTail: true)
        #expect(fixture.disk.openFiles == 0)
        let (again, replay, _) = try fixture.openLog(cleanEnd: end)
        #expect(replay.transactions.count == 1500)
        #expect(fixture.disk.openFiles <= 1)
        try again.close(punchingTail: false)
    }
}
