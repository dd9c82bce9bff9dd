import SegmentLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The file system that one process on a simulated machine sees.
public final class SimulatedFileSystem: FileSystem, @unchecked Sendable {
    package let disk: SimulatedDisk
    /// The number of the process.
    let process: Int

    init(disk: SimulatedDisk, process: Int) {
        self.disk = disk
        self.process = process
    }

    private func call<R>(
        _ operation: String, _ path: String, onFailure: () -> Void = {},
        _ body: () throws(FileSystemError) -> R
    ) throws(FileSystemError) -> R {
        try disk.call(operation, path, process: process, onFailure: onFailure, body)
    }

    static func error(_ operation: String, _ path: String, _ code: CInt) -> FileSystemError {
        if code == SimulatedDisk.crashCode {
            return FileSystemError(
                operation: operation, path: path, code: code, message: "the machine crashed")
        }
        return FileSystemError(operation: operation, path: path, code: code)
    }

    public override func open(
        _ path: String, _ mode: OpenMode
    ) throws(FileSystemError) -> File {
        try call("open", path) { () throws(FileSystemError) in
            let known = disk.entries[path].flatMap { disk.inodes[$0] }
            if mode == .createNew, known != nil { throw Self.error("open", path, EEXIST) }
            if mode != .createNew, known == nil { throw Self.error("open", path, ENOENT) }
            guard disk.didOpen(process: process) else { throw Self.error("open", path, EMFILE) }
            if mode == .createNew {
                guard disk.isDirectory(SimulatedDisk.parent(of: path)) else {
                    disk.didClose(process: process)
                    throw Self.error("open", path, ENOENT)
                }
                return SimulatedFile(
                    path: path, inode: disk.makeInode(path), disk: disk, process: process)
            }
            guard let known else { throw Self.error("open", path, ENOENT) }
            return SimulatedFile(path: path, inode: known, disk: disk, process: process)
        }
    }

    public override func exists(_ path: String) -> Bool {
        disk.monitor.withLock { disk.entries[path] != nil || disk.isDirectory(path) }
    }

    public override func list(_ directory: String) throws(FileSystemError) -> [String] {
        try call("list", directory) { () throws(FileSystemError) in
            guard disk.isDirectory(directory) else {
                throw Self.error("list", directory, ENOENT)
            }
            let prefix = directory == "/" ? "/" : directory + "/"
            return disk.entries.keys.sorted().compactMap { path in
                guard path.hasPrefix(prefix) else { return nil }
                let name = path.dropFirst(prefix.count)
                return name.contains("/") ? nil : String(name)
            }
        }
    }

    public override func createDirectory(_ path: String) throws(FileSystemError) {
        try call("createDirectory", path) { () throws(FileSystemError) in
            guard !disk.isDirectory(path) else {
                throw Self.error("createDirectory", path, EEXIST)
            }
            // Directories are durable at once: the engine makes one only, when it creates a store.
            disk.makeDirectory(path)
        }
    }

    public override func rename(
        from source: String, to target: String
    ) throws(FileSystemError) {
        try call("rename", source) { () throws(FileSystemError) in
            if disk.isDirectory(source) {
                let isEmpty = !disk.entries.keys.contains { $0.hasPrefix(target + "/") }
                guard isEmpty else { throw Self.error("rename", source, ENOTEMPTY) }
                return disk.renameDirectory(source, target)
            }
            guard disk.entries[source] != nil else { throw Self.error("rename", source, ENOENT) }
            disk.renameEntry(source, target)
        }
    }

    public override func remove(_ path: String) throws(FileSystemError) {
        try call("remove", path) { () throws(FileSystemError) in
            guard disk.entries[path] != nil else { throw Self.error("remove", path, ENOENT) }
            disk.removeEntry(path)
        }
    }

    public override func removeDirectory(_ path: String) throws(FileSystemError) {
        try call("removeDirectory", path) { () throws(FileSystemError) in
            guard disk.removeDirectory(path) else {
                throw Self.error("removeDirectory", path, ENOTEMPTY)
            }
        }
    }

    public override func link(
        from source: String, to target: String
    ) throws(FileSystemError) {
        try call("link", target) { () throws(FileSystemError) in
            guard disk.sharing == .links else { throw Self.error("link", target, EXDEV) }
            guard let number = disk.entries[source] else {
                throw Self.error("link", source, ENOENT)
            }
            guard disk.entries[target] == nil else { throw Self.error("link", target, EEXIST) }
            disk.addEntry(target, number)
        }
    }

    public override func clone(
        from source: String, to target: String
    ) throws(FileSystemError) {
        try call("clone", target) { () throws(FileSystemError) in
            guard disk.sharing == .clones else { throw Self.error("clone", target, EOPNOTSUPP) }
            guard let original = disk.entries[source].flatMap({ disk.inodes[$0] }) else {
                throw Self.error("clone", source, ENOENT)
            }
            guard disk.entries[target] == nil else { throw Self.error("clone", target, EEXIST) }
            let bytes = original.contents
            let copy = disk.makeInode(target)
            bytes.withUnsafeBytes { copy.write($0, at: 0) }
        }
    }

    public override func openDirectory(
        _ path: String
    ) throws(FileSystemError) -> OpenDirectory {
        try call("openDirectory", path) { () throws(FileSystemError) in
            guard disk.isDirectory(path) else { throw Self.error("openDirectory", path, ENOENT) }
            guard disk.didOpen(process: process) else {
                throw Self.error("openDirectory", path, EMFILE)
            }
            return SimulatedDirectory(path: path, fileSystem: self, process: process)
        }
    }

    fileprivate func sync(_ path: String) throws(FileSystemError) {
        func fail() { disk.failSyncDirectory(path) }
        func sync() { disk.syncDirectory(path) }
        try call("syncDirectory", path, onFailure: fail, sync)
    }

    public override func lock(_ path: String) throws(FileSystemError) -> FileLock {
        try call("lock", path) { () throws(FileSystemError) in
            guard disk.isDirectory(SimulatedDisk.parent(of: path)) else {
                throw Self.error("lock", path, ENOENT)
            }
            if disk.locks[path] != nil {
                let block = disk.entries[path].flatMap { disk.inodes[$0] }?.contents ?? []
                let text = block.prefix(FileLock.holderByteCount).prefix { $0 != 0 }
                throw FileSystemError(
                    operation: "lock", path: path, code: EWOULDBLOCK,
                    message: String(decoding: text, as: UTF8.self))
            }
            if disk.entries[path] == nil { disk.makeInode(path) }
            disk.locks[path] = process
            return SimulatedLock(path: path, disk: disk, process: process)
        }
    }

    public override func identity(of path: String) throws(FileSystemError) -> FileIdentity {
        try call("identity", path) { () throws(FileSystemError) in
            if let number = disk.entries[path] {
                return FileIdentity(device: device, inode: UInt64(number))
            }
            guard disk.isDirectory(path) else { throw Self.error("identity", path, ENOENT) }
            return FileIdentity(
                device: device, inode: disk.number(ofDirectory: path) | 1 << 63)
        }
    }

    /// Each simulated disk is a separate device.
    private var device: UInt64 { UInt64(UInt(bitPattern: ObjectIdentifier(disk).hashValue)) }

    public override func freeBytes(at path: String) throws(FileSystemError) -> UInt64 {
        try call("freeBytes", path) { UInt64(disk.freeByteCount) }
    }
}

/// An open directory of a simulated machine.
private final class SimulatedDirectory: OpenDirectory, @unchecked Sendable {
    private let fileSystem: SimulatedFileSystem
    private let process: Int
    private var isOpen = true

    init(path: String, fileSystem: SimulatedFileSystem, process: Int) {
        self.fileSystem = fileSystem
        self.process = process
        super.init(path: path)
    }

    deinit { close() }

    override func sync() throws(FileSystemError) { try fileSystem.sync(path) }

    override func close() {
        fileSystem.disk.monitor.withLock {
            guard isOpen else { return }
            isOpen = false
            fileSystem.disk.didClose(process: process)
        }
    }
}

/// A lock on a simulated machine; a crash takes it away.
private final class SimulatedLock: FileLock, @unchecked Sendable {
    private let path: String
    private let disk: SimulatedDisk
    private let process: Int

    init(path: String, disk: SimulatedDisk, process: Int) {
        self.path = path
        self.disk = disk
        self.process = process
    }

    deinit { release() }

    override func release() {
        disk.monitor.withLock {
            if disk.locks[path] == process { disk.locks[path] = nil }
        }
    }

    override func setHolder(_ text: String) throws(FileSystemError) {
        disk.monitor.withLock {
            guard let inode = disk.entries[path].flatMap({ disk.inodes[$0] }) else { return }
            Self.holderBlock(text).withUnsafeBytes { inode.write($0, at: 0) }
        }
    }
}
