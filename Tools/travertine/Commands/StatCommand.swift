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

            Of a store with objects each type has a line: how many objects there are, the bytes of \
            their rows and collections, how many links their properties have, and the indexes.

            How many bytes the store and each type hold is measured by visiting every record, up to \
            a million of them; --measure does so for larger stores too.

            Nothing is changed, and the store may be open in a program: what that program \
            last made durable is shown, without what only it knows: its writes and snapshots.

              travertine stat places.store
              travertine stat places.store --json | jq .spaceAmplification
              travertine stat places.realm --json | jq '.types[] | {name, objectCount}'
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

    @OptionGroup var common: CommonArguments

    /// Stores with more keys are measured only if they are asked to be.
    private static let measuredKeyCountMax = 1_000_000

    mutating func validate() throws { try OutputFile.validate(html, "--html") }

    func run() throws {
        let figures = try StoreArguments.reading(at: directory, figures)
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

    private func figures(_ reader: StoreReader) throws -> StoreFigures {
        let statistics = try reader.statistics
        let isMeasured = measure || statistics.index.keyCount <= Self.measuredKeyCountMax
        let types = try types(reader, isMeasured: isMeasured, statistics)
        return StoreFigures(
            statistics, isMeasured ? try reader.measureSpace() : nil, types: types)
    }

    /// The object types; nil for a store of keys and values.
    private func types(
        _ reader: StoreReader, isMeasured: Bool, _ statistics: StoreStatistics
    ) throws -> [TypeFigures]? {
        guard StoredTypes.areThere(in: reader) else { return nil }
        let types = try StoredTypes.realm(directory, forReading: true).typeStorage()
        let snapshot = try reader.snapshot()
        let keyspaces = Dictionary(
            reader.keyspaces.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var bar = ProgressBar("stat", .things("record"))
        defer { bar.clear() }
        var rowCount = 0
        return try types.map { type in
            try TypeFigures(type, snapshot, keyspaces, isMeasured: isMeasured) { count in
                rowCount += count
                bar.update(
                    done: UInt64(rowCount), total: UInt64(statistics.index.keyCount),
                    detail: type.typeName)
            }
        }
    }

    private static func write(_ text: String, to path: String) throws {
        try OutputFile.write(to: path) { target in
            try Array(text.utf8).withUnsafeBytes { try target.write($0) }
        }
    }
}
