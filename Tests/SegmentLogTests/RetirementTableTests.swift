import SimulatedDisk
import TestSupport
import Testing

@testable import SegmentLog

/// The table of retired segments, as a set of stretches of the chain.
@Suite struct RetirementTableTests {
    /// A chain of segments numbered with gaps, each with a few batches; some hold none.
    private func chain(_ count: Int, seed: UInt64) -> [SegmentSummary] {
        let random = SharedRandom(SeededRandom(scattering: seed))
        var number = UInt32(0)
        var lsn = UInt64(0)
        var previous = SegmentHeader.Predecessor.none
        return (0..<count).map { _ in
            number += UInt32(random.next() % 3) + 1
            let batches = random.next() % 4
            let summary = SegmentSummary(
                number: SegmentNumber(rawValue: number), byteCount: 4096, endOffset: 1000 + lsn,
                firstLSN: LSN(rawValue: lsn + 1), lastLSN: LSN(rawValue: lsn + batches),
                salt: 1, predecessor: previous)
            lsn += batches
            previous = SegmentHeader.Predecessor(
                number: summary.number, salt: 1, endOffset: summary.endOffset,
                lastLSN: summary.lastLSN)
            return summary
        }
    }

    private func decoded(_ table: RetirementTable) -> RetirementTable? {
        table.encoded.withUnsafeBytes { RetirementTable(decoding: $0) }
    }

    @Test("segments retired in any order make the same stretches, and survive encoding")
    func anyOrder() throws {
        let seed = UInt64.random(in: 0..<1 << 32)
        let random = SharedRandom(SeededRandom(scattering: seed))
        for round in 0..<50 {
            let segments = chain(20, seed: seed &+ UInt64(round))
            let retired = segments.filter { _ in random.next() % 2 == 0 }
            var table = RetirementTable()
            for segment in retired { table.add(segment, .init()) }
            var shuffled = RetirementTable()
            let order = retired.map { ($0, random.next()) }.sorted { $0.1 < $1.1 }
            for (segment, _) in order { shuffled.add(segment, .init()) }
            #expect(table == shuffled, "seed \(seed)")
            #expect(decoded(table) == table, "seed \(seed)")
            for (place, segment) in segments.enumerated() {
                let isRetired = retired.contains(segment)
                #expect(table.contains(segment.number) == isRetired, "seed \(seed)")
                guard place + 1 < segments.count, !isRetired else { continue }
                let next = segments[place + 1]
                let stretch = table.stretch(after: segment.number)
                #expect((stretch != nil) == retired.contains(next), "seed \(seed)")
                if let stretch {
                    #expect(stretch.firstLSN == next.firstLSN, "seed \(seed)")
                    #expect(stretch.predecessorEnd == segment.endOffset, "seed \(seed)")
                }
            }
        }
    }

    @Test("what became of a transaction goes through neighbouring segments to where it ended")
    func continuations() {
        let segments = chain(4, seed: 3)
        func continuation(
            _ outcome: RetirementTable.Continuation.Outcome, _ void: UInt64?
        ) -> RetirementTable.Continuation {
            var made = RetirementTable.Continuation()
            made.outcome = outcome
            made.voidFrom = void.map { TransactionPlace(lsn: LSN(rawValue: $0), offset: 64) }
            return made
        }
        let told = [
            continuation(.open, 9), continuation(.open, 7), continuation(.committed, 8),
            continuation(.open, 1),
        ]
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2], [2, 0, 3, 1]] {
            var table = RetirementTable()
            for place in order { table.add(segments[place], told[place]) }
            #expect(table.stretches.count == 1)
            #expect(table.stretches.first?.continuation == continuation(.committed, 7), "\(order)")
        }
    }

    @Test("bytes that are no table are refused")
    func badBytes() {
        var table = RetirementTable()
        for segment in chain(9, seed: 5) where segment.number.rawValue % 2 == 0 {
            table.add(segment, .init())
        }
        let bytes = table.encoded
        func decode(_ bytes: [UInt8]) -> RetirementTable? {
            bytes.withUnsafeBytes { RetirementTable(decoding: $0) }
        }
        #expect(decode(Array(bytes.dropLast())) == nil)
        #expect(decode(bytes + bytes) == nil, "stretches must ascend")
        var zeroNumber = bytes
        zeroNumber.replaceSubrange(0..<4, with: [0, 0, 0, 0])
        #expect(decode(zeroNumber) == nil)
        var outcome = bytes
        outcome[32] = 9
        #expect(decode(outcome) == nil)
    }

    // The fuzzer of tables found one whose stretches went back in LSNs: the search for the stretch
    // that holds an LSN halves them, and found none.
    @Test("a table whose stretches do not ascend by LSN is none")
    func descendingLSNs() throws {
        var table = RetirementTable()
        for (number, lsn) in [(UInt32(2), UInt64(50)), (9, 10)] {
            table.add(
                SegmentSummary(
                    number: SegmentNumber(rawValue: number), byteCount: 4096, endOffset: 1000,
                    firstLSN: LSN(rawValue: lsn), lastLSN: LSN(rawValue: lsn + 5), salt: 1,
                    predecessor: SegmentHeader.Predecessor(
                        number: SegmentNumber(rawValue: number - 1), salt: 1, endOffset: 1000,
                        lastLSN: LSN(rawValue: lsn - 1))), RetirementTable.Continuation())
        }
        #expect(table.stretches.count == 2)
        #expect(decoded(table) == nil)
    }
}
