import Foundation
import TravertineStore

/// A store's statistics as aligned text.
struct StatisticsReport {
    private static let segmentCountShown = 8
    private let figures: StoreFigures
    private let showsAllSegments: Bool
    private var statistics: StoreStatistics { figures.statistics }

    init(_ figures: StoreFigures, showsAllSegments: Bool) {
        self.figures = figures
        self.showsAllSegments = showsAllSegments
    }

    /// The report, line by line.
    var lines: [String] {
        let types = figures.types.map { TypeFigures.table($0) + [""] } ?? []
        return summary + [""] + types + keyspaceTable + [""] + segmentTable
    }

    private var summary: [String] {
        let dead = statistics.segments.reduce(0) { $0 + $1.deadByteCount }
        let checkpoints = statistics.checkpointLSNs.map(String.init).joined(separator: ", ")
        let rows: [(name: String, value: String)] = [
            ("store", statistics.path),
            ("identity", statistics.uuid),
            ("encrypted", statistics.isEncrypted ? "yes" : "no"),
            ("keys", Figures.count(statistics.index.keyCount)),
            ("live bytes", Figures.bytes(statistics.liveByteCount)),
            ("dead bytes", Figures.bytes(dead)),
            ("log on disk", logOnDisk),
            ("index on disk", Figures.bytes(statistics.pageFileByteCount)),
            ("space amplification", spaceAmplification),
            ("disk ÷ keys + values", figures.overall),
            ("page files ÷ live", figures.pages),
            ("index mapped", Figures.bytes(statistics.index.pageByteCount)),
            ("newest LSN", "\(statistics.lastLSN) (durable: \(statistics.durableLSN))"),
            ("checkpoints at LSN", checkpoints),
            ("opened from", figures.openingSource),
            ("last verified", verification),
        ]
        let lines = rows.map { row in
            row.name + String(repeating: " ", count: 24 - row.name.count) + row.value
        }
        return lines + notes
    }

    private var logOnDisk: String {
        let waiting = statistics.compaction.waitingByteCount
        return Figures.bytes(statistics.allocatedByteCount)
            + (waiting == 0
                ? ""
                : " (retired segments, that wait for a snapshot or a checkpoint: "
                    + "\(Figures.bytes(waiting)))")
    }

    private var spaceAmplification: String {
        figures.ratio(statistics.spaceAmplification) + " (bounded: "
            + figures.ratio(statistics.boundedSpaceAmplification) + ", beyond a floor of "
            + "\(Figures.bytes(statistics.spaceFloorByteCount)))"
    }

    private var verification: String {
        guard let end = statistics.scrub.lastPassEnd else { return "never" }
        let time = Date(timeIntervalSince1970: TimeInterval(end)).formatted(.iso8601)
        let count = statistics.scrub.lastPassFindingCount
        return time + (count == 0 ? ", sound" : ", damage in \(Figures.count(count)) files")
    }

    private var notes: [String] {
        var notes: [String] = []
        if statistics.scrub.lastPassFindingCount > 0 {
            notes.append("warning: verification found damaged files; run travertine fsck")
        }
        if let tail = statistics.opening.ignoredTail { notes.append("note: \(tail)") }
        for damage in statistics.opening.damagedCheckpoints {
            notes.append("warning: \(damage); run travertine fsck")
        }
        for feed in statistics.feeds where feed.isKept && feed.unacknowledgedByteCount > 0 {
            notes.append(
                "note: the feed \(feed.name) keeps \(Figures.bytes(feed.unacknowledgedByteCount)) of log "
                    + "from compaction; see travertine feeds")
        }
        if let failure = statistics.compaction.lastFailure {
            notes.append("warning: compaction failed: \(failure)")
        }
        if let reason = statistics.compaction.stopReason {
            notes.append(
                "warning: no space is reclaimed until the store is opened again: \(reason)")
        }
        if let failure = statistics.lastCheckpointFailure {
            notes.append("warning: the last checkpoint failed: \(failure)")
        }
        return notes
    }

    private var keyspaceTable: [String] {
        var table = TextTable(["keyspace", "id", "keys", "values", "compression"])
        for keyspace in statistics.keyspaces {
            table.add([
                ByteText.shown(Array(keyspace.name.utf8), isHex: false), "\(keyspace.id)",
                Figures.count(keyspace.keyCount),
                keyspace.isDerived ? "derived" : "records",
                "\(keyspace.compression)",
            ])
        }
        return table.lines
    }

    private var segmentTable: [String] {
        var table = TextTable(["segment", "on disk", "written", "live", "dead", "last LSN"])
        var shown = statistics.segments
        if !showsAllSegments, shown.count > Self.segmentCountShown {
            shown.sort { $0.deadByteCount > $1.deadByteCount }
            shown = shown.prefix(Self.segmentCountShown).sorted { $0.number < $1.number }
        }
        for segment in shown {
            table.add([
                "\(segment.number)" + (segment.isActive ? " active" : ""),
                Figures.bytes(segment.allocatedByteCount), Figures.bytes(segment.writtenByteCount),
                Figures.bytes(segment.liveByteCount), Figures.bytes(segment.deadByteCount),
                "\(segment.lastLSN)",
            ])
        }
        let hidden = statistics.segments.count - shown.count
        return table.lines
            + (hidden > 0 ? ["  … and \(hidden) more: --segments shows all"] : [])
    }
}
