import OrderedIndex
import SegmentLog

/// What a checkpoint is written from: a pinned root, and counters of the same moment.
///
/// The pin makes the writer copy what the root holds, so it goes as soon as the pages are out:
/// before anything is synced. One thread at a time.
final class CheckpointImage {
    private let index: Index
    private let pin: IndexPin
    private var isPinned = true
    /// The version of the root.
    let version: UInt64
    let usage: SegmentUsage
    /// The last LSN that was written: that of the newest commit, or of a later part of a
    /// transaction that was rolled back. Replay goes on right after it.
    let lsn: LSN
    let end: LogPosition?
    let logByteCount: UInt64
    /// The newest retirement table up to `lsn`.
    let retirement: Location?

    init(
        index: Index, pin: IndexPin, usage: SegmentUsage, lsn: LSN, end: LogPosition?,
        logByteCount: UInt64, retirement: Location?
    ) {
        self.index = index
        self.pin = pin
        self.usage = usage
        self.lsn = lsn
        self.end = end
        self.logByteCount = logByteCount
        self.retirement = retirement
        version = pin.root.pointee.version
    }

    deinit { releasePin() }

    /// The pinned root.
    var root: UnsafePointer<RootHeader> {
        precondition(isPinned, "the image was given back")
        return pin.root
    }

    /// Lets the root go; without effect the second time.
    func releasePin() {
        if isPinned { index.unpin(pin) }
        isPinned = false
    }
}
