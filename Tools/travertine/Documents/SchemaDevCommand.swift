import ArgumentParser
import Foundation
import Travertine
import TravertineDocuments

/// `travertine schema dev`: brings a data source in line with a database.
struct SchemaDevCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dev",
        abstract: "Bring a data source in line with the object types of a database.",
        discussion: """
            A type is found by its title in any database of the data source. Its schema is \
            rewritten with what is new, and keeps its order and what classes can't say. A type \
            without a schema gets a collection of its name in --database.

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

    @OptionGroup var common: CommonArguments

    mutating func validate() throws {
        if !DataSource.isDirectoryName(database) {
            throw ValidationError(
                "--database is “\(database)”, and must be a name that a directory can have.")
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
            try report(changes.map { Self.description(of: $0) })
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

    private func report(_ changes: [Change]) throws {
        if json { return print(try JSONReport.text(of: changes)) }
        for change in changes {
            print("\(change.collection): \(change.isNew ? "created" : "updated")")
            for difference in change.differences { print("  \(difference)") }
        }
        if changes.isEmpty { printNote("Nothing to change.") }
    }
}
