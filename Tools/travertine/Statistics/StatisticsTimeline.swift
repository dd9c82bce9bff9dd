import Foundation
import TravertineStore

/// The log from its first LSN to its last: which LSNs each segment holds, how much of it is live,
/// and where the checkpoints are.
struct StatisticsTimeline {
    private let statistics: StoreStatistics
    private static let barHeight = 90.0

    init(_ statistics: StoreStatistics) { self.statistics = statistics }

    /// The picture.
    var svg: String {
        let first = statistics.segments.map(\.firstLSN).min() ?? 0
        let last = max(statistics.lastLSN, first + 1)
        func x(_ lsn: UInt64) -> Double {
            lsn <= first
                ? 0 : min(1000, Double(lsn - first) / Double(last + 1 - first) * 1000)
        }
        var bars = ""
        for segment in statistics.segments where segment.lastLSN >= segment.firstLSN {
            let left = x(segment.firstLSN)
            let width = max(0.5, x(segment.lastLSN &+ 1) - left - 0.5)
            let share =
                min(1, Double(segment.liveByteCount) / Double(max(1, segment.writtenByteCount)))
            let live = share * Self.barHeight
            bars += """
                <g><title>segment \(segment.number), LSN \(segment.firstLSN) to \
                \(segment.lastLSN): \(Int(share * 100)) % live</title>\
                <rect class="dead" x="\(number(left))" y="20" width="\(number(width))" \
                height="\(number(Self.barHeight))"/><rect class="live" x="\(number(left))" \
                y="\(number(20 + Self.barHeight - live))" width="\(number(width))" \
                height="\(number(live))"/></g>
                """
        }
        return """
            <svg viewBox="0 0 1000 132" role="img" aria-label="Segments and checkpoints by LSN">\
            \(bars)\(checkpoints(x))<text x="0" y="128">LSN \(first)</text>\
            <text x="1000" y="128" text-anchor="end">LSN \(statistics.lastLSN)</text></svg>
            <p class="quiet">Left the oldest, right the newest. Width: LSNs of a segment; height: \
            its live share. Red: kept checkpoints, \
            \(statistics.checkpointLSNs.map { "LSN \($0)" }.joined(separator: " and ")).</p>
            """
    }

    private func checkpoints(_ x: (UInt64) -> Double) -> String {
        statistics.checkpointLSNs.map { lsn in
            let place = number(min(999, max(1, x(lsn))))
            return "<line class=\"mark\" x1=\"\(place)\" x2=\"\(place)\" y1=\"12\" y2=\"114\">"
                + "<title>checkpoint at LSN \(lsn)</title></line>"
        }.joined()
    }
}
