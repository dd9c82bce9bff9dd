import SimulatedDisk
import Testing

@testable import SegmentLog

@Suite("Segment numbers")
struct SegmentNumberTests {
    @Test("names stand for numbers that a location has room for, and for no others")
    func names() {
        #expect(SegmentNumber(fileName: "2147483647.segment") == .maximum)
        let others = [
            "0000000000.segment", "2147483648.segment", "4294967295.segment",
            "9999999999.segment", "000000001.segment", "000000000a.segment",
        ]
        for name in others { #expect(SegmentNumber(fileName: name) == nil, "\(name)") }
        let location = Location(segment: .maximum, offset: 1 << 20, byteCount: 64)
        #expect(location.segment == .maximum && !location.isCompressed)
    }

    @Test("a header with a number that no location has room for is damage")
    func header() {
        let bytes = UnsafeMutableRawBufferPointer.allocate(
            byteCount: SegmentHeader.byteCount, alignment: 8)
        defer { bytes.deallocate() }
        func decoded(_ number: UInt32, behind predecessor: UInt32) -> SegmentHeader.Decoded {
            var last = SegmentHeader.Predecessor.none
            last.number = SegmentNumber(rawValue: predecessor)
            SegmentHeader(
                identity: LogFixture.identity, number: SegmentNumber(rawValue: number), salt: 1,
                firstLSN: LSN(rawValue: 1), predecessor: last, segmentByteCount: 4096,
                durableLSN: .zero
            ).encode(into: bytes)
            return SegmentHeader.decode(UnsafeRawBufferPointer(bytes))
        }
        func isDamaged(_ found: SegmentHeader.Decoded) -> Bool {
            if case .damaged = found { return true }
            return false
        }
        #expect(!isDamaged(decoded(0x7fff_ffff, behind: 0x7fff_fffe)))
        #expect(isDamaged(decoded(0x8000_0000, behind: 1)))
        #expect(isDamaged(decoded(0, behind: 0)))
        #expect(isDamaged(decoded(7, behind: 7)))
    }

    @Test("a file with a greater number is ignored, and numbers go on from the others")
    func stray() throws {
        let fixture = LogFixture()
        var (log, _, _) = try fixture.openLog()
        try log.waitUntilDurable(try log.write([put(1)]).lsn)
        let stray = LogFixture.directory + "/4294967295.segment"
        fixture.disk.setContents(of: stray, [1, 2, 3])
        (log, _, _) = try fixture.openLog()
        try log.waitUntilDurable(try log.write([put(2)]).lsn)
        #expect(log.tail.segment.rawValue < 10)
        #expect(fixture.disk.contents(of: stray) == [1, 2, 3])
        #expect(try fixture.openLog().replay.transactions.count == 2)
    }

    @Test("a log that has used up its numbers reports it, and is read")
    func usedUp() throws {
        let fixture = LogFixture()
        var (log, _, _) = try fixture.openLog()
        try log.waitUntilDurable(try log.write([put(1)]).lsn)
        fixture.disk.setContents(of: fixture.path(0x7fff_ffff), [0])
        (log, _, _) = try fixture.openLog()
        for _ in 0..<3 {
            #expect(throws: LogError.outOfSegmentNumbers) { try log.write([put(2)]) }
        }
        #expect(try fixture.openLog().replay.transactions.count == 1)
    }

    @Test("what a full disk refuses uses up no number")
    func fullDisk() throws {
        let fixture = LogFixture()
        let (log, _, _) = try fixture.openLog()
        fixture.disk.setQuota(byteCount: 0)
        for _ in 0..<10 { #expect(throws: LogError.self) { try log.write([put(1)]) } }
        fixture.disk.setQuota(byteCount: .max)
        try log.write([put(1)])
        #expect(log.tail.segment.rawValue == 1)
    }
}
