import SegmentLog
import SimulatedDisk
import TestSupport
import Testing

@Suite("Writing and reading back")
struct RoundTripTests {
    @Test("what is committed is replayed with kinds, keys, values and locations")
    func replayReturnsWhatWasWritten() throws {
        let fixture = LogFixture()
        let (log, replay, report) = try fixture.openLog()
        #expect(replay.transactions.isEmpty)
        #expect(report.lastLSN == .zero)
        var written: [Replay.Transaction] = []
        for number in 0..<300 {
            var records: [TestRecord] = []
            for index in 0..<number % 5 + 1 {
                records.append(
                    TestRecord(
                        kind: RecordKind.allCases[(number + index) % 7],
                        keyspace: KeyspaceID(treeNumber: index),
                        key: [UInt8](repeating: UInt8(index), count: number % 513),
                        value: (0..<(number * 7 % 400)).map { UInt8(truncatingIfNeeded: $0) }))
            }
            // Moves need an extension, rollbacks a place: they have their own tests.
            records = records.map { record in
                var record = record
                if record.kind.isMove { record.kind = .put }
                return record
            }
            let (lsn, placed) = try log.write(records)
            written.append(
                Replay.Transaction(
                    firstLSN: written.last?.lastLSN.next ?? LSN(rawValue: 1), lastLSN: lsn,
                    records: placed))
        }
        #expect(log.segments.count > 3)
        let reader = log.reader
        for record in written.flatMap(\.records) {
            let found = try reader.verifiedRecord(at: record.location)
            #expect(Array(found.key) == record.key)
            #expect(Array(found.value) == record.value)
            #expect(found.keyspace == record.keyspace)
            #expect(found.kind == record.kind)
        }
        let reopened = try fixture.openLog()
        #expect(reopened.replay.transactions == written)
        #expect(reopened.report.ignoredTail == nil)
        #expect(reopened.log.nextLSN == log.nextLSN)
        #expect(reopened.report.replayedTransactions == 300)
    }

    @Test("a record finds the LSN of its batch, mapped and pending")
    func recordsKnowTheirLSN() throws {
        let (log, _, _) = try LogFixture().openLog()
        for number in 0..<20 {
            log.beginTransaction()
            let location = try log.append(put(number))
            let pending = try #require(log.pendingRecordPointer(at: location))
            #expect(pending.lsn == log.nextLSN)
            #expect(Array(pending.key) == put(number).key)
            let lsn = try log.commitTransaction(isDeleteOnly: false)
            #expect(log.pendingRecord(at: location) == nil)
            #expect(try log.reader.record(at: location).lsn == lsn)
        }
    }

    @Test("a transaction over the limit spills batches and stays one transaction")
    func spilledTransaction() throws {
        let fixture = LogFixture()
        fixture.options.maximumBufferedByteCount = 1000
        let (log, _, _) = try fixture.openLog()
        let (lsn, placed) = try log.write((0..<400).map { put($0) })
        #expect(lsn.rawValue > 20)
        #expect(log.segments.count > 1)
        for record in placed {
            #expect(Array(try log.reader.verifiedRecord(at: record.location).key) == record.key)
        }
        let (_, replay, _) = try fixture.openLog()
        #expect(
            replay.transactions == [
                Replay.Transaction(firstLSN: LSN(rawValue: 1), lastLSN: lsn, records: placed)
            ])
    }

    @Test("an aborted transaction leaves dead batches, and the next one goes on after them")
    func abortAfterSpill() throws {
        let fixture = LogFixture()
        fixture.options.maximumBufferedByteCount = 500
        let (log, _, _) = try fixture.openLog()
        let first = try log.write([put(1)])
        log.beginTransaction()
        for number in 0..<50 { try log.append(put(number)) }
        log.abortTransaction()
        let second = try log.write([put(2)])
        #expect(second.lsn.rawValue > first.lsn.rawValue + 5)
        let (_, replay, report) = try fixture.openLog()
        #expect(replay.transactions.map(\.records) == [first.records, second.records])
        #expect(report.deadBatches == Int(second.lsn.rawValue - first.lsn.rawValue) - 1)
    }

    @Test("an empty transaction writes nothing")
    func emptyTransaction() throws {
        let fixture = LogFixture()
        let (log, _, _) = try fixture.openLog()
        log.beginTransaction()
        #expect(try log.commitTransaction(isDeleteOnly: false) == .zero)
        #expect(fixture.disk.paths.isEmpty)
        let lsn = try log.write([put(1)]).lsn
        log.beginTransaction()
        #expect(try log.commitTransaction(isDeleteOnly: false) == lsn)
    }

    @Test("keys and values over the limits are refused, and the transaction goes on")
    func limits() throws {
        let (log, _, _) = try LogFixture(segmentByteCount: nil).openLog()
        log.beginTransaction()
        let longKey = TestRecord(kind: .put, key: [UInt8](repeating: 1, count: 513))
        #expect(throws: LogError.keyTooLarge(byteCount: 513)) { try log.append(longKey) }
        let count = (32 << 20) + 1
        let long = TestRecord(kind: .put, key: [1], value: [UInt8](repeating: 0, count: count))
        #expect(throws: LogError.valueTooLarge(byteCount: count)) { try log.append(long) }
        try log.append(put(1))
        #expect(try log.commitTransaction(isDeleteOnly: false) == LSN(rawValue: 1))
    }

    @Test("a record that no segment of the usual size holds gets a larger one")
    func largeRecord() throws {
        let fixture = LogFixture()
        let (log, _, _) = try fixture.openLog()
        try log.write([put(1)])
        let large = try log.write([put(2, byteCount: 200_000)]).records[0]
        try log.write([put(3)])
        #expect(large.location.sizeHint == nil)
        #expect(Array(try log.reader.verifiedRecord(at: large.location).value) == large.value)
        let (_, replay, _) = try fixture.openLog()
        #expect(replay.transactions.count == 3)
        #expect(replay.transactions[1].records == [large])
    }

    @Test("moves carry their original LSN and source")
    func moves() throws {
        struct Moves: RecoveryVisitor {
            var seen: [(RecordKind, LSN, LSN, Location?)] = []
            mutating func beginTransaction(firstLSN: LSN) throws {}
            mutating func record(_ record: RecoveredRecord) throws {
                seen.append((record.kind, record.lsn, record.originalLSN, record.sourceLocation))
            }
            mutating func endTransaction(lastLSN: LSN) throws {}
        }
        let fixture = LogFixture()
        let (log, _, _) = try fixture.openLog()
        let source = try log.write([put(1)]).records[0].location
        log.beginTransaction()
        let record = try log.reader.record(at: source)
        let target = try log.appendMove(
            of: record, kind: .move, originalLSN: LSN(rawValue: 1), sourceLocation: source)
        try log.commitTransaction(isDeleteOnly: false)
        let moved = try log.reader.verifiedRecord(at: target)
        #expect(Array(moved.key) == put(1).key)
        #expect(Array(moved.value) == put(1).value)
        #expect(moved.originalLSN == LSN(rawValue: 1))
        #expect(moved.sourceLocation == source)
        var visitor = Moves()
        _ = try fixture.makeLog().recover(
            from: nil, durableEvidence: .zero, cleanEnd: nil, visitor: &visitor)
        #expect(visitor.seen.count == 2)
        #expect(visitor.seen[1].0 == .move)
        #expect(visitor.seen[1].1 == LSN(rawValue: 2))
        #expect(visitor.seen[1].2 == LSN(rawValue: 1))
        #expect(visitor.seen[1].3 == source)
    }

    @Test("a compressed value comes back as it was")
    func compression() throws {
        let (log, _, _) = try LogFixture().openLog()
        let value = [UInt8](repeating: 9, count: 5000)
        var stored = [UInt8](repeating: 0, count: value.count)
        let count = try #require(
            value.withUnsafeBytes { source in
                stored.withUnsafeMutableBytes { Compression.compress(source, into: $0) }
            })
        #expect(count < 100)
        log.beginTransaction()
        let location = try stored[0..<count].withUnsafeBytes { stored in
            try [1, 2, 3].withUnsafeBytes { key in
                try log.appendCompressed(
                    kind: .put, keyspace: .default, key: key, storedValue: stored)
            }
        }
        try log.commitTransaction(isDeleteOnly: false)
        let record = try log.reader.verifiedRecord(at: location)
        #expect(record.isCompressed)
        #expect(record.valueByteCount == 5000)
        var target = [UInt8](repeating: 0, count: 5000)
        #expect(target.withUnsafeMutableBytes { Compression.decompress(record.value, into: $0) })
        #expect(target == value)
    }

    @Test("the pread mode verifies each record and sees what is written after the first touch")
    func privateCopies() throws {
        let fixture = LogFixture()
        fixture.options.readMode = .pread
        let (log, _, _) = try fixture.openLog()
        var placed: [TestRecord] = []
        for number in 0..<200 {
            placed += try log.write([put(number)]).records
            let record = placed[Int(fixture.random.next() % UInt64(placed.count))]
            #expect(Array(try log.reader.record(at: record.location).value) == record.value)
        }
        let damaged = placed[10].location
        let path = fixture.path(damaged.segment.rawValue)
        let (reopened, _, _) = try fixture.openLog()
        fixture.disk.corrupt(path, at: damaged.offset + 30)
        #expect(throws: LogError.self) { try reopened.reader.record(at: damaged) }
        #expect(Array(try reopened.reader.record(at: placed[11].location).key) == placed[11].key)
    }

    @Test("locations that can't be are errors, not traps")
    func impossibleLocations() throws {
        let fixture = LogFixture()
        let (log, _, _) = try fixture.openLog()
        let good = try log.write([put(1)]).records[0].location
        _ = try log.reader.record(at: good)
        var random = SeededRandom(scattering: 5)
        var refusedCount = 0
        for _ in 0..<20_000 {
            var raw = random.next()
            if random.chance(70) { raw = raw & 0xffff_ffff | 1 << 32 }
            let location = Location(rawValue: raw)
            if location == good { continue }
            if let record = try? log.reader.record(at: location) {
                _ = record.lsn
                _ = record.key.count + record.value.count
            }
            // A mere hint of another size is the same place.
            if location.offset == good.offset, location.segment == good.segment { continue }
            refusedCount += 1
            #expect(throws: LogError.self) { try log.reader.verifiedRecord(at: location) }
        }
        #expect(refusedCount > 19_000)
    }
}
