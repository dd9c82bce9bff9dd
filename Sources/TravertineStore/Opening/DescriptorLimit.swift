#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// How many of the process's file descriptors a store may hold for segments that wait for a sync.
enum DescriptorLimit {
    /// An eighth of the limit, between 4 and 64: the rest is the application's.
    static var share: Int {
        var limit = rlimit()
        #if canImport(Glibc)
            let result = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #else
            let result = getrlimit(RLIMIT_NOFILE, &limit)
        #endif
        guard result == 0 else { return 8 }
        return Int(min(max(limit.rlim_cur / 8, 4), 64))
    }
}
