import SegmentLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Files in memory, for one thread: what an input is read through.
///
/// Locks are always free, syncs do nothing. A file has at most `byteCountMax` bytes, so that a
/// number in an input can't ask for all of the memory.
final class MemoryFileSystem: FileSystem, @unchecked Sendable {
    static let byteCountMax = 4 << 20

    /// The contents of a file, shared by its names and openings.
    final class Contents {
        var bytes: [UInt8]
        init(_ bytes: [UInt8]) { self.bytes = bytes }
    }

    private(set) var files: [String: Contents] = [:]
    private var directories: Set<String> = ["/"]

    /// A directory with files.
    convenience init(_ directory: String, _ files: [String: [UInt8]]) {
        self.init()
        directories.insert(directory)
        for (name, bytes) in files { self.files[directory + "/" + name] = Contents(bytes) }
    }

    /// The files of a directory by name.
    func contents(of directory: String) -> [String: [UInt8]] {
        var found: [String: [UInt8]] = [:]
        for (path, file) in files where path.hasPrefix(directory + "/") {
            found[String(path.dropFirst(directory.count + 1))] = file.bytes
        }
        return found
    }

    private func error(_ operation: String, _ path: String, _ code: CInt) -> FileSystemError {
        FileSystemError(operation: operation, path: path, code: code)
    }

    override func open(_ path: String, _ mode: OpenMode) throws(FileSystemError) -> File {
        if let found = files[path] {
            if mode == .createNew { throw error("open", path, EEXIST) }
            return MemoryFile(path: path, found)
        }
        guard mode == .createNew else { throw error("open", path, ENOENT) }
        let made = Contents([])
        files[path] = made
        return MemoryFile(path: path, made)
    }

    override func exists(_ path: String) -> Bool {
        files[path] != nil || directories.contains(path)
    }

    override func list(_ directory: String) throws(FileSystemError) -> [String] {
        guard directories.contains(directory) else { throw error("list", directory, ENOENT) }
        return files.keys.sorted().compactMap { path in
            guard path.hasPrefix(directory + "/") else { return nil }
            let name = path.dropFirst(directory.count + 1)
            return name.contains("/") ? nil : String(name)
        }
    }

    override func createDirectory(_ path: String) throws(FileSystemError) {
        guard directories.insert(path).inserted else {
            throw error("createDirectory", path, EEXIST)
        }
    }

    override func removeDirectory(_ path: String) throws(FileSystemError) {
        guard try list(path).isEmpty else { throw error("removeDirectory", path, ENOTEMPTY) }
        directories.remove(path)
    }

    override func rename(from source: String, to target: String) throws(FileSystemError) {
        if directories.contains(source) {
            directories.remove(source)
            directories.insert(target)
            for (path, file) in files where path.hasPrefix(source + "/") {
                files[path] = nil
                files[target + path.dropFirst(source.count)] = file
            }
            return
        }
        guard let file = files.removeValue(forKey: source) else {
            throw error("rename", source, ENOENT)
        }
        files[target] = file
    }

    override func remove(_ path: String) throws(FileSystemError) {
        guard files.removeValue(forKey: path) != nil else { throw error("remove", path, ENOENT) }
    }

    override func link(from source: String, to target: String) throws(FileSystemError) {
        throw error("link", source, ENOTSUP)
    }

    override func clone(from source: String, to target: String) throws(FileSystemError) {
        throw error("clone", source, ENOTSUP)
    }

    override func openDirectory(_ path: String) throws(FileSystemError) -> OpenDirectory {
        FreeDirectory(path: path)
    }

    private final class FreeDirectory: OpenDirectory, @unchecked Sendable {
        override func sync() throws(FileSystemError) {}
        override func close() {}
    }

    override func lock(_ path: String) throws(FileSystemError) -> FileLock {
        if files[path] == nil { files[path] = Contents([]) }
        return FreeLock()
    }

    override func identity(of path: String) throws(FileSystemError) -> FileIdentity {
        // Each file system is another device: what one input opens says nothing of the next.
        let device = UInt64(UInt(bitPattern: ObjectIdentifier(self).hashValue))
        return FileIdentity(device: device, inode: UInt64(UInt(bitPattern: path.hashValue)))
    }

    override func freeBytes(at path: String) throws(FileSystemError) -> UInt64 { 1 << 40 }

    private final class FreeLock: FileLock, @unchecked Sendable {
        override func release() {}
        override func setHolder(_ text: String) throws(FileSystemError) {}
    }
}

/// An open file in memory.
private final class MemoryFile: File, @unchecked Sendable {
    private let contents: MemoryFileSystem.Contents

    init(path: String, _ contents: MemoryFileSystem.Contents) {
        self.contents = contents
        super.init(path: path)
    }

    override func readOnce(into target: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Int {
        let start = Int(min(offset, UInt64(contents.bytes.count)))
        let count = min(target.count, contents.bytes.count - start)
        target.copyBytes(from: contents.bytes[start..<start + count])
        return count
    }

    private func grow(to byteCount: UInt64) throws(FileSystemError) {
        guard byteCount <= UInt64(MemoryFileSystem.byteCountMax) else {
            throw FileSystemError(operation: "write", path: path, code: ENOSPC)
        }
        let missing = Int(byteCount) - contents.bytes.count
        if missing > 0 { contents.bytes.append(contentsOf: repeatElement(0, count: missing)) }
    }

    override func writeOnce(_ source: UnsafeRawBufferPointer, at offset: UInt64) -> Int {
        do throws(FileSystemError) {
            guard offset <= UInt64(MemoryFileSystem.byteCountMax) else { return -Int(ENOSPC) }
            try grow(to: offset + UInt64(source.count))
        } catch {
            return -Int(error.code)
        }
        contents.bytes.replaceSubrange(Int(offset)..<Int(offset) + source.count, with: source)
        return source.count
    }

    override func sync() throws(FileSystemError) {}

    override func byteCount() throws(FileSystemError) -> UInt64 { UInt64(contents.bytes.count) }

    override func allocate(byteCount: UInt64) throws(FileSystemError) { try grow(to: byteCount) }

    override func punchHole(
        from offset: UInt64, byteCount: UInt64
    ) throws(FileSystemError) {
        let end = Int(min(offset &+ byteCount, UInt64(contents.bytes.count)))
        guard offset < UInt64(end) else { return }
        for place in Int(offset)..<end { contents.bytes[place] = 0 }
    }

    override func allocatedByteCount() throws(FileSystemError) -> UInt64 { try byteCount() }

    override func linkCount() throws(FileSystemError) -> Int { 1 }

    override func tryLock(
        from offset: UInt64, byteCount: UInt64
    ) throws(FileSystemError) -> Bool { true }

    override func unlock(from offset: UInt64, byteCount: UInt64) throws(FileSystemError) {}

    override func dropCache(from offset: UInt64, byteCount: UInt64) throws(FileSystemError) {}

    override func nextData(from offset: UInt64) throws(FileSystemError) -> UInt64? {
        offset < UInt64(contents.bytes.count) ? offset : nil
    }

    // Exactly as long as was asked for: the sanitizer reports reads beyond the end as errors.
    override func map(byteCount: Int) throws(FileSystemError) -> UnsafeRawPointer {
        guard byteCount <= contents.bytes.count else {
            throw FileSystemError(operation: "map", path: path, code: EINVAL)
        }
        let base = UnsafeMutableRawPointer.allocate(byteCount: max(byteCount, 1), alignment: 4096)
        contents.bytes.withUnsafeBytes { bytes in
            if let source = bytes.baseAddress {
                base.copyMemory(from: source, byteCount: byteCount)
            }
        }
        return UnsafeRawPointer(base)
    }

    override func unmap(_ base: UnsafeRawPointer, byteCount: Int) { base.deallocate() }

    override func close() {}
}
