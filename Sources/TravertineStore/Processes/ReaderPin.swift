import SegmentLog

/// What a reader in another process needs of the log: its slot in the file `lock` has it.
struct ReaderPin: Equatable, Sendable {
    /// The LSN of the oldest version that it uses; 0 while it opens, when it needs everything.
    var lsn: UInt64
    /// How far it has read the log; nil if that is not known.
    ///
    /// A place after this LSN is in none of its versions; and when it goes on reading there, and
    /// finds something gone, it begins anew from the newest checkpoint.
    var reach: LSN?

    /// Needs everything.
    static let all = ReaderPin(lsn: 0, reach: nil)

    /// Whether the reader may look for records in a segment that was retired.
    func needs(_ segment: CompactionState.RetiredSegment) -> Bool {
        if lsn >= segment.lsn.rawValue { return false }
        guard lsn > 0, let reach else { return true }
        return segment.firstLSN <= reach
    }
}
