import SegmentLog

/// One pass of verification over all sealed segments and page files, in pieces that a caller reads
/// when it likes.
///
/// - S1. It reads; it never changes, repairs or removes a file, and holds none back from being
///   removed.
/// - S2. What is damaged is reported once for each file, and the pass goes on with the next file.
/// - S3. A file that compaction or a checkpoint removed in the meantime, is no finding.
final class ScrubPass {
    private enum Piece {
        case segment(SegmentScrub)
        case pages(PageScrub)
    }

    private var segments: ArraySlice<SegmentSummary>
    private var pageFiles: ArraySlice<UInt32>
    private var piece: Piece?
    /// The file in progress.
    private var file = (segment: SegmentNumber.none, pageFile: 0 as UInt32)
    let fileCount: Int
    /// The segment up to which everything was verified.
    private(set) var position: SegmentNumber
    /// What was found in this process.
    private(set) var report = ScrubReport()
    /// What was found up to where the pass began in this process.
    private let earlier: (findingCount: Int, byteCount: UInt64)

    /// A pass over segments and page files, from where an earlier process may have stopped.
    init(_ segments: [SegmentSummary], continuing record: ScrubRecord, pageFiles: [UInt32]) {
        let position = record.position
        self.position = position
        earlier =
            position == .none ? (0, 0) : (Int(record.findingCount), record.byteCount)
        self.segments = segments.filter { $0.number > position }[...]
        self.pageFiles = pageFiles[...]
        fileCount = self.segments.count + pageFiles.count
    }

    var isDone: Bool { piece == nil && segments.isEmpty && pageFiles.isEmpty }

    /// Files in which the whole pass found damage.
    var findingCount: Int { earlier.findingCount + report.findings.count }

    /// Bytes that the whole pass verified.
    var byteCount: UInt64 { earlier.byteCount &+ report.byteCount }

    /// Files that are still to be read, the one in progress included.
    var remainingCount: Int { segments.count + pageFiles.count + (piece == nil ? 0 : 1) }

    /// Verifies about so many bytes of one file; returns how many it were, and what it found.
    func step(_ store: Store, byteCount: Int) -> (byteCount: Int, finding: StoreError?) {
        do throws(StoreError) {
            if piece == nil { try beginNext(store) }
            var done = 0
            switch piece {
            case .segment(let scrub):
                do throws(LogError) {
                    done = try scrub.step(byteCount: byteCount)
                } catch {
                    throw StoreError(error)
                }
                if scrub.isDone {
                    position = file.segment
                    endFile()
                }
            case .pages(let scrub):
                done = try scrub.step(byteCount: byteCount)
                if scrub.isDone { endFile() }
            case nil: break
            }
            report.byteCount += UInt64(done)
            return (done, nil)
        } catch {
            let isGone = error.code == .notFound && isGone(store)
            piece = nil
            if file.segment != .none { position = file.segment }
            if isGone { return (0, nil) }
            report.findings.append(error.description)
            return (0, error)
        }
    }

    private func endFile() {
        piece = nil
        report.fileCount += 1
    }

    private func beginNext(_ store: Store) throws(StoreError) {
        file = (.none, 0)
        if let segment = segments.popFirst() {
            file.segment = segment.number
            do throws(LogError) {
                piece = .segment(try store.log.scrub(of: segment))
            } catch {
                throw StoreError(error)
            }
        } else if let number = pageFiles.popFirst() {
            file.pageFile = number
            piece = .pages(
                try PageScrub(
                    number, directory: store.path, identity: store.log.identity,
                    fileSystem: store.options.environment.fileSystem))
        }
    }

    /// Whether the file in progress is none of the store's any more.
    private func isGone(_ store: Store) -> Bool {
        if file.segment == .none {
            return !store.checkpoints.filesInUse.contains(file.pageFile)
        }
        // Compaction removes a file, then forgets the segment, then that it waited.
        let number = file.segment
        let isRetired = store.compaction.shared.withLock { shared in
            shared.waiting.contains { $0.number == number }
        }
        return isRetired || !store.log.segments.contains { $0.number == number }
    }
}
