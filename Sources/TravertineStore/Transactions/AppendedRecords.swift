import SegmentLog

/// The live bytes that a transaction has appended, summed by segment: a transaction touches few
/// segments, mostly one, so that a record costs an addition.
struct AppendedRecords {
    private var finished: [(segment: SegmentNumber, byteCount: Int)] = []
    private var segment = SegmentNumber.none
    private var byteCount = 0

    /// The sums, by segment.
    var sums: [(segment: SegmentNumber, byteCount: Int)] {
        byteCount == 0 ? finished : finished + [(segment, byteCount)]
    }

    /// Counts a record.
    @inline(__always)
    mutating func add(_ location: Location, byteCount: Int) {
        if segment != location.segment { begin(location.segment) }
        self.byteCount &+= byteCount
    }

    @inline(never)
    private mutating func begin(_ segment: SegmentNumber) {
        finished = sums
        self.segment = segment
        byteCount = 0
    }
}
