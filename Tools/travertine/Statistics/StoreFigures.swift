import Foundation
import TravertineStore

/// What `stat` shows: the statistics of a store, and what was measured by reading it.
struct StoreFigures: Encodable {
    let statistics: StoreStatistics
    /// Nil if the store is large and nobody asked.
    let measured: SpaceMeasurement?
    /// The object types; nil for a store of keys and values.
    let types: [TypeFigures]?

    private enum CodingKeys: String, CodingKey {
        case boundedSpaceAmplification, writeAmplification, measured, types
    }

    init(
        _ statistics: StoreStatistics, _ measured: SpaceMeasurement?, types: [TypeFigures]? = nil
    ) {
        self.statistics = statistics
        self.measured = measured
        self.types = types
    }

    func encode(to encoder: any Encoder) throws {
        try statistics.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(
            statistics.boundedSpaceAmplification, forKey: .boundedSpaceAmplification)
        try container.encode(statistics.writes.amplification, forKey: .writeAmplification)
        try container.encodeIfPresent(measured, forKey: .measured)
        try container.encodeIfPresent(types, forKey: .types)
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

}
