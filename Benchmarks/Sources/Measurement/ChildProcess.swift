#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A process that this one started from its own executable.
public struct ChildProcess: ~Copyable {
    private let identifier: pid_t

    /// Starts this program again with other arguments; output and errors go where ours go.
    public init(arguments: [String]) throws {
        let path = try Self.executablePath()
        var vector = ([path] + arguments).map { strdup($0) }
        defer { for string in vector { free(string) } }
        vector.append(nil)
        var identifier: pid_t = 0
        let code = posix_spawn(&identifier, path, nil, nil, vector, environ)
        try require(code == 0, "\(path) cannot be started: \(String(cString: strerror(code)))")
        self.identifier = identifier
    }

    /// Waits for the end; throws unless the process ended by itself with status 0.
    public consuming func wait() throws {
        let status = Self.wait(for: identifier)
        try require(status == 0, "A child process failed (wait status \(status)); see its message.")
    }

    /// Ends the process as a power switch would, with SIGKILL, and waits until it is gone.
    public consuming func killAndWait() {
        kill(identifier, SIGKILL)
        _ = Self.wait(for: identifier)
    }

    /// Whether the process has not ended yet. May be called until it has ended once.
    public var isRunning: Bool { waitpid(identifier, nil, WNOHANG) == 0 }

    private static func wait(for identifier: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        return status
    }

    private static func executablePath() throws -> String {
        #if os(Linux)
            var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
            let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
            try require(count > 0, "/proc/self/exe cannot be read.")
            return String(decoding: buffer[0..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        #else
            return CommandLine.arguments[0]
        #endif
    }
}
