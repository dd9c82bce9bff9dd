import SegmentLog

/// A file that salvage reads.
struct SalvageSource {
    let window: SourceWindow
    /// Whether it lies in the directory of the store.
    let isInDirectory: Bool
    /// The segment number in its name, if it has one.
    let number: SegmentNumber?
    /// Whether most of its bytes are expected to be something else than the log's: a page file, key
    /// hashes, the manifest, the lock.
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
        let others = [
            StoreFiles.lock, StoreFiles.manifest, StoreFiles.newManifest,
            StoreFiles.removedManifest,
        ]
        let magic = Array("TRVPAGES".utf8)
        let isPageFile =
            window.bytes(at: 0, count: magic.count).map {
                UnsafeRawBufferPointer(start: $0, count: magic.count).elementsEqual(magic)
            } ?? false
        holdsOtherBytes =
            !isInDirectory || isPageFile || others.contains(name)
            || StoreFiles.keyHashFileNumber(of: name) != nil
    }
}

/// What the files of a store say beside its log.
struct SalvageEvidence {
    var manifest: Manifest?
    var identity: StoreIdentity? { manifest?.identity }
    /// Nothing up to this LSN may be missing.
    var durableLSN = LSN.zero
}
