import SegmentLog

/// The live bytes that a transaction has appended, summed by segment: a transaction touches few
/// segments, mostly one, so that a record costs an addition.
struct AppendedRecords {
    /// The sums of the segments before the current one. They don't change, so that their number
    /// shows what they were.
    private var finished: [(segment: SegmentNumber, byteCount: Int)] = []
    private var segment = SegmentNumber.none
    private var byteCount = 0

    /// What had been counted at some time.
    struct Mark: BitwiseCopyable {
        fileprivate var finishedCount: Int
        fileprivate var segment: SegmentNumber
        fileprivate var byteCount: Int
    }

    /// The sums, by segment.
    var sums: [(segment: SegmentNumber, byteCount: Int)] {
        byteCount == 0 ? finished : finished + [(segment, byteCount)]
    }

    /// A place that `rollback(to:)` can return to.
    var mark: Mark {
        Mark(finishedCount: finished.count, segment: segment, byteCount: byteCount)
    }

    /// Counts a record.
    @inline(__always)
    mutating func add(_ location: Location, byteCount: Int) {
        if segment != location.segment { begin(location.segment) }
        self.byteCount &+= byteCount
    }

    /// Forgets what was counted after `mark`.
    mutating func rollback(to mark: Mark) {
        finished.removeSubrange(mark.finishedCount...)
        segment = mark.segment
        byteCount = mark.byteCount
    }

    // Appends: a copy of all sums would make a transaction's costs grow with the square of its
    // segments.
    @inline(never)
    private mutating func begin(_ segment: SegmentNumber) {
        if byteCount != 0 { finished.append((self.segment, byteCount)) }
        self.segment = segment
        byteCount = 0
    }
}
