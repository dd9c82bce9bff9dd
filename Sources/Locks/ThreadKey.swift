#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Makes a key under which each thread can have one object, as an address that keeps it; the
/// end of the thread releases it.
package func makeThreadKey() -> pthread_key_t {
    var key = pthread_key_t()
    let code = pthread_key_create(&key) { pointer in
        #if canImport(Darwin)
            Unmanaged<AnyObject>.fromOpaque(pointer).release()
        #else
            if let pointer { Unmanaged<AnyObject>.fromOpaque(pointer).release() }
        #endif
    }
    precondition(code == 0, "the process has used up its thread-specific keys")
    return key
}
