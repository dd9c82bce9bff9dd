import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The thread of a `FaultProxy`: waits for all sockets at once.
final class ForwardingLoop: @unchecked Sendable {
    // The settings are for any thread, the connections for that of the loop.
    private let settings = Mutex(FaultProxy.Settings())
    private let listener: Int32
    private let serverPort: UInt16
    /// A byte in it has the loop look at the settings.
    private let wake: (reading: Int32, writing: Int32)
    private var connections: [ForwardedConnection] = []

    init(_ listener: Int32, to serverPort: UInt16) throws {
        self.listener = listener
        self.serverPort = serverPort
        wake = try ChildProcess.makePipe()
    }

    /// Changes the settings, and has the loop act on them.
    func change(_ body: (inout FaultProxy.Settings) -> Void) {
        settings.withLock { body(&$0) }
        var byte: UInt8 = 0
        _ = write(wake.writing, &byte, 1)
    }

    func run() {
        defer {
            for connection in connections { connection.end() }
            for descriptor in [listener, wake.reading, wake.writing] { close(descriptor) }
        }
        while true {
            let (isClosed, isStalled, drops) = settings.withLock { settings in
                defer { settings.dropsConnections = false }
                return (settings.isClosed, settings.isStalled, settings.dropsConnections)
            }
            if isClosed { return }
            if drops { for connection in connections { connection.end() } }
            connections.removeAll(where: \.isEnded)
            waitAndForward(isStalled: isStalled)
        }
    }

    private func waitAndForward(isStalled: Bool) {
        var descriptors = [
            pollfd(fd: wake.reading, events: Int16(POLLIN), revents: 0),
            pollfd(fd: listener, events: Int16(POLLIN), revents: 0),
        ]
        if !isStalled { descriptors += connections.flatMap(\.descriptors) }
        let next = isStalled ? nil : connections.compactMap(\.nextDue).min()
        let timeout = next.map { max(1, Int32(($0 - .now) / .milliseconds(1)) + 1) } ?? -1
        guard poll(&descriptors, nfds_t(descriptors.count), timeout) >= 0 else { return }
        if descriptors[0].revents != 0 {
            var bytes = [UInt8](repeating: 0, count: 64)
            _ = read(wake.reading, &bytes, bytes.count)
            // The settings come first.
            return
        }
        if descriptors[1].revents != 0 { acceptConnection() }
        guard !isStalled else { return }
        // Those that were just accepted have no result yet.
        let polled = (descriptors.count - 2) / ForwardedConnection.descriptorCount
        for (index, connection) in connections.prefix(polled).enumerated() {
            let start = 2 + index * ForwardedConnection.descriptorCount
            let results = descriptors[start..<start + ForwardedConnection.descriptorCount]
            connection.forward(Array(results), settings)
        }
    }

    private func acceptConnection() {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        do {
            let server = try LoopbackSocket.connected(to: serverPort)
            connections.append(ForwardedConnection(client: client, server: server))
        } catch {
            // The client sees what it would see without the proxy: nobody is there.
            close(client)
        }
    }
}
