import SegmentLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A directory on the real file system that goes when this object goes.
final class TemporaryDirectory {
    let path: String

    init() throws {
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(base)/travertine-log-XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }
        }
        guard let made else {
            throw FileSystemError(operation: "mkdtemp", path: base, code: errno)
        }
        path = String(cString: made)
    }

    deinit {
        let fileSystem = RealFileSystem()
        for name in (try? fileSystem.list(path)) ?? [] { unlink(path + "/" + name) }
        rmdir(path)
    }
}
