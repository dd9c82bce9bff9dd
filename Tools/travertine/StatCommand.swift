import ArgumentParser
import Foundation
import TravertineStore

/// `travertine stat`: what a store holds and what it costs.
struct StatCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stat",
        abstract: "Show what a store holds and what it costs.",
        discussion: """
            Live bytes are those of records that are the newest version of their key; dead bytes \
            are the rest of what was written. Space amplification is bytes on disk ÷ live bytes. \
            The bounded one is what compaction keeps below spaceBound (1.5 unless the program says \
            otherwise): segments before the older checkpoint, without a floor of four, ÷ live \
            bytes.

            How many bytes of keys and values the store holds is measured by visiting every record, \
            up to a million of them; --measure does so for larger stores too.

            Of a store that another program has open, what that program last made durable is shown, \
            without what only that program knows: its own writes, compaction and snapshots.

              travertine stat places.store
              travertine stat places.store --json | jq .spaceAmplification
              travertine stat places.store --html places.html
            """)

    @Argument(help: "The directory of the store.", completion: .directory)
    var directory: String

    @Flag(help: "Print a JSON object with everything that is known.")
    var json = false

    @Flag(help: "Show every segment; otherwise only the eight with the most dead bytes.")
    var segments = false

    @Flag(help: "Visit every record of a store with more than a million keys too.")
    var measure = false

    @Option(help: "Write a page with pictures to this file.", completion: .file())
    var html: String?

    /// Stores with more keys are measured only if they are asked to be.
    private static let measuredKeyCountMax = 1_000_000

    mutating func validate() throws { try OutputFile.validate(html, "--html") }

    func run() throws {
        let figures: StoreFigures = try StoreArguments.reading(at: directory) { store in
            try self.figures(try store.statistics) { try store.measureSpace() }
        } orBesideItsWriter: { reader in
            try self.figures(try reader.statistics) { try reader.measureSpace() }
        }
        if let html {
            try Self.write(StatisticsPage(figures).text, to: html)
        }
        if json {
            print(try JSONReport.text(of: figures))
        } else {
            var output = OutputWriter()
            let report = StatisticsReport(figures, showsAllSegments: segments)
            for line in report.lines { output.writeLine(line) }
            output.flush()
        }
    }

    private func figures(
        _ statistics: StoreStatistics, _ measured: () throws -> SpaceMeasurement
    ) throws -> StoreFigures {
        let isMeasured = measure || statistics.index.keyCount <= Self.measuredKeyCountMax
        return StoreFigures(statistics, isMeasured ? try measured() : nil)
    }

    private static func write(_ text: String, to path: String) throws {
        let target = try OutputFile(path: path)
        do {
            try Array(text.utf8).withUnsafeBytes { try target.write($0) }
            try target.finish()
        } catch {
            target.abandon()
            throw error
        }
    }
}

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
