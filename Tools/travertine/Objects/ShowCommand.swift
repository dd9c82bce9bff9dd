import ArgumentParser
import Travertine
import TravertineDocuments

/// `travertine show`: prints one object with its links.
struct ShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print an object with its links, or the keys of a type.",
        discussion: """
            An object is named by its type and its primary key; one without primary key by the \
            number that the store gives it, which is the same in copies of the store. A link is \
            printed as type and key, so that the next object can be shown; embedded objects and \
            collections are unfolded. At the end are the properties with which other objects link \
            to it, and how many do.

              travertine show cities.realm City 2267057
              travertine show cities.realm City 2267057 --json
              travertine show cities.realm City --limit 5

            Without a key, the keys of the type are printed, one a line. The store may be open in a \
            program: what is durable is shown.

            Statuses: 0 done; 1 there is no such object; 64 wrong arguments, or a text that is no \
            key of the type; 65 the store is damaged; 66 no such store or type; 74 reading failed; \
            77 permission denied.
            """)

    @Argument(help: "The directory of the database.", completion: .directory)
    var directory: String

    @Argument(
        help: "The object type, by its stored name.",
        completion: .custom { words, _, prefix in QueryCompletion.types(for: prefix, in: words) })
    var type: String

    @Argument(help: "The primary key of the object. (default: print the keys of the type)")
    var key: String?

    @Option(name: [.customShort("n"), .long], help: "Without a key: at most this many keys.")
    var limit: Int?

    @Flag(help: "Show collections to their end; otherwise only their first 20 elements.")
    var all = false

    @Flag(
        help: "Print a JSON object with the object as Extended JSON; without a key, one for each.")
    var json = false

    @OptionGroup var commit: CommitArgument

    @OptionGroup var common: CommonArguments

    mutating func validate() throws {
        if let limit, limit < 0 { throw ValidationError("--limit must not be negative.") }
        if key != nil, limit != nil {
            throw ValidationError("--limit is for the keys of a type: leave out the key.")
        }
    }

    func run() throws {
        let realm = try StoredTypes.realm(directory, forReading: true, asOf: commit.asOf)
        let objects = try ObjectsOfType(type, in: realm)
        var output = OutputWriter()
        defer { output.flush() }
        guard let key else { return try printKeys(of: objects, to: &output) }
        let (objectKey, document) = try objects.found(key)
        let links = try objects.exporter.object(forObjectKey: objectKey).map {
            try IncomingLinks(to: $0, of: objects.schema, in: realm).counts
        }
        let identity = objects.exporter.identity(of: document, objectKey)
        if json {
            output.writeLine(try Self.json(objects.name, identity, document, links ?? []))
            return
        }
        output.writeLine(Style.output.bold("\(objects.name) \(CellText.shown(identity))"))
        let text = ObjectText(realm, showsAll: all)
        for line in text.lines(document, of: objects.schema) { output.writeLine(line) }
        for link in links ?? [] {
            output.writeLine(
                "linked from \(link.type).\(link.property): \(Figures.count(link.count, "object"))")
        }
    }

    private func printKeys(of objects: ObjectsOfType, to output: inout OutputWriter) throws {
        let name = objects.exporter.primaryKeyName
        let exporter = try DocumentExporter(
            objects.realm, resultsOf: objects.name, properties: name.map { [$0] } ?? [])
        var found = objects.realm.dynamicObjects(objects.name)
        if let limit { found = found.limit(limit) }
        try exporter.forEachObject(of: found) { objectKey, document in
            let key = exporter.identity(of: document, objectKey)
            output.writeLine(
                json ? try AnyBSON.document(["key": key]).extendedJSON() : CellText.shown(key))
        }
    }

    private static func json(
        _ type: String, _ key: AnyBSON, _ document: Document, _ links: [IncomingLinks.Count]
    ) throws -> String {
        var counts = Document()
        for link in links {
            counts.append(.int(link.count), forKey: link.type + "." + link.property)
        }
        do {
            return try AnyBSON.document([
                "type": .string(type), "key": key, "object": .document(document),
                "linkedFrom": .document(counts),
            ]).extendedJSON()
        } catch {
            throw CommandError(
                ExitStatus.badData,
                "the object can't be written as Extended JSON: \(error)".asSentence
                    + " Leave out --json.")
        }
    }
}
