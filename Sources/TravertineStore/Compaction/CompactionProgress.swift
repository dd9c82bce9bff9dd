/// How far a full pass of compaction has come.
public struct CompactionProgress: Sendable {
    /// Bytes of the segments that are done, with what was done so far of those in work.
    public var byteCount: UInt64
    /// Bytes of all segments that the pass takes.
    public var totalByteCount: UInt64
}
