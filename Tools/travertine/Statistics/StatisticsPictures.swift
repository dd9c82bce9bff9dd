import Foundation
import TravertineStore

/// The segments of a store as a wall: each stone is a segment, its height what was written of it,
/// filled from below with what is live.
struct StatisticsWall {
    private let segments: [StoreStatistics.SegmentStatistics]
    private static let columnCount = 64
    private static let width = 1000.0
    private static let stoneHeight = 46.0

    init(_ statistics: StoreStatistics) { segments = statistics.segments }

    /// The picture.
    var svg: String {
        if segments.isEmpty { return "<p class=\"quiet\">There are none yet.</p>" }
        let columns = min(Self.columnCount, max(16, segments.count))
        let rows = (segments.count + columns - 1) / columns
        let pitch = Self.width / Double(columns)
        let gap = min(4, pitch * 0.12)
        var stones = ""
        for (place, segment) in segments.enumerated() {
            let x = Double(place % columns) * pitch
            let y = Double(place / columns) * (Self.stoneHeight + 6)
            stones += stone(segment, x: x + gap / 2, y: y, width: pitch - gap)
        }
        let height = Double(rows) * (Self.stoneHeight + 6)
        return """
            <svg viewBox="0 0 1000 \(number(height))" role="img" \
            aria-label="\(segments.count) segments with their live and dead bytes">\(stones)</svg>
            <ul class="legend"><li><i class="live"></i>live</li><li><i class="dead"></i>dead</li>\
            <li><i class="unused"></i>not written</li><li><i class="active"></i>appended to</li></ul>
            """
    }

    private func stone(
        _ segment: StoreStatistics.SegmentStatistics, x: Double, y: Double, width: Double
    ) -> String {
        let size = Double(
            max(segment.allocatedByteCount, segment.writtenByteCount, segment.liveByteCount, 1))
        let live = Double(segment.liveByteCount) / size * Self.stoneHeight
        let dead = Double(segment.deadByteCount) / size * Self.stoneHeight
        let bottom = y + Self.stoneHeight
        let title =
            "segment \(segment.number)\(segment.isActive ? ", active" : ""): "
            + "\(Figures.bytes(segment.liveByteCount)) live, "
            + "\(Figures.bytes(segment.deadByteCount)) dead, "
            + "\(Figures.bytes(segment.allocatedByteCount)) on disk, "
            + "LSN \(segment.firstLSN) to \(segment.lastLSN)"
        var parts =
            rect("unused", x, y, width, Self.stoneHeight)
            + rect("dead", x, bottom - live - dead, width, dead)
            + rect("live", x, bottom - live, width, live)
        if segment.isActive { parts += rect("active", x, y, width, Self.stoneHeight) }
        return "<g><title>\(title)</title>\(parts)</g>"
    }

    private func rect(
        _ name: String, _ x: Double, _ y: Double, _ width: Double, _ height: Double
    ) -> String {
        "<rect class=\"\(name)\" x=\"\(number(x))\" y=\"\(number(y))\" width=\"\(number(width))\" "
            + "height=\"\(number(max(0, height)))\"/>"
    }
}

/// The log from its first LSN to its last: which LSNs each segment holds, how much of it is live, and
/// where the checkpoints are.
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
