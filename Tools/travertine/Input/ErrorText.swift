import Dispatch
import Foundation
import Synchronization

/// What a child writes to standard error, read as it comes: a child whose pipe is full waits.
final class ErrorText: Sendable {
    /// What is beyond is read, and left out.
    private static let byteCountMax = 16 << 10

    private let kept = Mutex<[UInt8]>([])
    private let hasEnded = DispatchGroup()

    /// Begins to read on a separate thread, until the child has closed its end.
    init(from pipe: Pipe) {
        hasEnded.enter()
        Thread.detachNewThread { [self] in
            // The pipe stays as long as it is read.
            withExtendedLifetime(pipe) { readAll(pipe.fileHandleForReading.fileDescriptor) }
            hasEnded.leave()
        }
    }

    private func readAll(_ descriptor: Int32) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            if count <= 0 { return }
            kept.withLock { kept in
                kept += buffer[..<count].prefix(Self.byteCountMax - kept.count)
            }
        }
    }

    /// Waits for the end; gives the text.
    func whole() -> String {
        hasEnded.wait()
        return kept.withLock { String(decoding: $0, as: UTF8.self) }
    }
}
