import Foundation

/// Standard output with its own buffer: a scan prints many short lines.
struct OutputWriter {
    private var buffer: [UInt8] = []
    private static let bufferByteCount = 64 << 10

    /// Whether a person reads it.
    let isTerminal = isatty(STDOUT_FILENO) == 1

    /// Whether nobody reads it any more: it is a pipe whose other end is closed.
    var isReaderGone: Bool {
        var descriptor = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        return poll(&descriptor, 1, 0) > 0 && descriptor.revents & Int16(POLLERR) != 0
    }

    /// Adds a line.
    mutating func writeLine(_ line: String) {
        buffer.append(contentsOf: line.utf8)
        buffer.append(UInt8(ascii: "\n"))
        if buffer.count >= Self.bufferByteCount { flush() }
    }

    /// Adds bytes as they are.
    mutating func write(_ bytes: [UInt8]) {
        buffer.append(contentsOf: bytes)
        if buffer.count >= Self.bufferByteCount { flush() }
    }

    /// Writes out what is buffered. A reader that has closed the pipe ends the process by SIGPIPE,
    /// as usual; any other failure ends it with the status of one.
    mutating func flush() {
        do {
            try buffer.withUnsafeBytes {
                try OutputFile.write($0, to: STDOUT_FILENO, "standard output")
            }
        } catch {
            ErrorReport(error, subcommand: Entry.subcommand).exit()
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Writes out what `print` buffered, at the end.
    ///
    /// - Throws: `CommandError` if it could not be written.
    static func finishPrinting() throws {
        // All streams: the variable `stdout` may not be used from Swift 6.
        if fflush(nil) != 0 {
            throw OutputFile.error("written", "standard output")
        }
    }
}

/// Writes a line to standard error about what was done, unless `--quiet` asks for none.
func printNote(_ line: String) {
    if !Messages.areOff { printToStandardError(line) }
}

/// Writes a line to standard error about something that the user should know.
func printWarning(_ line: String) {
    printToStandardError(Style.errors.yellow("warning:") + " " + line)
}

/// Writes a line to standard error, as far as it can be.
func printToStandardError(_ line: String) {
    Array((line + "\n").utf8).withUnsafeBytes { bytes in
        do {
            try OutputFile.write(bytes, to: STDERR_FILENO, "standard error")
        } catch {
            // There is nowhere to report it.
        }
    }
}
