import SegmentLog

/// A page file that was written as a checkpoint.
struct WrittenCheckpoint {
    var entry: Manifest.CheckpointEntry
    /// The version of its root.
    var version: UInt64
    /// The length of its file.
    var byteCount: Int
    /// All files that its trees refer to, its own last.
    var files: [CheckpointDescriptor.PageFileReference]
    /// The pages that its trees have.
    var livePageCount: Int
    /// Pages of files that it does not refer to any more, and the pages that say the same now.
    var moved: [UInt64: UInt64]
}
