import SegmentLog

extension SalvageReplay {
    /// What became known on the way.
    struct Outcome {
        var gaps: [SalvageReport.Gap] = []
        var lastLSN = LSN.zero
        var partialTransactionCount = 0
        var deadTransactionCount = 0
        var voidBatchCount = 0
        var unreadableRunCount = 0
        /// Versions that were newer than what was known of their keys.
        var takenVersionCount = 0
        /// The first LSN of the first transaction that is not whole.
        var firstPartialLSN: LSN?
        /// The first LSN of the transaction at the end that is not whole, where it is not known
        /// whether the log went on.
        var openTailLSN: LSN?
        /// Whether nothing can be missing after `lastLSN`.
        var isEndKnown = true
        var retiredNumbers: Set<SegmentNumber> = []
        var retiredRanges: [ClosedRange<UInt64>] = []
        /// Where the newest record lies that retires a segment.
        var lastRetirementLSN = LSN.zero
    }
}
