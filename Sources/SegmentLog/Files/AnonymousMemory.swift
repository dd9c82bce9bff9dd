#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Zeroed memory from the system that costs nothing until it is touched; given back to the system
/// with the object, whereas an allocator would keep the memory of large, short-lived buffers.
package final class AnonymousMemory: @unchecked Sendable {
    /// Where it begins, aligned to the pages of the system.
    package let base: UnsafeMutableRawPointer
    private let byteCount: Int

    package var bytes: UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(start: base, count: byteCount)
    }

    /// Maps at least a byte, for what is read from the file at `path`.
    package init(byteCount: Int, for path: String) throws(FileSystemError) {
        #if canImport(Darwin)
            let flags = MAP_PRIVATE | MAP_ANON
        #else
            let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
        #endif
        let count = max(byteCount, 1)
        guard let memory = mmap(nil, count, PROT_READ | PROT_WRITE, flags, -1, 0),
            memory != MAP_FAILED
        else {
            throw FileSystemError(operation: "map", path: path, code: errno)
        }
        base = memory
        self.byteCount = count
    }

    deinit { munmap(base, byteCount) }
}
