import ArgumentParser
import Foundation
import StoreMaintenance
import TravertineStore

/// `travertine dump`: writes a store as text.
struct DumpCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dump",
        abstract: "Write what a store holds as JSON Lines, to be loaded or read by other programs.",
        discussion: """
            The dump shows one commit and holds every byte: text as strings, other bytes as base64 \
            in members whose names end in 64. Its last line has a checksum, so that a dump that was \
            cut off or changed is noticed. Documentation/Format.md describes the form, 4.10.

              travertine dump places.store -o places.dump
              travertine dump places.store | zstd > places.dump.zst
              travertine dump places.store --keyspace default | jq -r 'select(.in) | .value'

            A file appears under its name only when the dump is complete. A store that another \
            process has open is dumped as of the newest commit that is durable there.

            Statuses: 0 done; 64 wrong arguments; 65 the store is damaged; 66 no such store or \
            keyspace; 74 reading or writing failed; 77 permission denied.
            """)

    @Argument(help: "The directory of the store.", completion: .directory)
    var directory: String

    @Option(
        name: [.customShort("k"), .long],
        help: "Only this keyspace. Give it again for several. (default: the whole store)")
    var keyspace: [String] = []

    @Option(name: .shortAndLong, help: "The file to write. (default: standard output)")
    var output: String?

    @Flag(help: "Print the counts as JSON; to standard error, unless there is --output.")
    var json = false

    @OptionGroup var common: CommonArguments

    mutating func validate() throws { try OutputFile.validate(output, "--output") }

    func run() throws {
        let start = ContinuousClock.now
        let summary = try dumpStore()
        let seconds = start.duration(to: .now).seconds
        let line =
            json
            ? try JSONReport.text(of: summary)
            : "dumped \(Figures.records(summary.recordCount)) of "
                + "\(Figures.count(summary.keyspaceCount, "keyspace")) as of LSN \(summary.lsn): "
                + "\(Figures.bytes(summary.byteCount)) in \(String(format: "%.2f", seconds)) s"
        OutputFile.report(line, isJSON: json, on: output)
    }

    /// Dumps what is durable of the store.
    private func dumpStore() throws -> DumpSummary {
        try StoreArguments.reading(at: directory) {
            try dump($0.snapshot(), chosen(from: $0.keyspaces))
        }
    }

    /// The keyspaces that were asked for; nil for all.
    private func chosen(from keyspaces: [Keyspace]) throws -> [Keyspace]? {
        if keyspace.isEmpty { return nil }
        return try keyspace.map { try StoreArguments.keyspace(named: $0, among: keyspaces) }
    }

    private func dump(_ snapshot: Snapshot, _ keyspaces: [Keyspace]?) throws -> DumpSummary {
        var bar = ProgressBar("dump", .things("record"))
        defer { bar.clear() }
        return try OutputFile.write(to: output) { target in
            try snapshot.dump(keyspaces: keyspaces) { progress in
                bar.update(
                    done: UInt64(progress.recordCount),
                    total: progress.totalRecordCount.map { UInt64($0) },
                    detail: Figures.bytes(progress.byteCount))
            } to: { bytes in
                try target.write(bytes)
            }
        }
    }
}
