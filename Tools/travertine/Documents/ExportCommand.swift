import ArgumentParser
import Foundation
import Travertine
import TravertineDocuments

/// `travertine export`: writes the objects of types as documents or CSV.
struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write the objects of types as Extended JSON, BSON or CSV.",
        discussion: """
            Fields have the stored names; nil is null, in CSV nothing; a link is the key of its \
            target. `travertine import --documents` reads the JSON and BSON that this writes.

              travertine export pets.realm --type Dog -o dogs.jsonl
              travertine export pets.realm --type Dog --format bson -o dogs.bson
              travertine export pets.realm --type Dog | jq -r .name
              travertine export pets.realm --type Dog --where "age > 3" --sort "age DESC, name"
              travertine export pets.realm --type Dog --limit 100 -o dogs.csv
              travertine export pets.realm --type Dog --type Person -o exported/
              travertine export pets.realm -o exported/ --format csv

            Several types are written to a directory, a file for each; without --type these are all \
            types of the store.

            With --source, documents are checked against the schema of the type, with constraints \
            such as minItems; the first that does not fit stops the export, or is left out with \
            --skip-invalid, and then the status is 1. A file appears under its name only when it \
            is complete.

            The store may be open in a program: what is durable is written.

            Statuses: 0 done; 1 objects were left out; 64 wrong arguments; 65 an object doesn't \
            fit; 66 no such store or type; 74 writing failed; 77 permission denied.
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case relaxed
        case canonical
        case bson
        case csv

        /// How documents are written; nil for CSV.
        var ofDocuments: DocumentExporter.Format? {
            switch self {
            case .relaxed: .extendedJSON(.relaxed)
            case .canonical: .extendedJSON(.canonical)
            case .bson: .bson
            case .csv: nil
            }
        }

        var fileExtension: String {
            switch self {
            case .relaxed, .canonical: "jsonl"
            case .bson: "bson"
            case .csv: "csv"
            }
        }
    }

    @Argument(help: "The directory of the database.", completion: .directory)
    var directory: String

    @Option(
        help: """
            The object type, by its stored name. Give it again for several. (default: all types)
            """,
        completion: .custom { words, _, prefix in QueryCompletion.types(for: prefix, in: words) })
    var type: [String] = []

    @Option(name: .customLong("where"), help: "Only objects that fulfil this condition.")
    var condition: String?

    @Option(help: "Properties to sort by, with commas: “name” or “age DESC, name”.")
    var sort: String?

    @Option(name: [.customShort("n"), .long], help: "At most this many objects of each type.")
    var limit: Int?

    @Option(
        help: """
            relaxed or canonical Extended JSON, one document on a line, bson, or csv. (default: by \
            the name of the file, else relaxed)
            """)
    var format: Format?

    @Option(
        name: .shortAndLong,
        help: "The file to write, for several types a directory. (default: standard output)",
        completion: .file())
    var output: String?

    @Option(help: "A data source or schema file with the schema of the type.")
    var source: String?

    @Flag(help: "Leave out objects that don't fit the schema; the first 20 are named.")
    var skipInvalid = false

    @Flag(help: "Print the counts as JSON; to standard error, unless there is --output.")
    var json = false

    @OptionGroup var commit: CommitArgument

    @OptionGroup var common: CommonArguments

    mutating func validate() throws {
        try OutputFile.validate(output, "--output")
        if let limit, limit < 0 { throw ValidationError("--limit must not be negative.") }
        if let condition, condition.allSatisfy(\.isWhitespace) {
            throw ValidationError("--where is empty, and must be a condition: “age > 3”.")
        }
        if resolvedFormat == .csv, source != nil || skipInvalid {
            throw ValidationError("CSV is not checked: leave out --source and --skip-invalid.")
        }
        if Set(type).count < type.count { throw ValidationError("--type names a type twice.") }
        _ = try ObjectExport.descriptor(sort)
    }

    private struct Summary: Encodable {
        var objectCount = 0
        var leftOutCount = 0
        var byteCount = 0
        /// Constraints of the schema that are not checked, each with its place.
        var uncheckedConstraints: [String] = []
        /// By type, where there are several.
        var objectCounts: [String: Int]?
    }

    private var resolvedFormat: Format {
        if let format { return format }
        return Format.allCases.first { output?.lowercased().hasSuffix("." + $0.rawValue) ?? false }
            ?? .relaxed
    }

    func run() throws {
        let realm = try StoredTypes.realm(directory, forReading: true, asOf: commit.asOf)
        let start = ContinuousClock.now
        var summary = Summary()
        try StoredTypes.explained(of: realm) {
            let types = try types(of: realm)
            if types.count == 1, !isForDirectory {
                try export(types[0], of: realm, to: output, &summary)
            } else {
                try export(types, of: realm, &summary)
            }
        }
        let seconds = start.duration(to: .now).seconds
        var line = json ? try JSONReport.text(of: summary) : self.line(summary, seconds)
        if !json, summary.leftOutCount > 0 {
            line += "; \(Figures.count(summary.leftOutCount)) left out"
        }
        OutputFile.report(
            line, isJSON: json, on: summary.objectCounts == nil ? output : "directory")
        if summary.leftOutCount > 0 { throw ExitCode(1) }
    }

    private func line(_ summary: Summary, _ seconds: Double) -> String {
        let types = summary.objectCounts.map { " of \(Figures.count($0.count, "type"))" } ?? ""
        return "\(Figures.count(summary.objectCount, "object"))\(types), "
            + "\(Figures.bytes(summary.byteCount))," + String(format: " %.2f s", seconds)
    }

    // MARK: Types and files

    /// The types that were asked for, or those that can be.
    private func types(of realm: Realm) throws -> [String] {
        if !type.isEmpty { return type }
        let all = realm.schema.objectSchema.filter { !$0.isEmbedded && !$0.isAsymmetric }
            .map(\.objectTypeName).sorted()
        if all.count == 1 || output != nil, !all.isEmpty { return all }
        throw CommandError(
            all.isEmpty ? ExitStatus.noInput : ExitStatus.usage,
            all.isEmpty
                ? "\(directory) has no object types to export."
                : "say which object type: --type NAME, or which directory for all: -o DIRECTORY. "
                    + "There are: \(all.joined(separator: ", ")).")
    }

    /// Whether one type is to be written to a directory too.
    private var isForDirectory: Bool {
        guard let output else { return false }
        return output.hasSuffix("/") || type.isEmpty && Self.isDirectory(output)
    }

    private static func isDirectory(_ path: String) -> Bool {
        var isDirectory: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
            ? isDirectory.boolValue : path.hasSuffix("/")
    }

    /// Writes a file for each of several types.
    private func export(_ types: [String], of realm: Realm, _ summary: inout Summary) throws {
        if condition != nil || sort != nil {
            guard types.count == 1 else {
                throw CommandError(
                    ExitStatus.usage,
                    "--where and --sort name properties of one type: say which, with --type.")
            }
        }
        guard let output,
            Self.isDirectory(output) || !FileManager.default.fileExists(atPath: output)
        else {
            throw CommandError(
                ExitStatus.usage,
                "several types are written to a directory, a file for each: "
                    + (output.map { "\($0) is a file." } ?? "-o DIRECTORY."))
        }
        var fileNames: [String: String] = [:]
        for type in types {
            // Some file systems ignore case.
            if let other = fileNames.updateValue(type, forKey: Self.fileName(type).lowercased()) {
                throw CommandError(
                    ExitStatus.usage,
                    "\(other) and \(type) would be written to one file. Export one of them alone, "
                        + "with --type.")
            }
        }
        // Before a directory is made.
        for type in types { _ = try DocumentExporter(realm, type: type) }
        let folder = URL(fileURLWithPath: output, isDirectory: true)
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            throw CommandError(
                FileFailure.status(error), "\(output) can't be made: \(FileFailure.text(error)).")
        }
        summary.objectCounts = [:]
        for type in types {
            let file = folder.appendingPathComponent(
                Self.fileName(type) + "." + resolvedFormat.fileExtension)
            let before = summary.objectCount
            try export(type, of: realm, to: file.relativePath, &summary)
            summary.objectCounts?[type] = summary.objectCount - before
        }
    }

    /// The name of a type's file, without its extension.
    private static func fileName(_ type: String) -> String {
        type.map { "/\0".contains($0) ? "_" : String($0) }.joined()
    }

    private func export(
        _ type: String, of realm: Realm, to path: String?, _ summary: inout Summary
    ) throws {
        let collections = try source.map { try SchemaFiles.collections([$0]) } ?? []
        let schema = try StoredTypes.schema(of: type, in: collections, source)
        summary.uncheckedConstraints += UncheckedConstraints.report(schema, toStandardError: !json)
        let export = try ObjectExport(
            realm, type: type, where: condition, sort: sort, limit: limit, schema: schema,
            collections: collections)
        var leftOutCount = 0
        let counts = try export.run(as: resolvedFormat, to: path) { position, refusal, bar in
            leftOutCount += 1
            let text = "object \(position) of \(type): \(refusal)"
            guard skipInvalid else {
                throw CommandError(
                    ExitStatus.badData,
                    text.asSentence + "\nLeave such objects out with --skip-invalid.")
            }
            if summary.leftOutCount + leftOutCount <= 20 {
                bar.clear()
                printWarning("\(text); left out")
            }
        }
        summary.leftOutCount += leftOutCount
        summary.objectCount += counts.objects
        summary.byteCount += counts.bytes
    }
}
