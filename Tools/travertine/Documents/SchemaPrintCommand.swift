import ArgumentParser
import Foundation
import Travertine
import TravertineDocuments

/// `travertine schema print`, or without “print”.
struct SchemaPrintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "print",
        abstract: "Print the schemas of a database or of samples, or compare them with files.",
        discussion: """
            --json-schema prints the schema of every object type of a database. The schemas of \
            embedded types are in those of their owners.

              travertine schema pets.realm --json-schema --type Dog

            --check compares the object types of a database with the schemas of a data source, or \
            one type with a schema file, and lists every difference. Differences that objects can \
            live with, such as the width of integers, are marked as compatible. Constraints do not \
            count, nor does what is required of collections, embedded objects, values of any type \
            and links. Relationships that do not fit the schemas are listed too.

              travertine schema pets.realm --check schemas --json

            --diff reports what opening a database with the types of another store, of a data \
            source or of a schema file would do: which types and properties are added, removed and \
            changed, and whether that needs nothing, a higher schema version, or a migration that \
            says what becomes of the values.

              travertine schema pets.realm --diff newer.realm

            --sample reads documents of Extended JSON (one on a line, or an array) or of BSON \
            (files named .bson) and prints the schema that all of them fit. Its title is a singular \
            noun made of the first file's name. Integers are long, so that larger ones fit too; with \
            --narrow-integers they are int where all have 32 bits. The key is “_id”, or the field \
            --key of documents without it; `import --documents` and `generate-models` take --key \
            as well. What no class can have, such as a missing key, is reported, and so are values \
            that an import with the schema would refuse or change, such as timestamps and symbols, \
            with what to do about them.

              travertine schema --sample dogs.jsonl --title Dog

            Statuses: 0 done, or compatible; 1 there are differences that are not, or that need a \
            migration; 64 wrong \
            arguments; 65 something can't be used; 66 no such file or type, or nothing to compare \
            with; 74 reading failed; 77 permission denied.
            """)

    @Argument(help: "The directory of the database; with --sample, files of documents.")
    var paths: [String]

    @Flag(help: "Print JSON Schemas; this is the default.")
    var jsonSchema = false

    @Option(help: "Compare with the schemas of this data source, or with this schema file.")
    var check: String?

    @Option(help: "Report what opening with the types of this store or of these schemas would do.")
    var diff: String?

    @Flag(help: "Infer the schema of documents in files.")
    var sample = false

    @Option(help: "Only this object type, by its stored name.")
    var type: String?

    @Option(help: "The title of the type that samples are of.")
    var title: String?

    @Option(help: "The field that identifies a sample. (default: _id)")
    var key: String?

    @Flag(help: "Infer int where all integers of a field have 32 bits: larger ones are refused.")
    var narrowIntegers = false

    @Flag(help: "Print differences as JSON.")
    var json = false

    @OptionGroup var common: CommonArguments

    mutating func validate() throws {
        if sample, check != nil || diff != nil || jsonSchema {
            throw ValidationError("--sample takes no --check, --diff or --json-schema.")
        }
        if diff != nil, check != nil || jsonSchema {
            throw ValidationError("--diff takes no --check or --json-schema.")
        }
        if jsonSchema, check != nil {
            throw ValidationError("--check takes no --json-schema.")
        }
        if !sample, paths.count != 1 {
            throw ValidationError("Name one database; with --sample, files of documents.")
        }
        if title != nil, !sample { throw ValidationError("--title is for --sample.") }
        if let title, !(1...SchemaSampler.titleByteCountMax).contains(title.utf8.count) {
            throw ValidationError(
                "--title has \(title.utf8.count) bytes; a title has 1 to "
                    + "\(SchemaSampler.titleByteCountMax).")
        }
        if key != nil || narrowIntegers, !sample {
            throw ValidationError("--key and --narrow-integers are for --sample.")
        }
        if key?.isEmpty == true { throw ValidationError("--key is empty, and names a field.") }
        if sample, type != nil { throw ValidationError("--type is not for --sample.") }
        if json, check == nil, diff == nil {
            throw ValidationError("--json is for --check and --diff.")
        }
    }

    func run() throws {
        if sample { return try printSample() }
        let realm = try StoredTypes.realm(paths[0], forReading: true)
        if let diff {
            let needsWork = try SchemaDiff(realm: realm, typeName: type).run(
                against: diff, isJSON: json)
            if needsWork { throw ExitCode(1) }
            return
        }
        try StoredTypes.explained {
            if let check {
                var isDirectory: ObjCBool = false
                let isThere = FileManager.default.fileExists(
                    atPath: check, isDirectory: &isDirectory)
                if isThere, !isDirectory.boolValue {
                    try compare(realm, file: check)
                } else {
                    try compare(realm, SchemaFiles.source(check))
                }
            } else {
                try printSchemas(realm)
            }
        }
    }

    private func printSchemas(_ realm: Realm) throws {
        if let type, let schema = try ObjectMapping.documentSchema(of: type, in: realm.schema) {
            return print(schema.jsonSchema, terminator: "")
        }
        let types = try ObjectMapping(realm.schema).objectTypes {
            CollectionPlace(source: "mongodb-atlas", database: "default", collection: $0)
        }
        let chosen = types.filter { type == nil || $0.schema.title == type }
        if let type, chosen.isEmpty {
            throw CommandError(
                ExitStatus.noInput,
                "the store has no object type “\(type)”. It has: "
                    + types.compactMap(\.schema.title).joined(separator: ", ") + ".")
        }
        for type in chosen { print(type.schema.jsonSchema, terminator: "") }
    }

    private struct Difference: Encodable {
        let type: String
        let isCompatible: Bool
        let difference: String
    }

    private func compare(_ realm: Realm, _ source: DataSource) throws {
        let types = try source.objectTypes(of: realm.schema, creatingIn: "default")
        if source.collections.isEmpty {
            throw CommandError(
                ExitStatus.noInput,
                "\(source.directory.path) holds no DATABASE/COLLECTION/schema.json to compare "
                    + "with.")
        }
        if let type, source.collection(titled: type) == nil,
            !types.contains(where: { $0.schema.title == type })
        {
            throw CommandError(
                ExitStatus.noInput,
                "neither the store nor \(source.directory.path) has an object type “\(type)”. "
                    + "There are: " + types.compactMap(\.schema.title).joined(separator: ", ")
                    + ".")
        }
        try report(
            source.findings(for: types).filter { type == nil || $0.title == type },
            typeCount: types.count)
    }

    /// Compares one type with a schema file.
    private func compare(_ realm: Realm, file: String) throws {
        let collection = try SchemaFiles.collections([file])[0]
        let title = collection.schema.title ?? ""
        let types = try ObjectMapping(realm.schema).objectTypes {
            CollectionPlace(source: "", database: "", collection: $0)
        }
        guard type == nil || type == title,
            let own = types.first(where: { $0.schema.title == title })
        else {
            throw CommandError(
                ExitStatus.noInput,
                "\(file) is the schema of “\(title)”, "
                    + (type.map { "and not of “\($0)”." }
                        ?? "which the store has not. It has: "
                        + types.compactMap(\.schema.title).joined(separator: ", ") + "."))
        }
        try report(collection.findings(for: own), typeCount: 1)
    }

    private func report(_ findings: [DataSource.Finding], typeCount: Int) throws {
        if json {
            let list = findings.map {
                Difference(
                    type: $0.title, isCompatible: $0.isCompatible, difference: "\($0)")
            }
            print(try JSONReport.text(of: list))
        } else {
            for finding in findings {
                print("\(finding)\(finding.isCompatible ? " (compatible)" : "")")
            }
            let badCount = findings.filter { !$0.isCompatible }.count
            printNote(
                "\(Figures.count(typeCount, "object type")), "
                    + "\(Figures.count(findings.count, "difference")), "
                    + "\(Figures.count(badCount)) of them not compatible")
        }
        if findings.contains(where: { !$0.isCompatible }) { throw ExitCode(1) }
    }

    private func printSample() throws {
        let name = URL(fileURLWithPath: paths[0]).deletingPathExtension().lastPathComponent
        let keyName = key ?? DataSource.Collection.usualKeyName
        let sampler = SchemaSampler(
            title: title ?? SchemaSampler.title(forCollection: name), keyName: keyName,
            keepsIntegerWidth: narrowIntegers)
        for path in paths {
            let input = try DocumentFile(.file(path), format: nil)
            do {
                while let document = try input.stream.next() { sampler.add(document) }
            } catch let error as DocumentError {
                throw CommandError(ExitStatus.badData, "\(path): \(error)".asSentence)
            }
        }
        guard sampler.documentCount > 0 else {
            throw CommandError(ExitStatus.badData, "\(paths[0]) holds no documents.")
        }
        let schema = sampler.schema()
        if let key, key != DataSource.Collection.usualKeyName, schema["_id"] != nil {
            throw CommandError(
                ExitStatus.usage,
                "documents have “_id”, which is their key then. Leave out --key \(key).")
        }
        print(schema.jsonSchema, terminator: "")
        printNote("\(Figures.count(sampler.documentCount, "document"))")
        let problems = sampler.problems()
        report(problems.filter(\.isRefused), "An import with the schema refuses documents with:")
        report(problems.filter { !$0.isRefused }, "An import with the schema changes:")
        do throws(ModelError) {
            _ = try SwiftModels.files(
                for: [
                    DataSource.Collection(
                        database: "", name: name, schema: schema, keyName: keyName)
                ])
        } catch {
            printToStandardError(
                "No classes or object types can be made of the schema yet:\n\(error)")
        }
    }
}

extension SchemaPrintCommand {
    /// Prints what of samples an import does not take as it is.
    private func report(_ problems: [SampleProblem], _ heading: String) {
        if problems.isEmpty { return }
        printToStandardError(
            heading + "\n" + problems.map { "  \($0)" }.joined(separator: "\n"))
    }
}
