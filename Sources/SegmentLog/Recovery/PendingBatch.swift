/// A verified batch of a transaction whose end is not seen yet.
struct PendingBatch {
    var number: SegmentNumber
    var offset: Int
    var header: BatchHeader
    var hasRollback: Bool
}
