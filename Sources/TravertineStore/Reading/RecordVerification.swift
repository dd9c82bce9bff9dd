/// When the checksum of a record is verified that is read in place.
public enum RecordVerification: UInt8, BitwiseCopyable, Sendable, Hashable, CaseIterable {
    /// Never: a damaged record reads as whatever its bytes say.
    case none
    /// The first time that it is read since its segment was mapped, which is when it was first
    /// needed after the store was opened: later damage on the disk is not noticed.
    case onFirstRead
    /// Each time.
    case always
}
