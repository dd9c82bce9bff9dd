#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An open file that a body is read from or written to.
///
/// Calls block the thread for as long as the disk takes. Errors are `ObjectStorageError.file`.
final class LocalFile: Sendable {
    let path: String
    private let descriptor: Int32

    /// Opens an existing file for reading.
    init(reading path: String) throws {
        self.path = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0 { throw Self.error("open", path) }
    }

    /// Creates a file for writing; fails if there is one already.
    init(creating path: String) throws {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor < 0 { throw Self.error("create", path) }
    }

    deinit { close(descriptor) }

    /// The file's size now.
    func byteCount() throws -> UInt64 {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.error("stat", path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw ObjectStorageError.file(
                operation: "open", path: path, reason: "it is not a regular file")
        }
        return UInt64(status.st_size)
    }

    /// Reads exactly so many bytes; throws if the file ends before.
    func read(at offset: UInt64, byteCount: Int) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, initializedCount in
            while initializedCount < byteCount {
                let count = pread(
                    descriptor, buffer.baseAddress! + initializedCount,
                    byteCount - initializedCount, off_t(offset) + off_t(initializedCount))
                if count < 0, errno == EINTR { continue }
                if count < 0 { throw Self.error("read", path) }
                if count == 0 {
                    throw ObjectStorageError.file(
                        operation: "read", path: path, reason: "the file became shorter")
                }
                initializedCount += count
            }
        }
    }

    /// Writes all bytes.
    func write(_ bytes: [UInt8], at offset: UInt64) throws {
        var writtenCount = 0
        while writtenCount < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                pwrite(
                    descriptor, buffer.baseAddress! + writtenCount, bytes.count - writtenCount,
                    off_t(offset) + off_t(writtenCount))
            }
            if count < 0, errno == EINTR { continue }
            if count < 0 { throw Self.error("write", path) }
            writtenCount += count
        }
    }

    /// Removes all content.
    func truncate() throws {
        guard ftruncate(descriptor, 0) == 0 else { throw Self.error("truncate", path) }
    }

    /// Makes the content durable (`fsync`). The directory entry is the caller's.
    func synchronize() throws {
        guard fsync(descriptor) == 0 else { throw Self.error("sync", path) }
    }

    /// Deletes the file; what remains of a failed download is of no use.
    func remove() { unlink(path) }

    private static func error(_ operation: String, _ path: String) -> ObjectStorageError {
        .file(operation: operation, path: path, reason: String(cString: strerror(errno)))
    }
}
