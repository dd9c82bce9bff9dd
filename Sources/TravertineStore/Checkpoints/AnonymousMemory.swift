#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Zeroed memory from the system that costs nothing until it is touched; freed with the object.
final class AnonymousMemory: @unchecked Sendable {
    let base: UnsafeMutableRawPointer
    private let byteCount: Int

    init(byteCount: Int) throws(StoreError) {
        self.byteCount = max(byteCount, 1)
        #if canImport(Darwin)
            let flags = MAP_PRIVATE | MAP_ANON
        #else
            let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
        #endif
        let memory = mmap(nil, self.byteCount, PROT_READ | PROT_WRITE, flags, -1, 0)
        guard let memory, memory != MAP_FAILED else {
            throw StoreError(.io, "There is no address space for \(byteCount) bytes of pages.")
        }
        base = memory
    }

    deinit { munmap(base, byteCount) }
}
