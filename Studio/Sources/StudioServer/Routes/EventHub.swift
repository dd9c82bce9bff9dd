import Synchronization

/// Sends events to every page that is open, as server-sent events.
///
/// Of versions only the newest is sent, ten times a second at most.
final class EventHub: Sendable {
    private struct State {
        var subscribers: [Int: AsyncStream<[UInt8]>.Continuation] = [:]
        var nextNumber = 0
        var version: Int?
    }

    private let state = Mutex(State())
    /// Pages that are sent events at the same time.
    static let subscriberCount = 16
    private static let pause = Duration.milliseconds(100)
    private static let heartbeatPause = Duration.seconds(15)

    /// The events from now on; nil if there are too many pages already.
    func subscribe() -> AsyncStream<[UInt8]>? {
        let (stream, continuation) = AsyncStream.makeStream(
            of: [UInt8].self, bufferingPolicy: .bufferingNewest(64))
        let number = state.withLock { state -> Int? in
            guard state.subscribers.count < Self.subscriberCount else { return nil }
            state.nextNumber += 1
            state.subscribers[state.nextNumber] = continuation
            return state.nextNumber
        }
        guard let number else { return nil }
        // A connection that the other side has closed is found by writing to it.
        let heartbeat = Task {
            while true {
                try await Task.sleep(for: Self.heartbeatPause)
                continuation.yield(Array(": \n\n".utf8))
            }
        }
        continuation.onTermination = { [weak self] _ in
            heartbeat.cancel()
            _ = self?.state.withLock { $0.subscribers.removeValue(forKey: number) }
        }
        continuation.yield(Array("retry: 1000\n\n".utf8))
        return stream
    }

    /// Sends an event with a name.
    func send(_ name: String, _ value: JSON) {
        let bytes = Array("event: \(name)\ndata: ".utf8) + value.bytes + Array("\n\n".utf8)
        let subscribers = state.withLock { Array($0.subscribers.values) }
        for subscriber in subscribers { subscriber.yield(bytes) }
    }

    /// Notifies the pages soon that the realm shows another version.
    func send(version: Int) {
        let isFirst = state.withLock { state in
            defer { state.version = version }
            return state.version == nil
        }
        guard isFirst else { return }
        Task {
            try? await Task.sleep(for: Self.pause)
            let newest = state.withLock { state in
                defer { state.version = nil }
                return state.version
            }
            if let newest { send("version", .object([("version", .number(newest))])) }
        }
    }
}
