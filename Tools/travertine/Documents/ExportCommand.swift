import ArgumentParser
import Foundation
import Travertine
import TravertineDocuments

/// `travertine export`: writes the objects of a type as documents.
struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write the objects of a type as documents of Extended JSON or BSON.",
        discussion: """
            Fields have the stored names; nil is null; a link is the key of its target. \
            `travertine import --documents` reads what this writes.

              travertine export pets.realm --type Dog -o dogs.jsonl
              travertine export pets.realm --type Dog --format bson -o dogs.bson
              travertine export pets.realm --type Dog | jq -r .name

            With --source, documents are checked against the schema of the type, with constraints \
            such as minItems; the first that does not fit stops the export, or is left out with \
            --skip-invalid, and then the status is 1. A file appears under its name only when it \
            is complete.

            Statuses: 0 done; 1 objects were left out; 64 wrong arguments; 65 an object doesn't \
            fit; 66 no such store or type; 74 writing failed; 77 permission denied.
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case relaxed
        case canonical
        case bson
    }

    @Argument(help: "The directory of the database.", completion: .directory)
    var directory: String

    @Option(help: "The object type, by its stored name.")
    var type: String

    @Option(help: "relaxed or canonical Extended JSON, one document on a line, or bson.")
    var format: Format?

    @Option(name: .shortAndLong, help: "The file to write. (default: standard output)")
    var output: String?

    @Option(help: "A data source or schema file with the schema of the type.")
    var source: String?

    @Flag(help: "Leave out objects that don't fit the schema; the first 20 are named.")
    var skipInvalid = false

    @Flag(help: "Print the counts as JSON; to standard error, unless there is --output.")
    var json = false

    mutating func validate() throws { try OutputFile.validate(output, "--output") }

    private struct Summary: Encodable {
        var objectCount = 0
        var leftOutCount = 0
        var byteCount = 0
        /// Constraints of the schema that are not checked, each with its place.
        var uncheckedConstraints: [String] = []
    }

    private var resolvedFormat: DocumentExporter.Format {
        let isBSON = output.map { $0.lowercased().hasSuffix(".bson") } ?? false
        switch format ?? (isBSON ? .bson : .relaxed) {
        case .relaxed: return .extendedJSON(.relaxed)
        case .canonical: return .extendedJSON(.canonical)
        case .bson: return .bson
        }
    }

    func run() throws {
        let realm = try StoredTypes.realm(directory, forReading: true)
        let start = ContinuousClock.now
        let summary = try StoredTypes.explained(of: realm) { try export(realm) }
        let seconds = start.duration(to: .now).seconds
        var line = json ? try JSONReport.text(of: summary) : self.line(summary, seconds)
        if !json, summary.leftOutCount > 0 {
            line += "; \(Figures.count(summary.leftOutCount)) left out"
        }
        OutputFile.report(line, isJSON: json, on: output)
        if summary.leftOutCount > 0 { throw ExitCode(1) }
    }

    private func line(_ summary: Summary, _ seconds: Double) -> String {
        "\(Figures.count(summary.objectCount, "object")), \(Figures.bytes(summary.byteCount)),"
            + String(format: " %.2f s", seconds)
    }

    private func export(_ realm: Realm) throws -> Summary {
        let collections = try source.map { try SchemaFiles.collections([$0]) } ?? []
        let schema = try StoredTypes.schema(of: type, in: collections, source)
        let exporter = try DocumentExporter(
            realm, type: type, schema: schema, collections: collections)
        let total = UInt64(try exporter.objectCount)
        var summary = Summary()
        summary.uncheckedConstraints = UncheckedConstraints.report(schema, toStandardError: !json)
        var bar = ProgressBar("export")
        defer { bar.clear() }
        try OutputFile.write(to: output) { target in
            summary.objectCount = try exporter.export(
                as: resolvedFormat,
                refused: { position, refusal in
                    try leaveOut(position, refusal, &summary, bar)
                },
                to: { bytes, count in
                    summary.byteCount += bytes.count
                    bar.update(
                        done: UInt64(count), total: total,
                        detail: Figures.bytes(summary.byteCount))
                    try bytes.withUnsafeBytes { try target.write($0) }
                })
        }
        return summary
    }

    private func leaveOut(
        _ position: Int, _ refusal: DocumentRefusal, _ summary: inout Summary, _ bar: ProgressBar
    ) throws {
        let text = "object \(position) of \(type): \(refusal)"
        guard skipInvalid else {
            throw CommandError(
                ExitStatus.badData,
                text.asSentence + "\nLeave such objects out with --skip-invalid.")
        }
        summary.leftOutCount += 1
        if summary.leftOutCount <= 20 {
            bar.clear()
            printToStandardError("\(text); left out")
        }
    }
}
