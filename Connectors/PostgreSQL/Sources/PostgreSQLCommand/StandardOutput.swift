import Foundation

/// Bytes for standard output that were not written yet.
struct StandardOutput {
    private static let byteCountMax = 64 << 10

    var bytes: [UInt8] = []

    /// Whether it is a pipe whose other end was closed.
    static var isReaderGone: Bool {
        var descriptor = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        // The system that is asked decides which of the two it is.
        return poll(&descriptor, 1, 0) > 0 && descriptor.revents & Int16(POLLERR | POLLHUP) != 0
    }

    /// What ends a command whose rows do not arrive.
    static func failure(_ reason: String) -> CommandFailure {
        CommandFailure(status: 74, message: "the rows can't be written: \(reason)")
    }

    mutating func flushIfLarge() throws {
        if bytes.count >= Self.byteCountMax { try flush() }
    }

    mutating func flush() throws {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes {
                write(STDOUT_FILENO, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.failure(String(cString: strerror(errno))) }
            written += count
        }
        bytes.removeAll(keepingCapacity: true)
    }
}
