import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// One connection through a `FaultProxy`. For the proxy's thread.
final class ForwardedConnection {
    /// How many descriptors it waits for.
    static let descriptorCount = 2
    private static let chunkByteCount = 64 << 10

    /// Bytes that were read from one side, until they are written to the other.
    private struct Stream {
        let direction: FaultProxy.Direction
        let source: Int32
        let target: Int32
        var chunks: [(due: ContinuousClock.Instant, bytes: [UInt8])] = []
        /// Not more than a chunk or two, so that a slow receiver slows the sender down.
        var isFull: Bool { chunks.count >= 2 }
        func isDue(_ now: ContinuousClock.Instant) -> Bool {
            chunks.first.map { $0.due <= now } ?? false
        }
    }

    private var streams: [Stream]
    private(set) var isEnded = false
    /// The next bytes from the server end the connection.
    private var cutsAtAnswer = false

    init(client: Int32, server: Int32) {
        streams = [
            Stream(direction: .toServer, source: client, target: server),
            Stream(direction: .toClient, source: server, target: client),
        ]
    }

    /// Closes both sides.
    func end() {
        guard !isEnded else { return }
        isEnded = true
        for stream in streams { close(stream.source) }
    }

    /// What to wait for at the client's and at the server's socket.
    var descriptors: [pollfd] {
        let now = ContinuousClock.now
        return [(streams[0], streams[1]), (streams[1], streams[0])].map { reader, writer in
            var events: Int16 = 0
            if !reader.isFull { events |= Int16(POLLIN) }
            if writer.isDue(now) { events |= Int16(POLLOUT) }
            // A descriptor below 0 is skipped: one that has ended would be ready all the time.
            return pollfd(fd: events == 0 ? -1 : reader.source, events: events, revents: 0)
        }
    }

    /// When delayed bytes may go on.
    var nextDue: ContinuousClock.Instant? {
        let now = ContinuousClock.now
        return streams.compactMap { $0.chunks.first?.due }.filter { $0 > now }.min()
    }

    /// Reads and writes what is possible.
    func forward(_ results: [pollfd], _ settings: borrowing Mutex<FaultProxy.Settings>) {
        for index in streams.indices where !isEnded {
            if results[index].revents & ~Int16(POLLOUT) != 0 { read(index, settings) }
        }
        for index in streams.indices where !isEnded {
            write(index, settings)
        }
    }

    private func read(_ index: Int, _ settings: borrowing Mutex<FaultProxy.Settings>) {
        guard !streams[index].isFull else { return }
        var bytes = [UInt8](repeating: 0, count: Self.chunkByteCount)
        let count = recv(streams[index].source, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        guard count > 0, !(cutsAtAnswer && index == 1) else { return end() }
        bytes.removeSubrange(count...)
        if index == 0 {
            switch interception(of: bytes, settings) {
            case .forward: break
            case .cut: return end()
            case .cutAfterAnswer: cutsAtAnswer = true
            case .stall: settings.withLock { $0.isStalled = true }
            }
        }
        let delay = settings.withLock(\.delay)
        streams[index].chunks.append((.now + delay, bytes))
    }

    private func interception(
        of bytes: [UInt8], _ settings: borrowing Mutex<FaultProxy.Settings>
    ) -> FaultProxy.Interception {
        let action = settings.withLock { settings -> (@Sendable () -> FaultProxy.Interception)? in
            guard let (text, action) = settings.interception, bytes.contains(text) else {
                return nil
            }
            settings.interception = nil
            return action
        }
        return action?() ?? .forward
    }

    private func write(_ index: Int, _ settings: borrowing Mutex<FaultProxy.Settings>) {
        let now = ContinuousClock.now
        while streams[index].isDue(now) {
            let direction = streams[index].direction
            let (isStalled, left) = settings.withLock {
                ($0.isStalled, $0.byteCountsLeft[direction])
            }
            if isStalled { return }
            let bytes = streams[index].chunks[0].bytes
            let count = min(bytes.count, left ?? .max)
            #if canImport(Darwin)
                let flags = Int32(MSG_DONTWAIT)
            #else
                let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
            #endif
            let sent = count == 0 ? 0 : send(streams[index].target, bytes, count, flags)
            if sent < 0 {
                if errno == EAGAIN || errno == EINTR { return }
                return end()
            }
            if left != nil {
                let isSpent = settings.withLock { settings in
                    settings.byteCountsLeft[direction, default: 0] -= sent
                    return settings.byteCountsLeft[direction, default: 0] <= 0
                }
                if isSpent {
                    settings.withLock { $0.byteCountsLeft[direction] = nil }
                    return end()
                }
            }
            if sent == bytes.count {
                streams[index].chunks.removeFirst()
            } else {
                streams[index].chunks[0].bytes.removeFirst(sent)
            }
        }
    }
}
