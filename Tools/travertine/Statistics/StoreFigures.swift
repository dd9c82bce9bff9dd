import Foundation
import TravertineStore

/// What `stat` shows: the statistics of a store, and what was measured by reading it.
struct StoreFigures: Encodable {
    let statistics: StoreStatistics
    /// Nil if the store is large and nobody asked.
    let measured: SpaceMeasurement?

    private enum CodingKeys: String, CodingKey {
        case boundedSpaceAmplification, writeAmplification, measured
    }

    init(_ statistics: StoreStatistics, _ measured: SpaceMeasurement?) {
        self.statistics = statistics
        self.measured = measured
    }

    func encode(to encoder: any Encoder) throws {
        try statistics.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(
            statistics.boundedSpaceAmplification, forKey: .boundedSpaceAmplification)
        try container.encode(statistics.writes.amplification, forKey: .writeAmplification)
        try container.encodeIfPresent(measured, forKey: .measured)
    }

    // MARK: For people

    /// A ratio with two digits; a dash for a store without records.
    func ratio(_ value: Double) -> String {
        statistics.liveByteCount == 0 ? "–" : String(format: "%.2f", value)
    }

    /// Where the index came from when the store was opened.
    var openingSource: String {
        switch statistics.opening.source {
        case .created: "nothing: it is new"
        case .newestCheckpoint: "the newest checkpoint"
        case .previousCheckpoint: "the checkpoint before the newest"
        case .fullReplay: "the whole log"
        }
    }

    /// Bytes on the disk for each byte that was given to the store.
    var overall: String {
        guard let measured else { return "not measured: --measure visits every record" }
        let given = Figures.bytes(measured.keyByteCount + measured.valueByteCount)
        return "\(ratio(measured.amplification)) for \(given) of keys and values"
    }

    /// How full the page files are.
    var pages: String {
        guard let measured else { return "not measured" }
        if measured.livePageCount == 0 { return "–" }
        return String(format: "%.2f", measured.pageAmplification)
            + " (\(Figures.count(measured.livePageCount, "live page")) of "
            + "\(Figures.count(measured.pageCount)))"
    }

    /// What was written since opening, by purpose.
    var written: String {
        let writes = statistics.writes
        let log = writes.logByteCount - min(writes.logByteCount, writes.movedByteCount)
        let parts = [
            ("log", log), ("moves", writes.movedByteCount), ("pages", writes.pageByteCount),
            ("zeros", writes.zeroByteCount),
        ].map { "\($0.0) \(Figures.bytes($0.1))" }.joined(separator: ", ")
        return writes.committedByteCount == 0
            ? parts : parts + String(format: "; amplification %.2f", writes.amplification)
    }

    /// The oldest snapshot of this process, and what only it keeps; nil if there is none.
    var oldestSnapshot: String? {
        let compaction = statistics.compaction
        // The one that the statistics themselves take is not counted.
        guard statistics.snapshots.count > 1, let age = compaction.oldestSnapshotAgeNanoseconds
        else { return nil }
        return "open for \(Figures.duration(nanoseconds: age)), keeps "
            + Figures.bytes(compaction.oldestSnapshotByteCount)
    }
}
