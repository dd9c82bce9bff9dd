/// Which segments this log may write to: files that a backup or a copy shares are left as they are
/// (B6).
extension SegmentLog {
    /// Whether the log may append to a segment, or punch it (4.7).
    ///
    /// Not if it was written under another lineage: then this directory is a copy, and the file may
    /// be the one of the original, by a hard link. Not if the file has another name: then a backup,
    /// or another copy, holds it. Reading and removing are always allowed.
    func mayChange(_ header: SegmentHeader) throws(FileSystemError) -> Bool {
        guard header.identity.lineage == identity.lineage else { return false }
        let file = try environment.fileSystem.open(path(of: header.number), .readOnly)
        defer { file.close() }
        return try file.linkCount() <= 1
    }
}
