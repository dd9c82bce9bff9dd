import SegmentLog
import SimulatedDisk
import TestSupport
import Testing

@Suite("Damage")
struct DamageTests {
    /// A small log that has a bit of everything, closed.
    private func makeFiles() throws -> (
        files: [String: [UInt8]], transactions: [Replay.Transaction], cleanEnd: LogPosition,
        lastLSN: LSN
    ) {
        let fixture = LogFixture(segmentByteCount: 4096, fileCapacity: 8 << 10)
        fixture.options.maximumBufferedByteCount = 400
        let (log, _, _) = try fixture.openLog()
        try log.write([put(1), delete(2)])
        log.beginTransaction()
        for number in 0..<4 { try log.append(put(number)) }
        let mark = log.mark()
        for number in 0..<6 { try log.append(put(number)) }
        try log.rollback(to: mark)
        try log.append(put(9))
        try log.commitTransaction(isDeleteOnly: false)
        try log.write([put(3, byteCount: 300)])
        log.seal()
        try log.write([put(4)])
        try log.waitUntilDurable(log.writtenLSN)
        let end = log.tail
        let lsn = log.writtenLSN
        try log.close(punchingTail: true)
        var files: [String: [UInt8]] = [:]
        for path in fixture.disk.paths { files[path] = fixture.disk.contents(of: path) }
        return (files, try fixture.openLog().replay.transactions, end, lsn)
    }

    private func fixture(_ files: [String: [UInt8]]) -> LogFixture {
        let fixture = LogFixture(segmentByteCount: 4096, fileCapacity: 8 << 10)
        try? fixture.disk.start().createDirectory(LogFixture.directory)
        for (path, bytes) in files { fixture.disk.setContents(of: path, bytes) }
        return fixture
    }

    @Test("any single damaged byte is found or harmless, and no record ever reads wrong")
    func everyByte() throws {
        let (files, transactions, cleanEnd, lastLSN) = try makeFiles()
        #expect(files.count == 2)
        #expect(transactions.count == 4)
        for (path, bytes) in files {
            let used = try #require(bytes.lastIndex { $0 != 0 }) + 16
            for offset in 0..<min(used, bytes.count) {
                var damaged = files
                damaged[path]?[offset] ^= [0xff, 0x01, 0x80, 0x10][offset % 4]
                let fixture = fixture(damaged)
                do {
                    let (log, replay, _) = try fixture.openLog(
                        durableEvidence: lastLSN, cleanEnd: cleanEnd)
                    // Padding and the like: nothing that counts was touched.
                    #expect(replay.transactions == transactions, "\(path) \(offset)")
                    for record in transactions.flatMap(\.records) {
                        let found = try log.reader.verifiedRecord(at: record.location)
                        #expect(Array(found.value) == record.value)
                    }
                } catch LogError.damaged(let damage) {
                    #expect(damage.file.hasSuffix(".segment"))
                } catch LogError.wrongStore, LogError.newerFormat {
                    Issue.record("the checksum comes before the identity: \(path) \(offset)")
                }
            }
        }
    }

    @Test("without evidence, any single damaged byte leaves a first part of the log")
    func everyByteWithoutEvidence() throws {
        let (files, transactions, _, _) = try makeFiles()
        for (path, bytes) in files {
            let used = try #require(bytes.lastIndex { $0 != 0 }) + 1
            for offset in stride(from: 0, to: used, by: 3) {
                var damaged = files
                damaged[path]?[offset] ^= 0x44
                let fixture = fixture(damaged)
                do {
                    let (_, replay, _) = try fixture.openLog()
                    #expect(replay.transactions.count <= transactions.count)
                    #expect(
                        replay.transactions
                            == Array(transactions.prefix(replay.transactions.count)))
                } catch is LogError {
                    // A later batch says that what is damaged was durable.
                }
            }
        }
    }

    @Test("a truncated file is found, whatever is missing")
    func truncation() throws {
        let (files, transactions, cleanEnd, lastLSN) = try makeFiles()
        for (path, bytes) in files {
            for count in stride(from: 0, to: bytes.count, by: 97) {
                var damaged = files
                damaged[path] = Array(bytes[0..<count])
                let fixture = fixture(damaged)
                do {
                    let opened = try fixture.openLog(
                        durableEvidence: lastLSN, cleanEnd: cleanEnd)
                    #expect(opened.replay.transactions == transactions)
                } catch is LogError {
                    // Found.
                }
            }
        }
    }

    @Test("random garbage in place of a segment never traps")
    func garbage() throws {
        let (files, transactions, _, _) = try makeFiles()
        var random = SeededRandom(scattering: 12)
        for _ in 0..<300 {
            var damaged = files
            for path in files.keys {
                let count = 1 + random.below(60)
                for _ in 0..<count {
                    let offset = random.below(2600)
                    // Mostly lengths: small numbers, and all ones.
                    let byte: UInt8 =
                        random.chance(30)
                        ? 0xff : UInt8(truncatingIfNeeded: random.next())
                    damaged[path]?[offset] = byte
                }
            }
            let fixture = fixture(damaged)
            // What says that a batch is missing may be gone; then the log is one that ends before.
            if let opened = try? fixture.openLog() {
                #expect(transactions.starts(with: opened.replay.transactions, by: ==))
            }
            let environment = fixture.environment(fixture.disk.start())
            for number in [1, 2].map({ SegmentNumber(rawValue: $0) }) {
                _ = try SegmentLog.verifyHeader(
                    of: number, in: LogFixture.directory, identity: LogFixture.identity,
                    environment: environment)
                _ = try SegmentLog.verifyBatches(
                    of: number, in: LogFixture.directory, after: nil, environment: environment)
            }
        }
    }

    @Test("verifying a segment counts what is good and names what is not")
    func verification() throws {
        let (files, transactions, _, _) = try makeFiles()
        let fixture = fixture(files)
        func verify(
            behind verified: (offset: Int, next: LSN)? = nil
        ) throws -> SegmentVerification {
            try SegmentLog.verifyBatches(
                of: SegmentNumber(rawValue: 1), in: LogFixture.directory, after: verified,
                environment: fixture.environment(fixture.disk.start()))
        }
        let good = try verify()
        #expect(good.damage.isEmpty)
        let place = transactions[1].records[0].location.offset
        fixture.disk.corrupt(fixture.path(1), at: place + 22)
        let bad = try verify()
        #expect(bad.damage.count == 1)
        #expect(bad.damage[0].offset == UInt64(place - 64))
        #expect(bad.damage[0].lsn == LSN(rawValue: 2))
        #expect(bad.batchCount == good.batchCount - 1)
        let rest = try verify(behind: (place - 64, LSN(rawValue: 2)))
        #expect(rest.damage == bad.damage)
        #expect(rest.batchCount == bad.batchCount - 1)
    }
}
