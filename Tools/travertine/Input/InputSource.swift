import Foundation

/// A file, a pipe, standard input, or what a program writes, read in the pieces that come.
///
/// Waiting for input ends when the process is interrupted, also for a named pipe that nobody has
/// opened for writing yet.
final class InputSource {
    /// What messages call it: the path, or “standard input”.
    let name: String
    /// The size of the file, if it has one.
    let byteCount: UInt64?
    /// What messages call the records: "line", "row".
    let unit: String
    /// -1 for a program's output.
    private let file: Int32
    private var program: InputProgram?
    private var lz4: LZ4Decoder?
    private let interruption: Interruption?

    /// Where bytes are read from: the file, or the program, which may decompress it.
    private var descriptor: Int32 { program?.descriptor ?? file }

    /// Opens a path; `-` is standard input. A file whose name ends with `.gz` or `.lz4` is
    /// decompressed, and has no size then.
    init(path: String, until interruption: Interruption? = nil) throws {
        self.interruption = interruption
        unit = "line"
        if path == "-" {
            name = "standard input"
            file = STDIN_FILENO
            byteCount = nil
            return
        }
        name = path
        // Opening a named pipe would wait for its writer, deaf to signals.
        file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        var status = stat()
        guard file >= 0, fstat(file, &status) == 0 else {
            throw Self.failure(path, "opened", errno)
        }
        let kind = status.st_mode & S_IFMT
        let compression = Compression(path: path)
        let hasSize = kind == S_IFREG && compression == nil
        byteCount = hasSize ? UInt64(status.st_size) : nil
        if kind == S_IFDIR {
            close(file)
            throw CommandError(
                ExitStatus.noInput, "\(path) can't be read: it is a directory. Name a file in it.")
        }
        switch compression {
        case .gzip:
            // The child reads without polling, and would take a named pipe that nobody writes to
            // yet for an empty file.
            if kind != S_IFREG { try waitForWriter() }
            _ = fcntl(file, F_SETFL, O_RDONLY)
            program = try .gzip(reading: file, name: path)
        case .lz4: lz4 = try LZ4Decoder(name: path)
        case nil: break
        }
    }

    /// Takes what a program writes.
    init(_ program: InputProgram, name: String, unit: String, until interruption: Interruption?) {
        self.program = program
        self.name = name
        self.unit = unit
        self.interruption = interruption
        file = -1
        byteCount = nil
    }

    deinit { if file > STDIN_FILENO { close(file) } }

    /// Fills a part of the buffer, with as much as is there, and returns how much; 0 at the end.
    ///
    /// - Parameter place: where in the input this is, for the message of a failure: " after line
    ///   3".
    /// - Throws: `InputInterrupted`, and `CommandError` for what can't be read.
    func read(
        into target: UnsafeMutableRawBufferPointer, _ place: @autoclosure () -> String = ""
    ) throws -> Int {
        if let lz4 {
            return try lz4.read(into: target) { byteCount in
                try [UInt8](unsafeUninitializedCapacity: byteCount) { bytes, count in
                    count = try readBytes(into: UnsafeMutableRawBufferPointer(bytes), place())
                }
            }
        }
        return try readBytes(into: target, place())
    }

    private func readBytes(
        into target: UnsafeMutableRawBufferPointer, _ place: @autoclosure () -> String
    ) throws -> Int {
        while true {
            try wait()
            let count = Foundation.read(descriptor, target.baseAddress, target.count)
            if count == 0, let program {
                if interruption?.isRequested == true { throw InputInterrupted() }
                do {
                    try program.finish()
                } catch {
                    // Control-C ends both, and the program may be first.
                    if program.wasInterrupted, interruption?.isRequestedSoon == true {
                        throw InputInterrupted()
                    }
                    throw error
                }
            }
            if count >= 0 { return count }
            let reason = errno
            if reason == EINTR || reason == EAGAIN { continue }
            throw Self.failure(name, "read" + place(), reason)
        }
    }

    /// At most so many bytes, as an array; empty at the end.
    func read(
        upTo byteCount: Int, _ place: @autoclosure () -> String = ""
    ) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: byteCount) { target, count in
            count = 0
            count = try read(into: UnsafeMutableRawBufferPointer(target), place())
        }
    }

    private func waitForWriter() throws {
        do {
            try wait()
        } catch is InputInterrupted {
            throw interruption?.error("nothing was imported.") ?? InputInterrupted()
        }
    }

    /// Waits until there is input or its end, or a signal.
    private func wait() throws {
        let events = Int16(POLLIN)
        var descriptors = [
            pollfd(fd: descriptor, events: events, revents: 0),
            pollfd(fd: interruption?.wakeDescriptor ?? -1, events: events, revents: 0),
        ]
        while true {
            // Before the wait, as the descriptor to wake up by may be none.
            if interruption?.isRequested == true { throw InputInterrupted() }
            if poll(&descriptors, nfds_t(descriptors.count), -1) >= 0 { break }
            // What can't be waited for can still be read, or says why it can't.
            if errno != EINTR { return }
        }
        if interruption?.isRequested == true { throw InputInterrupted() }
    }

    private static func failure(_ name: String, _ verb: String, _ reason: Int32) -> CommandError {
        let text = String(cString: strerror(reason))
        return switch reason {
        case ENOENT, ENOTDIR: CommandError(ExitStatus.noInput, "\(name): there is no such file.")
        case EACCES:
            CommandError(
                ExitStatus.noPermission, "\(name) can't be \(verb): permission is denied.")
        default: CommandError(ExitStatus.inputOutput, "\(name) can't be \(verb): \(text).")
        }
    }
}
