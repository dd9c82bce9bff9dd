/// What a pass of compaction did.
public struct CompactionReport: Sendable, Codable, Equatable {
    /// Segments whose live records were copied, or that held none.
    public var segmentCount = 0
    /// Bytes that these segments took on the disk.
    public var byteCount = 0
    /// Records that were copied.
    public var movedRecordCount = 0
    /// Bytes of these records, uncompressed.
    public var movedByteCount = 0
    /// Bytes of log that the copies take: less, where keyspaces are `.cold`.
    public var writtenByteCount = 0
    /// Tombstones that were not needed any more.
    public var droppedTombstoneCount = 0
    /// Segments whose files were removed, those that earlier passes retired too; others wait for a
    /// snapshot that can see them, or for the next checkpoint.
    public var removedSegmentCount = 0
    /// Segments that were left because they could not be read, with the reason.
    public var unreadableSegments: [String] = []
    /// How long it took, in nanoseconds.
    public var durationNanoseconds: UInt64 = 0
    /// Whether the caller of `Store.compact` ended it before it was done.
    public var isCancelled = false

    /// A pass that did nothing.
    public init() {}

    /// Adds another pass.
    mutating func add(_ other: CompactionReport) {
        segmentCount += other.segmentCount
        byteCount += other.byteCount
        movedRecordCount += other.movedRecordCount
        movedByteCount += other.movedByteCount
        writtenByteCount += other.writtenByteCount
        droppedTombstoneCount += other.droppedTombstoneCount
        removedSegmentCount += other.removedSegmentCount
        unreadableSegments += other.unreadableSegments
        durationNanoseconds += other.durationNanoseconds
        isCancelled = isCancelled || other.isCancelled
    }
}
