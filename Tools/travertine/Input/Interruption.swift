import Foundation
import Synchronization

/// Notices control-C and SIGTERM, so that a job can stop at a good place and say where it is; a
/// second signal ends the process at once. A signal that the parent had this process ignore stays
/// ignored.
///
/// A job that only waits is not at such a place: `InputSource` wakes up from waiting for input, and
/// what comes before `begin` ends with the first signal.
final class Interruption: Sendable {
    /// The signal that came first; 0 for none.
    private static let signal = Atomic<Int32>(0)
    private static let hasBegun = Atomic<Bool>(false)
    /// The end of a pipe that the handler writes to; the other end wakes the thread that waits for
    /// input.
    private static let wakingEnd = Atomic<Int32>(-1)
    // Set before the handler is, and never again; the handler only reads its static bytes.
    nonisolated(unsafe) private static var outcome: StaticString = ""

    /// Readable once a signal has come; -1 if there are no descriptors left.
    let wakeDescriptor: Int32

    /// Starts to notice.
    ///
    /// - Parameter outcome: what is so if a signal comes before `begin`: "Nothing was imported.".
    init(before outcome: StaticString) {
        var ends: [Int32] = [-1, -1]
        _ = pipe(&ends)
        for end in ends where end >= 0 { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        wakeDescriptor = ends[0]
        Self.wakingEnd.store(ends[1], ordering: .relaxed)
        Self.outcome = outcome
        _ = Self.signal.load(ordering: .relaxed)
        _ = Self.hasBegun.load(ordering: .relaxed)
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM] {
            let before = Foundation.signal(number) { Interruption.note($0) }
            // As shells start jobs in the background: control-C is not meant for those.
            if unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
                Foundation.signal(number, SIG_IGN)
                continue
            }
            sigaddset(&signals, number)
        }
        // A parent may start programs with signals blocked, as threads of Dispatch have them.
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    /// From here on the job checks whether a signal came, and ends by itself.
    func begin() { Self.hasBegun.store(true, ordering: .relaxed) }

    /// Whether a signal came.
    var isRequested: Bool { Self.signal.load(ordering: .relaxed) != 0 }

    /// Whether a signal came, or comes within a second.
    var isRequestedSoon: Bool {
        var descriptor = pollfd(fd: wakeDescriptor, events: Int16(POLLIN), revents: 0)
        if !isRequested { _ = poll(&descriptor, 1, 1_000) }
        return isRequested
    }

    /// The error that an interrupted job ends with.
    func error(_ outcome: String) -> CommandError {
        let signal = Self.signal.load(ordering: .relaxed)
        return CommandError(
            ExitStatus.signalled + signal,
            "\(signal == SIGTERM ? "ended by SIGTERM" : "interrupted"); \(outcome)")
    }

    /// The handler: nothing but what POSIX allows in one.
    private static func note(_ number: Int32) {
        let (isFirst, _) = signal.compareExchange(
            expected: 0, desired: number, ordering: .relaxed)
        guard isFirst else { _exit(ExitStatus.signalled + number) }
        if !hasBegun.load(ordering: .relaxed) {
            write("error: interrupted. ")
            write(outcome)
            write("\n")
            _exit(ExitStatus.signalled + number)
        }
        var byte: UInt8 = 0
        let saved = errno
        _ = Foundation.write(wakingEnd.load(ordering: .relaxed), &byte, 1)
        errno = saved
    }

    private static func write(_ text: StaticString) {
        _ = Foundation.write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount)
    }
}
