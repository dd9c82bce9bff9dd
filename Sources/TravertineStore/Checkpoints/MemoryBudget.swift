#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// How much memory the nodes of an index may take before leaves go back to page files.
enum MemoryBudget {
    /// Without a setting: an eighth of the machine's memory, and at least 64 MiB.
    static let automatic: Int = {
        let pageCount = sysconf(Int32(_SC_PHYS_PAGES))
        let pageByteCount = sysconf(Int32(_SC_PAGESIZE))
        guard pageCount > 0, pageByteCount > 0 else { return 1 << 30 }
        return max(64 << 20, pageCount / 8 * pageByteCount)
    }()
}
