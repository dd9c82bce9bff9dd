import SegmentLog
import Synchronization

/// What compaction remembers between its steps.
final class CompactionState: @unchecked Sendable {
    /// Held during each step, and during a full pass: one pass runs at a time.
    let stepping = Monitor()
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
    var hasLoadedOlder = false
    /// After a full disk only segments without live records are taken, until a pass succeeds.
    var isShortOfSpace = false
    /// Bytes of segments that passes went through for each nanosecond, the newest counting most.
    var passRate: Double?
    let throttle = WriteThrottle()

    /// What other threads ask for.
    struct Shared {
        var isPaused = false
        var isScheduled = false
        /// Somebody asked since the newest step began.
        var isRequested = false
        var total = CompactionReport()
        var last: CompactionReport?
        var lastFailure: StoreError?
        var passCount = 0
        /// A copy of the outer `waiting`.
        var waiting: [RetiredSegment] = []
        var delayCount: UInt64 = 0
        var delayNanoseconds: UInt64 = 0
    }

    let shared = Mutex(Shared())

    /// A segment that the log no longer needs.
    struct RetiredSegment: Sendable {
        var number: SegmentNumber
        var byteCount: Int
        /// The version in which its records were first seen, and the one that sees none of them.
        var birth: UInt64
        var retirement: UInt64
        /// The LSN of the transaction that retired it.
        var lsn: LSN
    }
}
