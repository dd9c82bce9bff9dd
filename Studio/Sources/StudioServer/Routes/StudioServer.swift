import FlyingSocks
import Foundation
import Travertine
import TravertineStore

/// The server of Travertine Studio: one realm, on the loopback address.
public struct StudioServer: Sendable {
    private let listener: Listener
    private let router: Router

    /// Opens a realm and takes a port.
    ///
    /// - Parameters:
    ///   - directory: that of the realm.
    ///   - port: 0 for any that is free.
    ///   - isWritable: whether the page may change the realm, which is then opened for writing.
    /// - Throws: `Realm.Error` if the realm does not open; `StudioError` if the port can't
    ///   be listened on.
    public init(
        directory: URL, key: Data? = nil, port: UInt16 = 0, isWritable: Bool = false
    ) async throws {
        try await self.init(
            directory: directory, key: key, port: port, isWritable: isWritable,
            limits: RequestLimits())
    }

    init(
        directory: URL, key: Data? = nil, port: UInt16, isWritable: Bool, limits: RequestLimits
    ) async throws {
        let events = EventHub()
        let explorer = try await RealmExplorer(directory, key: key, isWritable: isWritable) {
            events.send(version: $0)
        }
        do {
            listener = try await Listener(port: port, limits: limits)
        } catch SocketError.failed(_, let number, _) where number == EADDRINUSE {
            throw StudioError.port(port)
        } catch SocketError.failed(_, _, let message) {
            throw StudioError.socket(port, message)
        }
        router = Router(
            explorer: explorer, events: events,
            maintenance: Maintenance(
                directory, key: try key.map { try EncryptionKey($0) }, explorer: explorer,
                events: events),
            guardian: RequestGuard(port: listener.port, token: AccessToken()))
    }

    /// The address of the page, with the key that lets a browser in.
    public var address: String { address(with: router.guardian.token.text) }

    /// An address that lets one browser in, once, in the next half minute.
    public func makeSingleUseAddress() -> String {
        address(with: router.guardian.token.makeSingleUse())
    }

    /// The key is in the fragment, which no browser sends to a server or to another page.
    private func address(with token: String) -> String {
        "http://127.0.0.1:\(listener.port)/#key=\(token)"
    }

    /// Removes what a verification that is under way has made beside the realm: for a program that
    /// ends now. The verification fails.
    public func removeTemporaryFiles() { router.maintenance.removeTemporaryFiles() }

    /// Serves until the task is cancelled.
    public func run() async throws {
        let router = router
        try await listener.run { await router.respond(to: $0) }
    }

    // MARK: For tests

    var port: UInt16 { listener.port }
    var token: String { router.guardian.token.text }
    var cookieName: String { router.guardian.cookieName }
    var base: String { "/\(router.guardian.token.path)" }
}

/// Why the studio does not start.
public enum StudioError: Error, CustomStringConvertible {
    /// The port is taken.
    case port(UInt16)
    /// The port can't be listened on, with what the system says.
    case socket(UInt16, String)

    /// What happened, and what to do.
    public var description: String {
        switch self {
        case .port(let port):
            "port \(port) of 127.0.0.1 is taken; leave out --port, or name another one"
        case .socket(let port, let message):
            "port \(port) of 127.0.0.1 can't be listened on: \(message); leave out --port, or name "
                + "another one"
        }
    }
}
