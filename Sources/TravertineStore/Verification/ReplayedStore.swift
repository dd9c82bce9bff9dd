import OrderedIndex
import SegmentLog

/// A log and an index that were built for verification, read as a store reads them.
final class ReplayedStore {
    let log: SegmentLog
    let index: Index
    private let pages: [AttachedPages]
    private let pin: IndexPin
    /// The live bytes of segments as checkpoint and replay have them.
    let usage: SegmentUsage
    let report: OpeningReport

    init(_ opened: consuming OpenedStore) {
        log = opened.log
        index = opened.index
        pages = opened.pages
        usage = opened.usage
        report = opened.report
        pin = opened.index.pin(note: 0)
    }

    deinit { index.unpin(pin) }

    /// The read path over the newest version.
    var access: ReadAccess {
        ReadAccess(
            index: index.reader, segments: log.reader, trees: pin.root.pointee.trees,
            treeCount: pin.root.pointee.treeCount, pending: nil)
    }
}
