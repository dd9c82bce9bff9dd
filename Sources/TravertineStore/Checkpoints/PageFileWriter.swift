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
    /// The length of the file once it is written.
    private(set) var byteCount = 0

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

    /// Writes and syncs the file and its directory entry; a partial file is removed on failure.
    func write(
        _ root: UnsafePointer<RootHeader>, lsn: LSN, of index: Index, usage: SegmentUsage,
        replayStart: LogPosition?
    ) throws(StoreError) -> Manifest.CheckpointEntry {
        do {
            let file = try fileSystem.open(path, .createNew)
            defer { file.close() }
            return try write(
                root, lsn: lsn, of: index, usage: usage, replayStart: replayStart, to: file)
        } catch {
            // The file is an orphan now; if it can't be removed, the next opening removes it.
            _ = capture { () throws(FileSystemError) in try fileSystem.remove(path) }
            throw StoreError(anyError: error)
        }
    }

    private func write(
        _ root: UnsafePointer<RootHeader>, lsn: LSN, of index: Index, usage: SegmentUsage,
        replayStart: LogPosition?, to file: File
    ) throws -> Manifest.CheckpointEntry {
        var offset = UInt64(PageFileHeader.byteCount)
        let pages = try index.writePages(of: root, file: number, seed: seed, keepingPagesOf: []) {
            run in
            try file.write(run, at: offset)
            offset += UInt64(run.count)
        }
        let descriptor = CheckpointDescriptor(
            lsn: lsn, version: root.pointee.version, replayStart: replayStart, trees: pages.trees,
            usage: usage,
            pageFiles: [.init(number: number, pageCount: pages.pageCount, seed: seed)]
        ).encoded
        let header = PageFileHeader(
            identity: identity, number: number, pageCount: pages.pageCount, seed: seed, lsn: lsn,
            descriptorByteCount: descriptor.count, descriptorCRC: checksum(of: descriptor))
        precondition(header.descriptorOffset == offset, "the index emitted another page count")
        try descriptor.withUnsafeBytes { try file.write($0, at: offset) }
        try header.encoded.withUnsafeBytes { try file.write($0, at: 0) }
        try file.sync()
        try fileSystem.syncDirectory(directory)
        byteCount = Int(header.fileByteCount)
        return Manifest.CheckpointEntry(
            file: number, lsn: lsn, seed: seed, descriptorCRC: header.descriptorCRC)
    }
}
