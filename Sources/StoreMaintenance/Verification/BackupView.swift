import SegmentLog
import TravertineStore

/// A backup seen as the directory of a store that is closed: what the files were that the backup
/// lists, and nothing else.
///
/// The manifest is the one in the backup's list; segments end where they ended. Locks are not
/// taken, and whatever would change the directory fails: a reader of a backup through this leaves
/// it as it is.
final class BackupView: FileSystem, @unchecked Sendable {
    private let base: FileSystem
    private let directory: String
    private let list: BackupManifest
    private let byteCounts: [String: UInt64]
    /// Whether this process has the directory locked, because it builds a store there.
    private let isBeingBuilt: Bool

    init(
        of list: BackupManifest, in directory: String, fileSystem: FileSystem,
        isBeingBuilt: Bool = false
    ) {
        base = fileSystem
        self.isBeingBuilt = isBeingBuilt
        self.directory = directory
        self.list = list
        byteCounts = Dictionary(
            list.files.map { (directory + "/" + $0.name, $0.byteCount) },
            uniquingKeysWith: { first, _ in first })
        super.init()
    }

    private var manifestPath: String { directory + "/" + StoreFiles.manifest }

    override var segmentAlgorithm: UInt32? { base.segmentAlgorithm }

    override func open(_ path: String, _ mode: OpenMode) throws(FileSystemError) -> File {
        guard mode == .readOnly else { throw readOnly("open", path) }
        if path == manifestPath { return BytesFile(path: path, list.manifest.encoded) }
        guard let byteCount = byteCounts[path] else {
            throw FileSystemError(operation: "open", path: path, code: 2)
        }
        return BackupViewFile(try base.open(path, mode), byteCountMax: byteCount)
    }

    override func exists(_ path: String) -> Bool {
        if path == manifestPath || path == directory { return true }
        return byteCounts[path] != nil && base.exists(path)
    }

    override func list(_ directory: String) throws(FileSystemError) -> [String] {
        let names = Set(list.files.map(\.name))
        return try [StoreFiles.manifest] + base.list(directory).filter { names.contains($0) }
    }

    override func identity(of path: String) throws(FileSystemError) -> FileIdentity {
        var identity = try base.identity(of: path)
        // The lock of the verification is not that of the directory, which is held.
        if isBeingBuilt, path == directory { identity.device ^= 1 << 63 }
        return identity
    }

    override func freeBytes(at path: String) throws(FileSystemError) -> UInt64 { 0 }

    override func lock(_ path: String) throws(FileSystemError) -> FileLock { NoLock() }

    // MARK: What is refused

    private func readOnly(_ operation: String, _ path: String) -> FileSystemError {
        FileSystemError(
            operation: operation, path: path, code: 30,
            message: "A backup is read only, but \(operation) was tried.")
    }

    override func createDirectory(_ path: String) throws(FileSystemError) {
        throw readOnly("createDirectory", path)
    }

    override func rename(from source: String, to target: String) throws(FileSystemError) {
        throw readOnly("rename", source)
    }

    override func remove(_ path: String) throws(FileSystemError) {
        throw readOnly("remove", path)
    }

    override func removeDirectory(_ path: String) throws(FileSystemError) {
        throw readOnly("removeDirectory", path)
    }

    override func link(from source: String, to target: String) throws(FileSystemError) {
        throw readOnly("link", target)
    }

    override func clone(from source: String, to target: String) throws(FileSystemError) {
        throw readOnly("clone", target)
    }

    override func openDirectory(_ path: String) throws(FileSystemError) -> OpenDirectory {
        BackupViewDirectory(path: path)
    }

    /// Nothing is locked.
    private final class NoLock: FileLock, @unchecked Sendable {
        override func release() {}
        override func setHolder(_ text: String) throws(FileSystemError) {}
    }
}

/// The directory of a backup, in which nothing changes that could be synced.
private final class BackupViewDirectory: OpenDirectory, @unchecked Sendable {
    override func sync() throws(FileSystemError) {
        throw FileSystemError(
            operation: "syncDirectory", path: path, code: 30,
            message: "A backup is read only, but syncDirectory was tried.")
    }

    override func close() {}
}

/// A file of a backup, as long as the list says.
private final class BackupViewFile: File, @unchecked Sendable {
    private let base: File
    private let byteCountMax: UInt64

    init(_ base: File, byteCountMax: UInt64) {
        self.base = base
        self.byteCountMax = byteCountMax
        super.init(path: base.path)
    }

    override func readOnce(into target: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Int {
        guard offset < byteCountMax else { return 0 }
        let count = Int(min(UInt64(target.count), byteCountMax - offset))
        return base.readOnce(
            into: UnsafeMutableRawBufferPointer(rebasing: target[..<count]), at: offset)
    }

    override func byteCount() throws(FileSystemError) -> UInt64 {
        try min(base.byteCount(), byteCountMax)
    }

    override func allocatedByteCount() throws(FileSystemError) -> UInt64 {
        try base.allocatedByteCount()
    }

    override func linkCount() throws(FileSystemError) -> Int { try base.linkCount() }

    override func dropCache(
        from offset: UInt64, byteCount: UInt64
    ) throws(FileSystemError) {
        try base.dropCache(from: offset, byteCount: byteCount)
    }

    override func nextData(from offset: UInt64) throws(FileSystemError) -> UInt64? {
        guard let found = try base.nextData(from: offset), found < byteCountMax else { return nil }
        return found
    }

    override func map(byteCount: Int) throws(FileSystemError) -> UnsafeRawPointer {
        try base.map(byteCount: byteCount)
    }

    override func unmap(_ base: UnsafeRawPointer, byteCount: Int) {
        self.base.unmap(base, byteCount: byteCount)
    }

    override func sync() throws(FileSystemError) {}

    override func close() { base.close() }
}

/// Bytes in memory that look like a file.
private final class BytesFile: File, @unchecked Sendable {
    private let bytes: [UInt8]

    init(path: String, _ bytes: [UInt8]) {
        self.bytes = bytes
        super.init(path: path)
    }

    override func readOnce(into target: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Int {
        let start = Int(min(offset, UInt64(bytes.count)))
        let count = min(target.count, bytes.count - start)
        target.copyBytes(from: bytes[start..<start + count])
        return count
    }

    override func byteCount() throws(FileSystemError) -> UInt64 { UInt64(bytes.count) }

    override func close() {}
}
