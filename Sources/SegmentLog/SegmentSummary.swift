/// What the log knows of one of its segments.
package struct SegmentSummary: Hashable, Sendable {
    package var number: SegmentNumber
    /// The size that the segment was created with.
    package var byteCount: UInt64
    /// Where its last batch ends.
    package var endOffset: UInt64
    package var firstLSN: LSN
    /// The LSN of its last batch; before `firstLSN` when it has none.
    package var lastLSN: LSN
    package var salt: UInt64
    /// What its header says of the segment before it.
    package var predecessor: SegmentHeader.Predecessor

    package init(
        number: SegmentNumber, byteCount: UInt64, endOffset: UInt64, firstLSN: LSN, lastLSN: LSN,
        salt: UInt64, predecessor: SegmentHeader.Predecessor
    ) {
        self.number = number
        self.byteCount = byteCount
        self.endOffset = endOffset
        self.firstLSN = firstLSN
        self.lastLSN = lastLSN
        self.salt = salt
        self.predecessor = predecessor
    }
}
