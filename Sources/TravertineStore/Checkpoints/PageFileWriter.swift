import OrderedIndex
import SegmentLog

/// Writes one page file: pages, descriptor, then the header that vouches for both.
final class PageFileWriter {
    private let path: String
    private let directory: String
    private let number: UInt32
    private let seed: UInt64
    private let identity: StoreIdentity
    private let fileSystem: FileSystem
    /// Whether a sync was tried: an error after that may be a failed one.
    private(set) var isSyncing = false

    init(
        directory: String, number: UInt32, seed: UInt64, identity: StoreIdentity,
        fileSystem: FileSystem
    ) {
        path = directory + "/" + StoreFiles.pageFile(number)
        self.directory = directory
        self.number = number
        self.seed = seed
        self.identity = identity
        self.fileSystem = fileSystem
    }

    /// Writes and syncs the file and its directory entry; a partial file is removed.
    ///
    /// Only what no page of `kept` says is written. The image's pin goes when all pages are out.
    func write(
        _ image: CheckpointImage, of index: Index, keeping kept: PageFilesKept
    ) throws(StoreError) -> WrittenCheckpoint {
        do {
            let file = try fileSystem.open(path, .createNew)
            defer { file.close() }
            return try write(image, of: index, keeping: kept, to: file)
        } catch {
            // The file is an orphan now. After a failed sync nothing is removed (C2).
            if !isSyncing { remove() }
            throw StoreError(anyError: error)
        }
    }

    /// Removes the file; if that fails it is an orphan, which the next opening removes.
    func remove() {
        _ = capture { () throws(FileSystemError) in try fileSystem.remove(path) }
    }

    /// Whether the bytes are those that opening takes for this checkpoint (C1).
    private func canBeRead(_ header: PageFileHeader, _ descriptor: [UInt8]) -> Bool {
        let decoded = header.encoded.withUnsafeBytes {
            PageFileHeader.decode($0, identity: identity, number: number)
        }
        guard case .success(header) = decoded else { return false }
        return descriptor.withUnsafeBytes { CheckpointDescriptor(decoding: $0) != nil }
    }

    private func write(
        _ image: CheckpointImage, of index: Index, keeping kept: PageFilesKept, to file: File
    ) throws -> WrittenCheckpoint {
        var offset = UInt64(PageFileHeader.byteCount)
        let pages = try index.writePages(
            of: image.root, file: number, seed: seed, keepingPagesOf: Set(kept.files.map(\.number)),
            isLeavingFiles: kept.isLeavingFiles, notesPages: true
        ) { run in
            try file.write(run, at: offset)
            // Evenly, and not all at the sync, after which syncs of the log would wait.
            file.beginWriteback(from: offset, byteCount: UInt64(run.count))
            offset += UInt64(run.count)
        }
        image.releasePin()
        let own = CheckpointDescriptor.PageFileReference(
            number: number, pageCount: pages.pageCount, seed: seed)
        let descriptor = CheckpointDescriptor(
            lsn: image.lsn, version: image.version, replayStart: image.end, trees: pages.trees,
            usage: image.usage, pageFiles: kept.files + [own]
        ).encoded
        let header = PageFileHeader(
            identity: identity, number: number, pageCount: pages.pageCount, seed: seed,
            lsn: image.lsn, descriptorByteCount: descriptor.count,
            descriptorCRC: checksum(of: descriptor))
        precondition(header.descriptorOffset == offset, "the index emitted another page count")
        assert(canBeRead(header, descriptor), "the checkpoint could not be read again")
        try descriptor.withUnsafeBytes { try file.write($0, at: offset) }
        try header.encoded.withUnsafeBytes { try file.write($0, at: 0) }
        // Before the sync: without a descriptor to spare nothing has failed that matters later.
        let entries = try fileSystem.openDirectory(directory)
        defer { entries.close() }
        isSyncing = true
        try file.sync()
        try entries.sync()
        return WrittenCheckpoint(
            entry: Manifest.CheckpointEntry(
                file: number, lsn: image.lsn, seed: seed, descriptorCRC: header.descriptorCRC),
            version: image.version, byteCount: Int(header.fileByteCount),
            files: kept.files + [own],
            livePageCount: kept.livePageCount + Int(pages.pageCount), moved: pages.moved)
    }
}
