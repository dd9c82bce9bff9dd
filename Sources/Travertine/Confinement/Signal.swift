import Locks

/// Lets one task wait for a value that code elsewhere sends. A value that nobody has waited for yet
/// stays; a later one takes its place.
final class Signal<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var waiting: CheckedContinuation<Value, Never>?
    }

    private let state = Locked(State())

    /// On any thread.
    func send(_ value: Value) {
        let waiting = state.withLock { state in
            let waiting = state.waiting
            state.waiting = nil
            if waiting == nil { state.value = value }
            return waiting
        }
        waiting?.resume(returning: value)
    }

    /// Waits for the next value; goes on where the caller is isolated.
    nonisolated(nonsending) func wait() async -> Value {
        await withCheckedContinuation { continuation in
            let value = state.withLock { state -> Value? in
                let value = state.value
                state.value = nil
                if value == nil { state.waiting = continuation }
                return value
            }
            if let value { continuation.resume(returning: value) }
        }
    }
}
