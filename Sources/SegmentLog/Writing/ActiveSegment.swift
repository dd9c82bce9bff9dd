/// The segment that batches are appended to.
struct ActiveSegment {
    var header: SegmentHeader
    var file: File
    /// The offset of the next batch.
    var tail: Int
    /// Up to here the file holds written bytes: data, or zeros ahead of it.
    var zeroedEnd: Int
    /// What the batches say that are sealed under this opening of the file; 0 if none is (X2).
    var activation: UInt64

    var byteCount: Int { Int(header.segmentByteCount) }
}

/// A segment and the place in it where appending may go on.
struct ActiveSegmentPlace {
    var header: SegmentHeader
    var tail: Int
}
