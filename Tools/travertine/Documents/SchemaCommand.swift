import ArgumentParser
import Foundation
import Travertine
import TravertineDocuments

/// `travertine schema`: the JSON Schemas of a database, or of sample documents.
struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Write, compare and infer the JSON Schemas of object types.",
        discussion: """
            The schemas are those of MongoDB App Services. A data source is a directory of \
            DATABASE/COLLECTION/schema.json, with relationships.json beside.

              travertine schema pets.realm --json-schema            print the schemas
              travertine schema pets.realm --check schemas          list all differences
              travertine schema dev pets.realm --source schemas --database Pets
              travertine schema --sample dogs.jsonl                 infer a schema
              travertine schema --sample cities.jsonl --key geonameid

            `travertine schema print --help` and `travertine schema dev --help` say more.
            """,
        subcommands: [SchemaPrintCommand.self, SchemaDevCommand.self],
        defaultSubcommand: SchemaPrintCommand.self)
}

/// `travertine schema print`, or without “print”.
struct SchemaPrintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "print",
        abstract: "Print the schemas of a database or of samples, or compare them with files.",
        discussion: """
            --json-schema prints the schema of every object type of a database; embedded types \
            stand in those of their owners.

            --check compares the object types of a database with the schemas of a data source, or \
            one type with a schema file, and lists every difference. Those that objects can live \
            with, such as the width of integers, are marked as compatible; constraints do not \
            count, nor does what is required of collections, embedded objects, values of any type \
            and links. Relationships that do not fit the schemas are listed too.

            --sample reads documents of Extended JSON (one on a line, or an array) or of BSON \
            (files named .bson) and prints the schema that all of them fit, titled with a singular \
            noun made of the first file's name. Integers are long, so that larger ones fit too; with \
            --narrow-integers they are int where all have 32 bits. The key is “_id”, or the field \
            --key of documents without it; `import --documents` and `generate-models` take --key \
            as well. What no class can have, such as a missing key, is told besides, and values that an import with the schema would refuse or change, such as \
            timestamps and symbols, with what to do about them.

            Statuses: 0 done, or compatible; 1 there are differences that are not; 64 wrong \
            arguments; 65 something can't be used; 66 no such file or type, or nothing to compare \
            with; 74 reading failed; 77 permission denied.
            """)

    @Argument(help: "The directory of the database; with --sample, files of documents.")
    var paths: [String]

    @Flag(help: "Print JSON Schemas; this is the default.")
    var jsonSchema = false

    @Option(help: "Compare with the schemas of this data source, or with this schema file.")
    var check: String?

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

    mutating func validate() throws {
        if sample, check != nil || jsonSchema {
            throw ValidationError("--sample takes no --check or --json-schema.")
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
        if json, check == nil { throw ValidationError("--json is for --check.") }
    }

    func run() throws {
        if sample { return try printSample() }
        let realm = try StoredTypes.realm(paths[0], forReading: true)
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
        try tell(
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
        try tell(collection.findings(for: own), typeCount: 1)
    }

    private func tell(_ findings: [DataSource.Finding], typeCount: Int) throws {
        if json {
            let list = findings.map {
                Difference(
                    type: $0.title, isCompatible: $0.isCompatible, difference: "\($0)")
            }
            print(try JSONText.pretty(list))
        } else {
            for finding in findings {
                print("\(finding)\(finding.isCompatible ? " (compatible)" : "")")
            }
            let badCount = findings.filter { !$0.isCompatible }.count
            printToStandardError(
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
            let input = try DocumentFile(path, format: nil)
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
        printToStandardError("\(Figures.count(sampler.documentCount, "document"))")
        let problems = sampler.problems()
        tell(problems.filter(\.isRefused), "An import with the schema refuses documents with:")
        tell(problems.filter { !$0.isRefused }, "An import with the schema changes:")
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
    /// Tells what of samples an import does not take as it is.
    private func tell(_ problems: [SampleProblem], _ heading: String) {
        if problems.isEmpty { return }
        printToStandardError(
            heading + "\n" + problems.map { "  \($0)" }.joined(separator: "\n"))
    }
}

/// `travertine schema dev`: brings a data source in line with a database.
struct SchemaDevCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dev",
        abstract: "Bring a data source in line with the object types of a database.",
        discussion: """
            A type is found by its title in any database of the data source; where it stands, its \
            schema is rewritten with what is new, and keeps its order and what classes can't say. A \
            type without a schema gets a collection of its name in --database.

              travertine schema dev pets.realm --source schemas --database Pets

            Changes that documents which exist would not survive are listed and refused, and then \
            nothing is written; --allow-breaking writes them. Types need a key that is stored as \
            “_id”; all that have none are listed.

            Statuses: 0 done; 64 wrong arguments; 65 refused; 66 no such file; 74 reading or \
            writing failed; 77 permission denied.
            """)

    @Argument(help: "The directory of the database.", completion: .directory)
    var directory: String

    @Option(help: "The directory of the data source; it is made if it is missing.")
    var source: String

    @Option(help: "The database for collections that are missing.")
    var database: String

    @Flag(help: "Write changes too that documents which exist would not survive.")
    var allowBreaking = false

    @Flag(help: "Print the changes as JSON.")
    var json = false

    mutating func validate() throws {
        if !DataSource.isDirectoryName(database) {
            throw ValidationError(
                "--database is “\(database)”, and has to be a name that a directory can have.")
        }
    }

    private struct Change: Encodable {
        let collection: String
        let type: String
        let isNew: Bool
        let differences: [String]
    }

    func run() throws {
        let realm = try StoredTypes.realm(directory, forReading: true)
        try StoredTypes.explained {
            // The directory is made by the first change, so that none is left by a refusal.
            var files =
                FileManager.default.fileExists(atPath: source)
                ? try SchemaFiles.source(source)
                : DataSource(emptyAt: URL(fileURLWithPath: source, isDirectory: true))
            let types = try files.objectTypes(of: realm.schema, creatingIn: database)
            let changes = try files.changes(for: types, creatingIn: database)
            try files.apply(changes, allowsBreaking: allowBreaking)
            try tell(changes.map { Self.description(of: $0) })
        }
    }

    private static func description(of change: DataSource.Change) -> Change {
        let collection = change.collection
        var differences: [String] = []
        var isNew = true
        if case .update(_, let found, let linksDiffer) = change {
            isNew = false
            differences = found.map(\.description)
            if linksDiffer, !found.contains(where: \.isOfLink) {
                differences.append("the relationships differ")
            }
        }
        return Change(
            collection: "\(collection.database)/\(collection.name)",
            type: collection.schema.title ?? "", isNew: isNew, differences: differences)
    }

    private func tell(_ changes: [Change]) throws {
        if json { return print(try JSONText.pretty(changes)) }
        for change in changes {
            print("\(change.collection): \(change.isNew ? "created" : "updated")")
            for difference in change.differences { print("  \(difference)") }
        }
        if changes.isEmpty { printToStandardError("Nothing to change.") }
    }
}
