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
