#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Memory full of zeros that is taken from the system as it is touched; large memory in huge pages
/// where there are such, so that random access waits for no page tables.
final class ZeroedMemory {
    let base: UnsafeMutableRawPointer
    private let mapping: UnsafeMutableRawPointer
    private let mappedByteCount: Int

    private static let hugePageByteCount = 2 << 20

    /// Nil if there is no such memory.
    init?(byteCount: Int) {
        let isLarge = byteCount >= Self.hugePageByteCount
        mappedByteCount = byteCount + (isLarge ? Self.hugePageByteCount : 0)
        let mapped = mmap(
            nil, mappedByteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | Self.anonymous, -1, 0)
        guard let mapped, mapped != MAP_FAILED else { return nil }
        mapping = mapped
        guard isLarge else {
            base = mapped
            return
        }
        base = mapped.alignedUp(toMultipleOf: Self.hugePageByteCount)
        #if os(Linux)
            // Only a hint: without huge pages access is slower, not wrong.
            _ = madvise(base, byteCount, MADV_HUGEPAGE)
        #endif
    }

    deinit { munmap(mapping, mappedByteCount) }

    private static var anonymous: Int32 {
        #if canImport(Darwin)
            MAP_ANON
        #else
            MAP_ANONYMOUS
        #endif
    }
}
