import Foundation

/// Standard output with a buffer of its own: a scan prints many short lines.
struct OutputWriter {
    private var buffer: [UInt8] = []
    private static let bufferByteCount = 64 << 10

    /// Whether a person reads it.
    let isTerminal = isatty(STDOUT_FILENO) == 1

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

    /// Writes out what is buffered. A reader that went away ends the process by SIGPIPE, as usual.
    mutating func flush() {
        FileHandle.standardOutput.write(Data(buffer))
        buffer.removeAll(keepingCapacity: true)
    }
}

/// Writes a line to standard error.
func printToStandardError(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
}
