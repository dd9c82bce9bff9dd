import SegmentLog

/// What is known of the end of a log.
struct LogEnd {
    /// Nothing up to this LSN may be missing.
    var durableLSN = LSN.zero
    /// Whether a manifest was found: then what comes after is what a crash leaves there.
    var isKnown = true
    /// Where the manifest says that the log ended when the store was closed; nil if it was not.
    var cleanLSN: LSN?

    /// Whether nothing can be missing after the last LSN that was found. A log that goes on after
    /// a clean end has a newer manifest, which was not found.
    func isKnown(after last: LSN) -> Bool {
        isKnown && cleanLSN.map { last <= $0 } ?? true
    }
}
