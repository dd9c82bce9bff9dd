import OrderedIndex
import SegmentLog

/// How far an opening reads the log, and where that ended.
package final class Following {
    private let limit: LSN
    private(set) var end: LogPosition?

    init(through limit: LSN) { self.limit = limit }

    /// Reads the log up to the limit instead of recovering it.
    func read(
        _ log: SegmentLog, from start: (position: LogPosition, nextLSN: LSN)?,
        visitor: inout ReplayVisitor
    ) throws -> RecoveryReport {
        var report = try log.follow(from: start, through: limit, visitor: &visitor)
        end = report.end == .start ? start?.position : report.end
        if report.end == .start { report.lastLSN = start?.nextLSN.previous ?? .zero }
        return report
    }
}
