/// The verification of one sealed segment, a piece at a time, so that nobody notices it.
///
/// Reads through `pread`; changes nothing. One thread at a time.
package final class SegmentScrub {
    private let scanner: SegmentScanner
    private let endOffset: Int
    private var offset = SegmentHeader.byteCount
    private var nextLSN: LSN

    init(scanner: SegmentScanner, summary: SegmentSummary) {
        self.scanner = scanner
        endOffset = Int(clamping: summary.endOffset)
        nextLSN = summary.firstLSN
    }

    /// Whether every batch was verified.
    package var isDone: Bool { offset >= endOffset }

    /// Verifies the next batches, about so many bytes of them; returns how many it were.
    ///
    /// Throws `.damaged` at the first batch that is not what it must be, and `.io` when the file
    /// can't be read; what comes after such a place is left to `fsck`.
    package func step(byteCount: Int) throws(LogError) -> Int {
        let start = offset
        while !isDone, offset - start < byteCount {
            let found: SegmentScanner.Found
            do {
                found = try scanner.batch(at: offset)
            } catch {
                throw .io(error)
            }
            switch found {
            case .batch(let batch, _):
                guard batch.lsn == nextLSN else {
                    throw damage("the batch here has LSN \(batch.lsn)")
                }
                nextLSN = batch.lsn.next
                offset += Int(batch.byteCount)
            case .nothing: throw damage("the batch is missing")
            case .bad(let reason): throw damage(reason)
            }
        }
        return offset - start
    }

    private func damage(_ reason: String) -> LogError {
        .damaged(
            LogDamage(
                file: scanner.path, offset: UInt64(offset), lsn: nextLSN, reason: reason))
    }
}

extension SegmentLog {
    /// Begins the verification of a sealed segment; throws if its header is not the one it had.
    package func scrub(of segment: SegmentSummary) throws(LogError) -> SegmentScrub {
        SegmentScrub(scanner: try scanner(of: segment), summary: segment)
    }
}
