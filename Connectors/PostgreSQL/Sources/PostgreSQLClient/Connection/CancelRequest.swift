import CLibPQ
import Dispatch

/// A request to end the running statement of a connection, which goes over another connection.
///
/// libpq's function for it blocks without a limit, so that it runs on its own thread; that thread
/// ends with the network's own limits if the server does not answer.
final class CancelRequest: @unchecked Sendable {
    // The thread has `key` alone; `end` is for any thread.
    private let key: OpaquePointer
    private let end = DispatchSemaphore(value: 0)

    private static let messageByteCount = 256

    /// Sends the request; nil for a connection that is not established.
    init?(_ connection: OpaquePointer) {
        guard let key = PQgetCancel(connection) else { return nil }
        self.key = key
        DispatchQueue(label: "travertine.postgresql.cancel").async { [self] in
            var message = [CChar](repeating: 0, count: Self.messageByteCount)
            // Best effort: if it fails, the statement goes on until the connection is closed.
            _ = PQcancel(self.key, &message, Int32(message.count))
            end.signal()
        }
    }

    deinit { PQfreeCancel(key) }

    /// Waits until the server has taken the request; false if that takes longer. Called once.
    func waitUntilTaken(limit: Duration) -> Bool {
        end.wait(timeout: .now() + .milliseconds(Int(limit / .milliseconds(1)))) == .success
    }
}
