import SegmentLog

/// Which part of the log feeds keep from compaction: what comes after the oldest position that was
/// acknowledged, or after what followed that and showed nothing (Y9), as long as it is within the
/// bounds of its feed (Y3).
struct LogKept {
    /// Segments with a later batch are kept; nil for none.
    private(set) var lsn: LSN?

    /// - Parameters:
    ///   - feeds: what is remembered of the feeds.
    ///   - segments: those of the log.
    ///   - now: seconds since 1970.
    init(by feeds: [FeedRecord], _ segments: [SegmentSummary], now: UInt64) {
        // One that has not begun gets a snapshot, whatever is kept.
        for feed in feeds
        where feed.hasBegun && Self.isWithinBounds(feed, segments, now: now) {
            lsn = min(lsn ?? feed.keptLSN, feed.keptLSN)
        }
    }

    /// Whether a segment must not be retired.
    func contains(_ segment: SegmentSummary) -> Bool { lsn.map { segment.lastLSN > $0 } ?? false }

    /// Whether a feed keeps what it has not acknowledged.
    static func isWithinBounds(
        _ feed: FeedRecord, _ segments: [SegmentSummary], now: UInt64
    ) -> Bool {
        feed.isUsed(at: now)
            && UInt64(byteCount(after: feed, segments)) <= feed.maximumByteCount
    }

    /// Bytes of log after what a feed has acknowledged, up to the newest segment, which compaction
    /// leaves alone anyway. Where in a segment a later batch is (Y9) is not known: all of
    /// that segment counts.
    static func byteCount(after feed: FeedRecord, _ segments: [SegmentSummary]) -> Int {
        if !feed.hasBegun { return 0 }
        let place = feed.passed == nil ? feed.place : nil
        let newest = segments.map(\.number).max()
        return segments.reduce(0) { sum, segment in
            guard segment.lastLSN > feed.keptLSN, segment.number != newest else { return sum }
            let start = segment.number == place?.segment ? UInt64(place?.offset ?? 0) : 0
            return sum + Int(clamping: segment.endOffset - min(start, segment.endOffset))
        }
    }
}

extension FeedRecord {
    /// Whether it was read or acknowledged within its maximum age.
    func isUsed(at now: UInt64) -> Bool {
        // A clock that was put back says nothing.
        now <= lastUse || now - lastUse <= maximumSeconds
    }
}
