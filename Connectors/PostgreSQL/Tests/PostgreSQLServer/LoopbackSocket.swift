#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// TCP sockets on 127.0.0.1.
enum LoopbackSocket {
    #if canImport(Glibc)
        private static let streamType = Int32(SOCK_STREAM.rawValue)
    #else
        private static let streamType = SOCK_STREAM
    #endif

    /// A port that no socket is bound to. Another process may take it before the caller does.
    static func freePort() throws -> UInt16 {
        let (descriptor, port) = try listening()
        close(descriptor)
        return port
    }

    /// A socket that takes connections, on a port that the system chose.
    static func listening() throws -> (descriptor: Int32, port: UInt16) {
        let descriptor = try make()
        let isBound = withAddress(port: 0) { bind(descriptor, $0, $1) }
        guard isBound == 0, listen(descriptor, 64) == 0 else {
            close(descriptor)
            throw ServerFailure("no port is free: error \(errno)")
        }
        var address = sockaddr_in()
        var byteCount = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isNamed = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &byteCount)
            }
        }
        guard isNamed == 0 else {
            close(descriptor)
            throw ServerFailure("a socket has no port: error \(errno)")
        }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    /// A connection to a port.
    static func connected(to port: UInt16) throws -> Int32 {
        let descriptor = try make()
        guard withAddress(port: port, { connect(descriptor, $0, $1) }) == 0 else {
            close(descriptor)
            throw ServerFailure("nobody listens on port \(port): error \(errno)")
        }
        return descriptor
    }

    private static func make() throws -> Int32 {
        let descriptor = socket(AF_INET, streamType, 0)
        guard descriptor >= 0 else { throw ServerFailure("no socket: error \(errno)") }
        // Programs that tests start must not keep connections open.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return descriptor
    }

    private static func withAddress(
        port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
