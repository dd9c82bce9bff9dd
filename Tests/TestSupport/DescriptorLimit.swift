#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Lets this process have no more than so many descriptors, permanently; false if the system
/// refuses. For processes of exit tests.
public func limitDescriptors(to count: Int) -> Bool {
    var limit = rlimit(rlim_cur: rlim_t(count), rlim_max: rlim_t(count))
    #if canImport(Glibc)
        return setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
    #else
        return setrlimit(RLIMIT_NOFILE, &limit) == 0
    #endif
}
