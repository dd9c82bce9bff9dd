import SegmentLog

/// The live bytes that a transaction has appended, summed by segment: a transaction touches few
/// segments, mostly one, so that a record costs an addition.
struct AppendedRecords {
    private(set) var sums: [(segment: SegmentNumber, byteCount: Int)] = []

    /// Counts a record.
    mutating func add(_ location: Location, byteCount: Int) {
        if sums.last?.segment != location.segment { sums.append((location.segment, 0)) }
        sums[sums.count - 1].byteCount += byteCount
    }
}
