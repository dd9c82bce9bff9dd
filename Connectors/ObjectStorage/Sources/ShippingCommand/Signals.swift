import Foundation
import Synchronization

/// Control-C and SIGTERM, noticed so that a command ends at a good place; the second one ends the
/// process at once.
enum Signals {
    private static let received = Atomic<Int32>(0)

    static func notice() {
        _ = received.load(ordering: .relaxed)
        for number in [SIGINT, SIGTERM] {
            let before = signal(number) { Signals.note($0) }
            // As shells start jobs in the background.
            if unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
                signal(number, SIG_IGN)
            }
        }
        signal(SIGPIPE, SIG_IGN)
    }

    /// The signal that came; 0 for none.
    static var number: Int32 { received.load(ordering: .relaxed) }

    private static func note(_ number: Int32) {
        let (isFirst, _) = received.compareExchange(
            expected: 0, desired: number, ordering: .relaxed)
        if !isFirst { _exit(128 + number) }
    }

    /// Runs `body`, and cancels it so long after a signal.
    static func cancelling<Result: Sendable>(
        after grace: Duration = .zero, _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let work = Task { try await body() }
        let watch = Task {
            while number == 0 { try await Task.sleep(for: .milliseconds(100)) }
            try await Task.sleep(for: grace)
            work.cancel()
        }
        defer { watch.cancel() }
        return try await work.value
    }
}
