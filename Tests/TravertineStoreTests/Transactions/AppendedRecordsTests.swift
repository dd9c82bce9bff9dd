import SegmentLog
import Testing

@testable import TravertineStore

/// The sums that a transaction keeps of what it appends.
@Suite struct AppendedRecordsTests {
    private func add(_ byteCount: Int, to segment: Int, _ records: inout AppendedRecords) {
        let number = SegmentNumber(rawValue: UInt32(segment))
        records.add(
            Location(segment: number, offset: 128, byteCount: 64), byteCount: byteCount)
    }

    private func sums(_ records: AppendedRecords) -> [[Int]] {
        records.sums.map { [Int($0.segment.rawValue), $0.byteCount] }
    }

    @Test("rolling back to a mark takes back what was added after it, and nothing else")
    func rollingBack() {
        var records = AppendedRecords()
        let start = records.mark
        add(10, to: 1, &records)
        add(20, to: 1, &records)
        let outer = records.mark
        add(30, to: 1, &records)
        add(40, to: 2, &records)
        let inner = records.mark
        add(50, to: 3, &records)
        add(60, to: 4, &records)
        #expect(sums(records) == [[1, 60], [2, 40], [3, 50], [4, 60]])
        records.rollback(to: inner)
        #expect(sums(records) == [[1, 60], [2, 40]])
        add(70, to: 4, &records)
        #expect(sums(records) == [[1, 60], [2, 40], [4, 70]])
        records.rollback(to: outer)
        #expect(sums(records) == [[1, 30]])
        add(80, to: 5, &records)
        add(90, to: 5, &records)
        #expect(sums(records) == [[1, 30], [5, 170]])
        records.rollback(to: start)
        #expect(sums(records).isEmpty)
    }

    // If all sums were copied when a segment begins, this would copy 300 GB.
    @Test(
        "sums of very many segments are those of each, also inside savepoints",
        arguments: [false, true])
    func manySegments(inSavepoints: Bool) {
        let count = 200_000
        var records = AppendedRecords()
        for segment in 1...count {
            let mark = inSavepoints ? records.mark : nil
            add(segment, to: segment, &records)
            if let mark, segment % 2 == 0 { records.rollback(to: mark) }
        }
        let sums = records.sums
        #expect(sums.count == (inSavepoints ? count / 2 : count))
        #expect(sums.allSatisfy { $0.byteCount == Int($0.segment.rawValue) })
    }
}
