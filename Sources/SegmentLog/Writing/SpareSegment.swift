/// An allocated segment file that was never written.
struct SpareSegment {
    var number: SegmentNumber
    var byteCount: Int
}
