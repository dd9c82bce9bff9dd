import SegmentLog
import TravertineStore

/// A file that salvage reads.
struct SalvageSource {
    let window: SourceWindow
    /// Whether it lies in the directory of the store.
    let isInDirectory: Bool
    /// The segment number in its name, if it has one.
    let number: SegmentNumber?
    /// Whether most of its bytes are expected to be something else than the log's: a page file, key
    /// hashes, the manifest, the lock and other small files of stores and backups.
    let holdsOtherBytes: Bool
    var fragments = LogFragments()

    var path: String { window.path }

    init(
        path: String, isInDirectory: Bool, fileSystem: FileSystem
    ) throws(FileSystemError) {
        window = try SourceWindow(path: path, fileSystem: fileSystem)
        self.isInDirectory = isInDirectory
        let name = path.split(separator: "/").last.map(String.init) ?? path
        number = isInDirectory ? SegmentNumber(fileName: name) : nil
        let others = StoreFiles.others + BackupTarget.fileNames
        let magics = ["TRVPAGES", "TRVMANIF", "TRVBACKP", "TRVKEYHS"]
        let hasOtherMagic =
            window.bytes(at: 0, count: 8).map { head in
                magics.contains {
                    UnsafeRawBufferPointer(start: head, count: 8).elementsEqual($0.utf8)
                }
            } ?? false
        holdsOtherBytes =
            !isInDirectory || hasOtherMagic || others.contains(name)
            || StoreFiles.keyHashFileNumber(of: name) != nil || StoreFiles.feedName(of: name) != nil
    }
}
