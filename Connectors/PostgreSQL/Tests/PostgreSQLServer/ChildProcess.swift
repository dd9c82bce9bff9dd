import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A program that this process started.
///
/// Not Foundation's `Process`: that waits for a descriptor which everything that the program starts
/// inherits, and so for the end of a server that goes on when `pg_ctl` has ended.
struct ChildProcess: Sendable {
    /// Its number among the system's processes.
    let number: pid_t

    /// Between making a descriptor and having it closed in programs, none may be started.
    private static let lock = NSLock()

    /// Starts a program, which is looked for in PATH, with descriptors for its input and its
    /// output; others it inherits unless they are closed on exec.
    init(_ command: [String], input: Int32, output: Int32) throws {
        self = try Self.lock.withLock { try Self.start(command, input, output) }
    }

    private init(number: pid_t) { self.number = number }

    private static func start(
        _ command: [String], _ input: Int32, _ output: Int32
    ) throws -> ChildProcess {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
        #else
            var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, output, 2)
        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) }
        arguments.append(nil)
        defer { for argument in arguments { free(argument) } }
        var number: pid_t = 0
        let failure = posix_spawnp(&number, command[0], &actions, nil, arguments, environ)
        guard failure == 0 else {
            throw ServerFailure("\(command[0]) could not be started: error \(failure)")
        }
        return ChildProcess(number: number)
    }

    /// Waits for its end; its status, or 128 and the signal that ended it.
    @discardableResult
    func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(number, &status, 0) < 0 {
            guard errno == EINTR else { return -1 }
        }
        let signal = status & 0x7f
        return signal == 0 ? (status >> 8) & 0xff : 128 + signal
    }

    /// Both ends of a pipe, closed in programs that are started.
    static func makePipe() throws -> (reading: Int32, writing: Int32) {
        try lock.withLock {
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { throw ServerFailure("no pipe: error \(errno)") }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            return (ends[0], ends[1])
        }
    }

    /// Opens a file, closed in programs that are started.
    static func open(_ path: String, _ flags: Int32) throws -> Int32 {
        #if canImport(Glibc)
            let descriptor = Glibc.open(path, flags | O_CLOEXEC, 0o600)
        #elseif canImport(Musl)
            let descriptor = Musl.open(path, flags | O_CLOEXEC, 0o600)
        #else
            let descriptor = Darwin.open(path, flags | O_CLOEXEC, 0o600)
        #endif
        guard descriptor >= 0 else {
            throw ServerFailure("\(path) cannot be opened: error \(errno)")
        }
        return descriptor
    }
}
