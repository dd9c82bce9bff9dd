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

            Statuses: 0 done; 64 wrong arguments; 65 the store is damaged; 66 no such store; 74 \
            reading or writing failed; 77 permission denied.
            """)

    @Argument(help: "The directory of the store.", completion: .directory)
    var directory: String

    @Flag(help: "Print a JSON object with all figures.")
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
        try OutputFile.write(to: path) { target in
            try Array(text.utf8).withUnsafeBytes { try target.write($0) }
        }
    }
}
