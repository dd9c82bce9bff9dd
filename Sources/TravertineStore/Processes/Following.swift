import OrderedIndex
import SegmentLog

/// How far an opening reads the log, and where that ended.
package final class Following {
    let limit: LSN
    private(set) var end: LogPosition?
    /// The salt of the segment where that is, if it was read.
    private(set) var salt: UInt64?

    init(through limit: LSN) { self.limit = limit }

    /// Reads the log up to the limit instead of recovering it.
    func read(
        _ log: SegmentLog, from start: (position: LogPosition, nextLSN: LSN)?,
        visitor: inout ReplayVisitor
    ) throws -> RecoveryReport {
        var report = try log.follow(from: start, through: limit, visitor: &visitor)
        salt = report.endSalt
        end = report.end == .start ? start?.position : report.end
        if report.end == .start { report.lastLSN = start?.nextLSN.previous ?? .zero }
        return report
    }
}

extension RecoveryReport {
    /// The salt of the segment in which the log ends; nil if nothing of it was read.
    var endSalt: UInt64? { segments.last { $0.number == end.segment }?.salt }
}
