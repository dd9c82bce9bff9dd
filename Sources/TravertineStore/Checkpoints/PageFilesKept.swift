/// The page files that a checkpoint goes on to refer to.
struct PageFilesKept {
    var files: [CheckpointDescriptor.PageFileReference]
    /// Whether live pages of other files move to the checkpoint's own.
    var isLeavingFiles: Bool
    /// How many pages of these files its trees refer to.
    var livePageCount = 0
}
