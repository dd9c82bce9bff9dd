import CPlatform

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file of the machine, by its descriptor.
final class RealFile: File, @unchecked Sendable {
    // Set to -1 by `close`, which nobody calls while another call is under way.
    private var descriptor: CInt

    init(path: String, descriptor: CInt) {
        self.descriptor = descriptor
        super.init(path: path)
    }

    deinit { close() }

    override func readOnce(into target: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Int {
        let count = pread(descriptor, target.baseAddress, target.count, off_t(offset))
        return count < 0 ? -Int(errno) : count
    }

    override func writeOnce(_ source: UnsafeRawBufferPointer, at offset: UInt64) -> Int {
        let count = pwrite(descriptor, source.baseAddress, source.count, off_t(offset))
        return count < 0 ? -Int(errno) : count
    }

    override func sync() throws(FileSystemError) {
        try check("sync", travertine_sync_data(descriptor))
    }

    override func byteCount() throws(FileSystemError) -> UInt64 {
        let status = try status()
        guard status.st_mode & S_IFMT == S_IFBLK else { return UInt64(status.st_size) }
        var byteCount: UInt64 = 0
        try check("status", travertine_device_byte_count(descriptor, &byteCount))
        return byteCount
    }

    /// Refuses what is no file: a store has nothing else, and a named pipe would be waited for. A
    /// disk can be read, to get back what is on it.
    func checkKind(_ mode: OpenMode) throws(FileSystemError) {
        switch try status().st_mode & S_IFMT {
        case S_IFREG: return
        case S_IFBLK where mode == .readOnly: return
        case S_IFDIR: throw FileSystemError(operation: "open", path: path, code: EISDIR)
        default: throw Self.noRegularFile("open", path)
        }
    }

    static func noRegularFile(_ operation: String, _ path: String) -> FileSystemError {
        FileSystemError(
            operation: operation, path: path, code: EINVAL,
            message: "it is a pipe, a socket or a device, not a regular file")
    }

    override func linkCount() throws(FileSystemError) -> Int {
        Int(try status().st_nlink)
    }

    override func tryLock(
        from offset: UInt64, byteCount: UInt64
    ) throws(FileSystemError) -> Bool {
        let result = travertine_lock_range(descriptor, offset, byteCount, 1)
        if result == EAGAIN || result == EACCES { return false }
        try check("lock", result)
        return true
    }

    override func isLocked(
        from offset: UInt64, byteCount: UInt64
    ) throws(FileSystemError) -> Bool {
        var isLocked: CInt = 0
        try check(
            "lock", travertine_is_range_locked(descriptor, offset, byteCount, &isLocked))
        return isLocked != 0
    }

    override func unlock(from offset: UInt64, byteCount: UInt64) throws(FileSystemError) {
        try check("unlock", travertine_lock_range(descriptor, offset, byteCount, 0))
    }

    override func allocate(byteCount: UInt64) throws(FileSystemError) {
        try check("allocate", travertine_allocate(descriptor, byteCount))
    }

    override func punchHole(from offset: UInt64, byteCount: UInt64) throws(FileSystemError) {
        let result = travertine_punch_hole(descriptor, offset, byteCount)
        if result == EOPNOTSUPP || result == ENOTSUP || result == ENOSYS { return }
        try check("punchHole", result)
    }

    override func allocatedByteCount() throws(FileSystemError) -> UInt64 {
        UInt64(try status().st_blocks) * 512
    }

    override func dropCache(from offset: UInt64, byteCount: UInt64) throws(FileSystemError) {
        try check("dropCache", travertine_drop_cache(descriptor, offset, byteCount))
    }

    override func readAhead(from offset: UInt64, byteCount: UInt64) {
        #if os(Linux)
            _ = posix_fadvise(descriptor, off_t(offset), off_t(byteCount), POSIX_FADV_WILLNEED)
        #endif
    }

    override func beginWriteback(from offset: UInt64, byteCount: UInt64) {
        travertine_begin_writeback(descriptor, offset, byteCount)
    }

    override func copyOnce(to target: File, at offset: UInt64, byteCount: Int) -> Int {
        guard let target = target as? RealFile else { return -Int(ENOSYS) }
        return travertine_copy_range(descriptor, target.descriptor, offset, byteCount)
    }

    override func nextData(from offset: UInt64) throws(FileSystemError) -> UInt64? {
        let found = travertine_next_data(descriptor, offset)
        return found == UInt64.max ? nil : found
    }

    override func map(byteCount: Int) throws(FileSystemError) -> UnsafeRawPointer {
        guard let base = mmap(nil, byteCount, PROT_READ, MAP_SHARED, descriptor, 0),
            base != MAP_FAILED
        else { throw FileSystemError(operation: "map", path: path, code: errno) }
        MappedFiles.shared.add(base, byteCount: byteCount)
        return UnsafeRawPointer(base)
    }

    override func unmap(_ base: UnsafeRawPointer, byteCount: Int) {
        MappedFiles.shared.remove(base)
        munmap(UnsafeMutableRawPointer(mutating: base), byteCount)
    }

    override func close() {
        guard descriptor >= 0 else { return }
        closeDescriptor(descriptor)
        descriptor = -1
    }

    private func status() throws(FileSystemError) -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw FileSystemError(operation: "status", path: path, code: errno)
        }
        return status
    }

    private func check(_ operation: String, _ result: CInt) throws(FileSystemError) {
        guard result == 0 else {
            throw FileSystemError(operation: operation, path: path, code: result)
        }
    }
}

// `close` inside the class means its own method.
func closeDescriptor(_ descriptor: CInt) {
    close(descriptor)
}
