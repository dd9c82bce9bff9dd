import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A TCP proxy on the loopback address that fails on demand.
///
/// One thread forwards the bytes of all connections; it ends with the last reference. All functions
/// are for any thread, and take effect before the next byte is forwarded.
public final class FaultProxy: Sendable {
    /// Which way bytes go.
    public enum Direction: Hashable, Sendable {
        /// From the client to the server.
        case toServer
        /// From the server to the client.
        case toClient
    }

    /// What becomes of what a client sent.
    public enum Interception: Sendable {
        /// It goes on to the server.
        case forward
        /// The connection ends, and the server gets nothing of it.
        case cut
        /// The server gets it; when it answers, the connection ends, and the client gets nothing.
        case cutAfterAnswer
        /// From now on nothing is forwarded.
        case stall
    }

    /// What tests have asked for.
    struct Settings {
        var isClosed = false
        var isStalled = false
        var dropsConnections = false
        var delay: Duration = .zero
        /// How many bytes may still pass.
        var byteCountsLeft: [Direction: Int] = [:]
        /// What to do when a client sends a text.
        var interception: (text: [UInt8], action: @Sendable () -> Interception)?
    }

    /// Where clients connect to, on 127.0.0.1.
    public let port: UInt16
    private let loop: ForwardingLoop

    /// Forwards to a port on 127.0.0.1.
    ///
    /// - Throws: `ServerFailure`.
    public init(to serverPort: UInt16) throws {
        let (listener, port) = try LoopbackSocket.listening()
        self.port = port
        let loop = try ForwardingLoop(listener, to: serverPort)
        self.loop = loop
        Thread.detachNewThread { loop.run() }
    }

    deinit { loop.change { $0.isClosed = true } }

    /// Forwards everything again. What was stalled comes after all.
    public func pass() {
        loop.change { settings in
            settings.isStalled = false
            settings.delay = .zero
            settings.byteCountsLeft = [:]
            settings.interception = nil
        }
    }

    /// Takes connections, but forwards nothing any more.
    public func stall() { loop.change { $0.isStalled = true } }

    /// Ends all connections, once.
    public func dropConnections() { loop.change { $0.dropsConnections = true } }

    /// Ends the connection on which the n-th byte from now on passes, after that byte.
    public func cut(_ direction: Direction, afterByteCount byteCount: Int) {
        loop.change { $0.byteCountsLeft[direction] = byteCount }
    }

    /// Holds all bytes back for a time.
    public func delay(_ delay: Duration) { loop.change { $0.delay = delay } }

    /// Calls `action` on the proxy's thread when a client sends a text in one piece, and does what
    /// it returns with the piece. Once.
    public func intercept(_ text: String, _ action: @escaping @Sendable () -> Interception) {
        loop.change { $0.interception = (Array(text.utf8), action) }
    }
}
