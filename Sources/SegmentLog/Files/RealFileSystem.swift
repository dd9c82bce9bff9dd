import CPlatform

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The file system of the machine.
public final class RealFileSystem: FileSystem, @unchecked Sendable {
    public override init() {}

    public override func open(
        _ path: String, _ mode: OpenMode
    ) throws(FileSystemError) -> File {
        let descriptor = travertine_open(path, mode.rawValue)
        guard descriptor >= 0 else {
            throw FileSystemError(operation: "open", path: path, code: -descriptor)
        }
        let file = RealFile(path: path, descriptor: descriptor)
        if mode != .createNew { try file.checkKind(mode) }
        return file
    }

    public override func watch(
        _ path: String, _ body: @escaping @Sendable () -> Void
    ) -> FileWatch? {
        #if canImport(Darwin)
            DispatchWatch(path, body)
        #elseif os(Linux)
            InotifyWatch(path, body)
        #else
            nil
        #endif
    }

    public override func exists(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0
    }

    public override func list(_ directory: String) throws(FileSystemError) -> [String] {
        guard let stream = opendir(directory) else {
            throw FileSystemError(operation: "list", path: directory, code: errno)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else { break }
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
            }
            if name != ".", name != ".." { names.append(name) }
        }
        guard errno == 0 else {
            throw FileSystemError(operation: "list", path: directory, code: errno)
        }
        return names
    }

    public override func createDirectory(_ path: String) throws(FileSystemError) {
        try check("createDirectory", path, mkdir(path, 0o755))
    }

    public override func rename(
        from source: String, to target: String
    ) throws(FileSystemError) {
        try check("rename", source, systemRename(source, target))
    }

    public override func access(of path: String) throws(FileSystemError) -> FileAccess? {
        var access = FileAccess(owner: 0, group: 0, mode: 0)
        let result = travertine_access(path, &access.owner, &access.group, &access.mode)
        guard result == 0 else {
            throw FileSystemError(operation: "access", path: path, code: result)
        }
        return access
    }

    public override func setAccess(
        _ access: FileAccess, of path: String
    ) throws(FileSystemError) {
        let result = travertine_set_access(path, access.owner, access.group, access.mode)
        guard result == 0 else {
            throw FileSystemError(operation: "setAccess", path: path, code: result)
        }
    }

    public override func exchange(_ first: String, _ second: String) throws(FileSystemError) {
        let result = travertine_exchange(first, second)
        guard result == 0 else {
            throw FileSystemError(operation: "exchange", path: first, code: result)
        }
    }

    public override func remove(_ path: String) throws(FileSystemError) {
        try check("remove", path, unlink(path))
    }

    public override func removeDirectory(_ path: String) throws(FileSystemError) {
        try check("removeDirectory", path, rmdir(path))
    }

    public override func link(
        from source: String, to target: String
    ) throws(FileSystemError) {
        try check("link", target, systemLink(source, target))
    }

    public override func clone(
        from source: String, to target: String
    ) throws(FileSystemError) {
        let result = travertine_clone(source, target)
        guard result == 0 else {
            throw FileSystemError(operation: "clone", path: target, code: result)
        }
    }

    public override func openDirectory(
        _ path: String
    ) throws(FileSystemError) -> OpenDirectory {
        let descriptor = travertine_open(path, OpenMode.readOnly.rawValue)
        guard descriptor >= 0 else {
            throw FileSystemError(operation: "openDirectory", path: path, code: -descriptor)
        }
        return RealDirectory(path: path, descriptor: descriptor)
    }

    public override func lock(_ path: String) throws(FileSystemError) -> FileLock {
        while true {
            let descriptor = try lockedDescriptor(path)
            var own = stat()
            var current = stat()
            // The lock of a file that was removed while this waited for it locks nothing.
            if fstat(descriptor, &own) == 0, stat(path, &current) == 0,
                own.st_ino == current.st_ino, own.st_dev == current.st_dev
            {
                return RealFileLock(path: path, descriptor: descriptor)
            }
            close(descriptor)
        }
    }

    private func lockedDescriptor(_ path: String) throws(FileSystemError) -> CInt {
        var descriptor: CInt
        repeat {
            descriptor = travertine_open(path, OpenMode.readWrite.rawValue)
            if descriptor == -ENOENT {
                descriptor = travertine_open(path, OpenMode.createNew.rawValue)
                // A link that leads to nothing is there, and can never be opened.
                var status = stat()
                if descriptor == -EEXIST, lstat(path, &status) == 0,
                    status.st_mode & S_IFMT == S_IFLNK
                {
                    throw RealFile.noRegularFile("lock", path)
                }
            }
            // Another one was faster, and may have removed it again.
        } while descriptor == -EEXIST
        if descriptor == -EROFS {
            // A writer through another mount has locked the same file. One that is missing can't be
            // made: the error is reported.
            let readable = travertine_open(path, OpenMode.readOnly.rawValue)
            if readable >= 0 { descriptor = readable }
        }
        guard descriptor >= 0 else {
            throw FileSystemError(operation: "lock", path: path, code: -descriptor)
        }
        var status = stat()
        if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            close(descriptor)
            throw RealFile.noRegularFile("lock", path)
        }
        try Self.take(LOCK_EX, of: descriptor, path)
        return descriptor
    }

    public override func lockShared(_ path: String) throws(FileSystemError) -> FileLock {
        let descriptor = travertine_open(path, OpenMode.readOnly.rawValue)
        guard descriptor >= 0 else {
            throw FileSystemError(operation: "lock", path: path, code: -descriptor)
        }
        try Self.take(LOCK_SH, of: descriptor, path)
        return RealFileLock(path: path, descriptor: descriptor)
    }

    /// Locks an open file, or closes it and throws.
    private static func take(
        _ kind: CInt, of descriptor: CInt, _ path: String
    ) throws(FileSystemError) {
        var result: CInt
        repeat { result = flock(descriptor, kind | LOCK_NB) } while result != 0 && errno == EINTR
        guard result == 0 else {
            let code = errno
            let holder = code == EWOULDBLOCK ? Self.contents(of: descriptor) : nil
            close(descriptor)
            guard let holder else {
                throw FileSystemError(operation: "lock", path: path, code: code)
            }
            throw FileSystemError(operation: "lock", path: path, code: code, message: holder)
        }
    }

    public override func identity(of path: String) throws(FileSystemError) -> FileIdentity {
        var status = stat()
        try check("identity", path, stat(path, &status))
        return FileIdentity(
            device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(status.st_ino),
            birth: travertine_birth_time(path))
    }

    public override func resolved(_ path: String) -> String {
        guard let found = realpath(path, nil) else { return path }
        defer { free(found) }
        return String(cString: found)
    }

    public override func freeBytes(at path: String) throws(FileSystemError) -> UInt64 {
        var status = statvfs()
        try check("freeBytes", path, statvfs(path, &status))
        // A file system that counts no blocks has no limit that it could report.
        if status.f_blocks == 0 { return .max }
        return UInt64(status.f_bavail) &* UInt64(status.f_frsize)
    }

    private func check(
        _ operation: String, _ path: String, _ result: CInt
    ) throws(FileSystemError) {
        guard result == 0 else {
            throw FileSystemError(operation: operation, path: path, code: errno)
        }
    }

    private static func contents(of descriptor: CInt) -> String {
        var bytes = [UInt8](repeating: 0, count: FileLock.holderByteCount)
        let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        return String(decoding: bytes[0..<max(count, 0)].prefix { $0 != 0 }, as: UTF8.self)
    }
}

// `link` and `rename` inside the class mean its own methods.
private func systemLink(_ source: String, _ target: String) -> CInt {
    link(source, target)
}

private func systemRename(_ source: String, _ target: String) -> CInt {
    rename(source, target)
}

/// A directory of the machine, by its descriptor.
private final class RealDirectory: OpenDirectory, @unchecked Sendable {
    // Set to -1 by `close`, which nobody calls while another call is under way.
    private var descriptor: CInt

    init(path: String, descriptor: CInt) {
        self.descriptor = descriptor
        super.init(path: path)
    }

    deinit { close() }

    override func sync() throws(FileSystemError) {
        let result = travertine_sync_directory(descriptor)
        guard result == 0 else {
            throw FileSystemError(operation: "syncDirectory", path: path, code: result)
        }
    }

    override func close() {
        guard descriptor >= 0 else { return }
        closeDescriptor(descriptor)
        descriptor = -1
    }
}

/// A lock by `flock`, which the kernel drops with the last descriptor of the open file: when the
/// process ends, and its children that were forked since have ended or replaced their program.
private final class RealFileLock: FileLock, @unchecked Sendable {
    private let path: String
    private let process = getpid()
    private var descriptor: CInt

    init(path: String, descriptor: CInt) {
        self.path = path
        self.descriptor = descriptor
    }

    deinit { release() }

    override func release() {
        guard descriptor >= 0 else { return }
        // Closing alone would leave the lock with a child that has a copy of the descriptor. A
        // child in turn must leave its parent's lock alone.
        if getpid() == process { _ = flock(descriptor, LOCK_UN) }
        close(descriptor)
        descriptor = -1
    }

    override func setHolder(_ text: String) throws(FileSystemError) {
        let bytes = Self.holderBlock(text)
        var end = 0
        while end < bytes.count {
            let written = bytes[end...].withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress, $0.count, off_t(end))
            }
            if written > 0 {
                end += written
            } else if written == 0 || errno != EINTR {
                // A descriptor that is for reading only is one of a read-only file system.
                let code = written == 0 ? ENOSPC : errno == EBADF ? EROFS : errno
                throw FileSystemError(operation: "write", path: path, code: code)
            }
        }
    }
}
