import ArgumentParser
import Foundation
import TravertineDocuments

/// `travertine generate-models`: writes the Swift classes of schemas.
struct GenerateModelsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate-models",
        abstract: "Write the Swift classes of JSON Schemas.",
        discussion: """
            A schema is a data source, which is a directory of DATABASE/COLLECTION/schema.json with \
            relationships.json beside, or such a file alone. Every object type and embedded type \
            gets a file with its class.

              travertine generate-models schemas --target-dir Sources/App/Models
              travertine generate-models Dog.json Person.json --target-dir Models
              travertine generate-models City.json --key geonameid --target-dir Models

            The classes import Foundation and Travertine; --import RealmSwift is for programs that \
            have that product of the package. “_id” is the primary key, or the field --key of \
            schemas that have none; what is not required is optional; int and long are Int; \
            nested objects are embedded ones; fields of the relationships are links. Where a Swift \
            name differs from the stored one, the class maps it. What no class can have is listed \
            with file and field, and nothing is written. Files that are there already are replaced; \
            files that would stay the same are left alone.

            Statuses: 0 done; 64 wrong arguments; 65 a schema can't be used; 66 no such file; \
            74 reading or writing failed; 77 permission denied.
            """)

    @Argument(help: "Data sources or schema files.", completion: .file())
    var schemas: [String]

    @Option(help: "The directory for the classes; it is made if it is missing.")
    var targetDir: String

    @Option(help: "How Swift names come from stored ones: camelCase or stored.")
    var naming = Naming.camelCase

    @Option(help: "The field that is the primary key, for schemas without “_id”.")
    var key: String?

    @Option(name: .customLong("import"), help: "The module that the classes import.")
    var module = "Travertine"

    @Flag(help: "Print the files as JSON.")
    var json = false

    @OptionGroup var common: CommonArguments

    mutating func validate() throws {
        let isName = module.utf8.allSatisfy {
            $0 == UInt8(ascii: "_") || Character(Unicode.Scalar($0)).isLetter
                || Character(Unicode.Scalar($0)).isNumber
        }
        if module.isEmpty || !isName || module.first?.isNumber == true {
            throw ValidationError("--import names a module, such as Travertine or RealmSwift.")
        }
    }

    enum Naming: String, ExpressibleByArgument, CaseIterable {
        case camelCase
        case stored
    }

    private struct Summary: Encodable {
        var written: [String] = []
        var unchanged: [String] = []
    }

    func run() throws {
        let found = try SchemaFiles.find(schemas, key: key)
        try SchemaFiles.requireLinks(
            of: found.map(\.collection), areAll: false, outcome: "Nothing was written.")
        let files: [SwiftModels.File]
        do throws(ModelError) {
            files = try SwiftModels.files(
                for: found.map(\.collection), naming: naming == .stored ? .stored : .camelCase,
                importing: module)
        } catch {
            throw SchemaFiles.commandError(error, found)
        }
        let folder = URL(fileURLWithPath: targetDir, isDirectory: true)
        var summary = Summary()
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true)
            for file in files {
                let url = folder.appendingPathComponent(file.name)
                let data = Data(file.text.utf8)
                if FileManager.default.contents(atPath: url.path) == data {
                    summary.unchanged.append(file.name)
                } else {
                    try data.write(to: url, options: .atomic)
                    summary.written.append(file.name)
                }
            }
        } catch {
            throw CommandError(
                FileFailure.status(error),
                "\(targetDir) can't be written: \(FileFailure.text(error)). Name another "
                    + "directory with --target-dir.")
        }
        if json { return print(try JSONReport.text(of: summary)) }
        for name in summary.written { print(name) }
        printNote(
            "\(Figures.count(files.count, "class")) in \(targetDir), "
                + "\(Figures.count(summary.written.count)) written")
    }
}
