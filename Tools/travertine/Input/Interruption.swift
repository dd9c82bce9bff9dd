import Foundation
import Synchronization

/// Notices control-C, so that a job can stop at a good place; a second one ends the process.
struct Interruption {
    private static let count = Atomic<Int>(0)

    /// Starts to notice.
    init() {
        signal(SIGINT) { _ in
            if Interruption.count.add(1, ordering: .relaxed).newValue > 1 {
                _exit(ExitStatus.interrupted)
            }
        }
        // A parent may start programs with the signal blocked, as threads of Dispatch have it.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGINT)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    /// Whether control-C was pressed.
    var isRequested: Bool { Self.count.load(ordering: .relaxed) > 0 }
}
