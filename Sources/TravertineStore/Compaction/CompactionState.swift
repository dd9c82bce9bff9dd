import Locks
import SegmentLog
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What compaction remembers between its steps.
final class CompactionState: @unchecked Sendable {
    /// Held during each step, and during a full pass: one pass runs at a time.
    let stepping = Locked<Void>()
    /// Held while the headers of older segments are read: one thread does.
    let loading = Locked<Void>()
    /// The thread that is in a callback of the user while it holds `stepping`.
    private let caller = Locked<pthread_t?>(nil)
    /// The greatest version that retired a segment whose file is still there: who lets an older
    /// snapshot go may have been the last to see that file.
    let newestRetirement = Atomic<UInt64>(0)
    // Guarded by `stepping`.
    var pass: CompactionPass?
    /// Retired segments whose files are still there.
    var waiting: [RetiredSegment] = []
    /// Segments that could not be read; they stay until the store is opened again.
    var unreadable: Set<SegmentNumber> = []
    /// Bytes of needed tombstones by the segment that they were copied to: they count as live until
    /// a later pass retires a segment, which may be the one that they were needed for.
    var tombstoneByteCounts: [SegmentNumber: Int] = [:]
    var hasNotedRetiredFiles = false
    /// The passes of the present idle time; nil when the store is within its bound.
    var idle: IdleCompaction?
    /// The passes that make room on a full disk; nil when there is enough.
    var makingRoom: Series?
    /// After a full disk only segments without live records are taken, until a pass succeeds.
    var isShortOfSpace = false
    /// Bytes of segments that passes went through for each nanosecond, the newest counting most.
    var passRate: Double?
    /// What is expected of the first pass: 100 MB in a second.
    static let passRateAtFirst = 0.1
    let throttle = WriteThrottle()

    /// What other threads ask for.
    struct Shared {
        var isPaused = false
        /// A write was refused for lack of room, or used the reserve.
        var isRoomWanted = false
        /// Users have begun to be idle, and nobody has looked at the space yet.
        var isIdle = false
        var isScheduled = false
        /// Somebody asked since the newest step began.
        var isRequested = false
        /// A later attempt is asked for, because of readers in other processes.
        var isRetryScheduled = false
        var total = CompactionReport()
        var last: CompactionReport?
        var lastFailure: StoreError?
        var passCount = 0
        /// A copy of the outer `waiting`.
        var waiting: [RetiredSegment] = []
        var delayCount: UInt64 = 0
        var delayNanoseconds: UInt64 = 0
    }

    let shared = Locked(Shared())

    /// Passes that follow each other as long as each is worthwhile.
    enum Series { case begun, passing }

    /// A segment that the log no longer needs.
    struct RetiredSegment: Sendable {
        var number: SegmentNumber
        var byteCount: Int
        /// The version in which its records were first seen, and the one that sees none of them.
        var birth: UInt64
        var retirement: UInt64
        /// The LSN that its first batch has; zero if that was forgotten.
        var firstLSN: LSN
        /// The LSN of the transaction that retired it.
        var lsn: LSN
    }
}

extension CompactionState {
    /// Ends what needs more than one pass, after one that failed; until somebody asks for it
    /// again. The caller holds `stepping`.
    func giveUp() {
        idle = nil
        makingRoom = nil
    }

    /// Shows other threads which files wait. The caller holds `stepping`.
    func shareWaiting() {
        let copy = waiting
        shared.withLock { $0.waiting = copy }
    }

    /// Calls the user's code from inside of `stepping`.
    func call(_ body: () -> Void) {
        caller.withLock { $0 = pthread_self() }
        body()
        caller.withLock { $0 = nil }
    }

    /// Throws `.misuse` in code that `tell` calls: it would wait for itself.
    func checkNotInCallback() throws(StoreError) {
        let caller = caller.withLock { $0 }
        guard let caller, pthread_equal(caller, pthread_self()) != 0 else { return }
        throw StoreError(
            .misuse,
            "The store is calling this thread in a pass of compaction, which does not end before it "
                + "returns. Compact or close the store afterwards.")
    }
}
