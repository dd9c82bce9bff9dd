import CLibPQ
import Dispatch
import Synchronization

/// The first step of connecting, on its own thread: it looks the first host's name up, and the
/// system's functions for that block without a limit.
final class ConnectionStart: Sendable {
    private enum State {
        case running
        /// Nobody waits for the handle any more.
        case abandoned
        /// libpq's handle as a number, since pointers cannot be sent; nil if memory ran out.
        case finished(UInt?)
    }

    private let state = Mutex(State.running)
    private let end = DispatchSemaphore(value: 0)

    /// Begins.
    init(_ settings: [(keyword: String, value: String)]) {
        DispatchQueue(label: "travertine.postgresql.connect").async { [self] in
            let handle = Self.start(settings)
            let isAbandoned = state.withLock { state in
                if case .abandoned = state { return true }
                state = .finished(handle.map { UInt(bitPattern: $0) })
                return false
            }
            if isAbandoned { PQfinish(handle) }
            end.signal()
        }
    }

    private static func start(_ settings: [(keyword: String, value: String)]) -> OpaquePointer? {
        let keywords = CStringList(settings.map(\.keyword))
        let values = CStringList(settings.map(\.value))
        return keywords.withPointers { keywords in
            values.withPointers { values in PQconnectStartParams(keywords, values, 0) }
        }
    }

    /// Waits for the end of the step; false if that takes longer.
    func wait(_ limit: Duration) -> Bool {
        let milliseconds = max(1, Int(limit / .milliseconds(1)))
        return end.wait(timeout: .now() + .milliseconds(milliseconds)) == .success
    }

    /// The handle, which the caller then owns. Called once, after the end.
    func take() -> OpaquePointer? {
        state.withLock { state in
            guard case .finished(let number) = state else { return nil }
            state = .abandoned
            return number.flatMap { OpaquePointer(bitPattern: $0) }
        }
    }

    /// Has the handle freed when the step ends.
    func abandon() {
        let handle = state.withLock { state -> OpaquePointer? in
            defer { state = .abandoned }
            guard case .finished(let number) = state else { return nil }
            return number.flatMap { OpaquePointer(bitPattern: $0) }
        }
        PQfinish(handle)
    }
}
