import Locks
import SegmentLog

/// Wakes one task that waits; a call before it waits counts, several count once.
final class Wakeup: Sendable {
    private enum State {
        case idle
        case called
        case waiting(CheckedContinuation<Void, Never>)
    }

    private let state = Locked(State.idle)

    /// Ends the task's wait, or the next one. Any thread.
    func wake() {
        let continuation = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if case .waiting(let continuation) = state {
                state = .idle
                return continuation
            }
            state = .called
            return nil
        }
        continuation?.resume()
    }

    /// Returns after a call of `wake` since the last return, or when the task is cancelled. One
    /// task at a time.
    func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isCalled = state.withLock { state in
                    if case .called = state {
                        state = .idle
                        return true
                    }
                    state = .waiting(continuation)
                    return false
                }
                if isCalled { continuation.resume() }
            }
        } onCancel: {
            wake()
        }
    }
}
