import Dispatch
import Locks
import SegmentLog
import SimulatedDisk
import TestSupport
import Testing

@Suite("Durability")
struct DurabilityTests {
    @Test("one sync serves every commit before it, and the observer hears first")
    func groupCommit() throws {
        let fixture = LogFixture()
        let (log, _, _) = try fixture.openLog()
        let heard = Locked<[LSN]>([])
        log.didBecomeDurable = { [unowned log] lsn in
            #expect(log.durableLSN < lsn, "nobody knows yet")
            heard.withLock { $0.append(lsn) }
        }
        for number in 0..<10 { try log.write([put(number)]) }
        #expect(log.durableLSN == .zero)
        try log.waitUntilDurable(LSN(rawValue: 3))
        #expect(log.durableLSN == LSN(rawValue: 10))
        try log.waitUntilDurable(LSN(rawValue: 10))
        #expect(log.statistics.syncCount == 1)
        #expect(heard.withLock { $0 } == [LSN(rawValue: 10)])
    }

    @Test("a sealed segment is synced before the active one counts")
    func segmentOrder() throws {
        let fixture = LogFixture(segmentByteCount: 4096)
        fixture.options.openFileBudget = 100
        let (log, _, _) = try fixture.openLog()
        var number = 0
        while log.tail.segment.rawValue < 4 {
            try log.write([put(number)])
            number += 1
        }
        try log.waitUntilDurable(log.writtenLSN)
        let syncs = fixture.disk.recentCalls.filter { $0.hasPrefix("sync") }
        #expect(
            syncs.suffix(4) == [
                "sync " + fixture.path(1), "sync " + fixture.path(2), "sync " + fixture.path(3),
                "sync " + fixture.path(4),
            ]
                || syncs.suffix(5) == [
                    "sync " + fixture.path(1), "sync " + fixture.path(2),
                    "sync " + fixture.path(3), "syncDirectory /store", "sync " + fixture.path(4),
                ])
        fixture.disk.crash()
        #expect(try fixture.openLog().replay.transactions.count == number)
    }

    // The directory was opened anew for each sync: without a descriptor to spare that failed, and
    // counted as a failed sync, after which the store takes no writes.
    @Test("without a descriptor to spare commits become durable, in a new segment too")
    func noDescriptorToSpare() throws {
        let fixture = LogFixture(segmentByteCount: 4096)
        let (log, _, _) = try fixture.openLog()
        var number = 0
        for _ in 0..<3 {
            fixture.disk.setOpenFileLimit(.max)
            let segment = log.tail.segment
            while log.tail.segment == segment {
                try log.write([put(number)])
                number += 1
            }
            fixture.disk.setOpenFileLimit(fixture.disk.openFiles)
            try log.waitUntilDurable(log.writtenLSN)
        }
        fixture.disk.setOpenFileLimit(.max)
        #expect(!log.isPoisoned)
        #expect(fixture.disk.recentCalls.contains("syncDirectory /store"))
        fixture.disk.crash()
        #expect(try fixture.openLog().replay.transactions.count == number)
    }

    @Test("a failed sync poisons the log permanently, and is never repeated")
    func failedSync() throws {
        let fixture = LogFixture()
        let (log, _, _) = try fixture.openLog()
        let first = try log.write([put(1)])
        try log.waitUntilDurable(first.lsn)
        let second = try log.write([put(2)])
        fixture.disk.setFault(.inputOutput, atCall: 0)
        #expect(throws: LogError.commitOutcomeUnknown(second.lsn)) {
            try log.waitUntilDurable(second.lsn)
        }
        #expect(log.isPoisoned)
        let calls = fixture.disk.callCount
        #expect(throws: LogError.commitOutcomeUnknown(second.lsn)) {
            try log.waitUntilDurable(second.lsn)
        }
        try log.waitUntilDurable(first.lsn)
        #expect(throws: LogError.self) { try log.write([put(3)]) }
        #expect(fixture.disk.callCount == calls)
        #expect(
            Array(try log.reader.verifiedRecord(at: second.records[0].location).key)
                == put(2).key)
        #expect(throws: LogError.self) { try log.close(punchingTail: true) }
        let syncsAfter = fixture.disk.recentCalls.suffix(2)
        #expect(!syncsAfter.contains { $0.hasPrefix("sync") })
    }

    @Test("a batch whose write failed never counts, and the log goes on in a new segment")
    func failedWrite() throws {
        let fixture = LogFixture()
        let (log, _, _) = try fixture.openLog()
        try log.write([put(1)])
        let segment = log.tail.segment
        fixture.disk.setFault(.inputOutput, atCall: 0)
        #expect(throws: LogError.self) { try log.write([put(2)]) }
        #expect(!log.isPoisoned)
        let third = try log.write([put(3)])
        #expect(third.lsn == LSN(rawValue: 2))
        #expect(log.tail.segment > segment)
        let (_, replay, report) = try fixture.openLog()
        #expect(replay.transactions.flatMap(\.records).map(\.key) == [put(1).key, put(3).key])
        #expect(report.ignoredTail == nil)
    }

    @Test("a failed write that left all but zeros does not come back after a crash")
    func failedWriteOfZeros() throws {
        // The file is zeros after the tail: a first part of this batch is all of it.
        let record = TestRecord(kind: .put, key: [1], value: [UInt8](repeating: 0, count: 6000))
        for seed in UInt64(0)..<60 {
            let fixture = LogFixture(seed: seed, fileCapacity: 32 << 10)
            let (log, _, _) = try fixture.openLog()
            try log.waitUntilDurable(try log.write([put(1)]).lsn)
            fixture.disk.setFault(.inputOutput, atCall: 0)
            #expect(throws: LogError.self) { try log.write([record]) }
            #expect(!log.isPoisoned)
            fixture.disk.crash()
            #expect(try fixture.openLog().replay.transactions.count == 1, "seed \(seed)")
        }
    }

    @Test("threads that commit together share syncs, and each commit is durable after its wait")
    func threads() throws {
        let directory = TemporaryDirectory()
        let log = SegmentLog(
            directory: directory.path, identity: LogFixture.identity,
            options: SegmentLog.Options(), environment: .system)
        var replay = Replay()
        _ = try log.recover(from: nil, durableEvidence: .zero, cleanEnd: nil, visitor: &replay)
        let writer = Locked<Void>()
        let failures = Locked<[String]>([])
        let threadCount = 8
        let commitCount = 60
        DispatchQueue.concurrentPerform(iterations: threadCount) { thread in
            for number in 0..<commitCount {
                do {
                    let lsn = try writer.withLock {
                        try log.write([put(thread * 1000 + number)]).lsn
                    }
                    try log.waitUntilDurable(lsn)
                    if log.durableLSN < lsn { throw LogError.closed }
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
        }
        #expect(failures.withLock { $0 } == [])
        #expect(log.durableLSN == LSN(rawValue: UInt64(threadCount * commitCount)))
        let statistics = log.statistics
        #expect(statistics.syncCount <= UInt64(threadCount * commitCount))
        #expect(statistics.syncLatency.reduce(0, +) == statistics.syncCount)
        let end = log.tail
        try log.close(punchingTail: true)
        let again = SegmentLog(
            directory: directory.path, identity: LogFixture.identity,
            options: SegmentLog.Options(), environment: .system)
        var second = Replay()
        let report = try again.recover(
            from: nil, durableEvidence: .zero, cleanEnd: end, visitor: &second)
        #expect(second.transactions.count == threadCount * commitCount)
        #expect(report.ignoredTail == nil)
    }

    @Test("threads that wait while a sync fails all hear of it")
    func threadsAndFailure() throws {
        let fixture = LogFixture()
        let (log, _, _) = try fixture.openLog()
        let writer = Locked<Void>()
        let outcomes = Locked<[LSN: Bool]>([:])
        try log.waitUntilDurable(try log.write([put(1)]).lsn)
        fixture.disk.setFault(.inputOutput, atCall: 101)
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for number in 0..<100 {
                guard let lsn = try? writer.withLock({ try log.write([put(number)]).lsn }) else {
                    return
                }
                let isDurable = (try? log.waitUntilDurable(lsn)) != nil
                outcomes.withLock { $0[lsn] = isDurable }
                if !isDurable { return }
            }
        }
        let sure = outcomes.withLock { $0.filter(\.value).keys.max() } ?? .zero
        let unsure = outcomes.withLock { $0.filter { !$0.value }.keys.min() }
        #expect(log.isPoisoned || unsure == nil)
        if let unsure { #expect(unsure > sure) }
        fixture.disk.crash()
        #expect(try fixture.openLog().report.lastLSN >= sure)
    }

    @Test("zeros ahead of the tail never touch a record", arguments: 0..<8)
    func zerosAhead(seed: Int) throws {
        let fixture = LogFixture(seed: UInt64(seed), segmentByteCount: 8192)
        fixture.options.zeroAheadByteCount = [512, 1024, 4096, 16384][seed % 4]
        var random = SeededRandom(scattering: UInt64(seed))
        let (log, _, _) = try fixture.openLog()
        var records: [TestRecord] = []
        for number in 0..<200 {
            let written = try log.write([put(number, byteCount: random.below(150))])
            records += written.records
            if random.chance(60) { try log.waitUntilDurable(written.lsn) }
        }
        #expect(log.statistics.zeroBytesWritten > 0)
        for record in records {
            #expect(
                Array(try log.reader.verifiedRecord(at: record.location).value) == record.value)
        }
        #expect(try fixture.openLog().replay.transactions.flatMap(\.records) == records)
    }
}
