import ArgumentParser
import Travertine
import TravertineDocuments

/// `travertine diff`: how the objects of two stores differ.
struct DiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Report how the objects of two databases, or commits, differ.",
        discussion: """
            Objects are the same if their primary keys are; those without primary key if they have \
            the same number, as in a backup or copy. An object that only the second database has is \
            a line with +, one that only the first has a line with -, and one that differs a line \
            with ~, with a line for each property that does.

              travertine diff yesterday.realm today.realm
              travertine diff yesterday.realm today.realm --summary
              travertine diff yesterday.realm today.realm --type City --json
              travertine diff --quiet a.realm b.realm || echo they differ
              travertine diff today.realm --from 3
              travertine diff today.realm --from 3 --to 5

            With --from and --to two commits of one database are compared, by their log sequence \
            numbers, which `tail` and `stat` print. The log has a commit as long as compaction \
            removes nothing that it held; of types with indexes or links to them, those since the \
            checkpoint before the newest, which each closing writes.

            Types and properties that only one of them has are reported once. Embedded objects are \
            a part of their owners. Dates are compared to the millisecond. Both may be open in a \
            program: what is durable is compared.

            Statuses, as diff(1) has them: 0 there is no difference; 1 there is one; 2 something is \
            wrong.
            """)

    @Argument(help: "The directory of the first database.", completion: .directory)
    var first: String

    @Argument(
        help: "The directory of the second database. (default: the first, with --from or --to)",
        completion: .directory)
    var second: String?

    @Option(
        help: ArgumentHelp(
            "The commit of the first database, by its log sequence number.", valueName: "lsn"))
    var from: UInt64?

    @Option(
        help: ArgumentHelp(
            "The commit of the second database, by its log sequence number.", valueName: "lsn"))
    var to: UInt64?

    @Option(
        help: "Only this object type, by its stored name. Give it again for several.",
        completion: .custom { words, _, prefix in QueryCompletion.types(for: prefix, in: words) })
    var type: [String] = []

    @Flag(help: "Print only how many objects of each type differ, and in which properties.")
    var summary = false

    @Flag(
        help: "Print JSON: an object on a line for each difference, or with --summary one for all.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print nothing: only the status says whether they differ.")
    var quiet = false

    @OptionGroup var key: KeyArguments

    mutating func validate() throws {
        if second == nil, from == nil, to == nil {
            throw ValidationError(
                "name a second database, or commits of the first one with --from and --to.")
        }
        if quiet { Messages.turnOff() }
        if quiet, summary || json {
            throw ValidationError("--quiet prints nothing: leave out --summary and --json.")
        }
    }

    func run() throws {
        let comparison = StoreComparison(
            first: try StoredTypes.realm(first, forReading: true, asOf: from),
            second: try StoredTypes.realm(second ?? first, forReading: true, asOf: to))
        let names = try chosen(from: comparison.typeNames())
        let found = try compare(comparison, names)
        let differing = found.filter { !$0.isEmpty }
        if !quiet { try report(differing) }
        if !differing.isEmpty { throw ExitCode(ExitStatus.Diff.differs) }
    }

    private func chosen(from names: [String]) throws -> [String] {
        for name in type where !names.contains(name) {
            throw CommandError(
                ExitStatus.noInput,
                (second.map { "neither \(first) nor \($0) has" }
                    ?? "\(first) has in neither commit")
                    + " an object type “\(name)”. There are: "
                    + names.joined(separator: ", ") + ".")
        }
        return type.isEmpty ? names : type
    }

    private func compare(
        _ comparison: StoreComparison, _ names: [String]
    ) throws -> [StoreComparison.OfType] {
        var output = OutputWriter()
        // What differs is printed also where damage follows.
        defer { output.flush() }
        let text = ObjectText(comparison.second)
        let total = try names.reduce(0) { sum, name in
            try sum + comparison.objectCount(of: name)
        }
        var bar = ProgressBar("diff", .things("object"))
        defer { bar.clear() }
        var count = 0
        return try names.map { name in
            let schema = comparison.second.schema.objectSchema.first { $0.objectTypeName == name }
            let found = try comparison.compare(name) {
                count += 1
                if count % 256 == 0 {
                    bar.update(done: UInt64(count), total: UInt64(total), detail: name)
                }
            } report: { difference in
                if quiet || summary { return }
                if json { return output.writeLine(try difference.json()) }
                for line in difference.lines(text, schema, .output) { output.writeLine(line) }
            }
            if !quiet, !summary {
                for line in found.schema {
                    output.writeLine(
                        json
                            ? try AnyBSON.document([
                                "type": .string(name), "change": "schema",
                                "difference": .string(line),
                            ]).extendedJSON() : "~ \(name): \(line)")
                }
            }
            return found
        }
    }

    private func report(_ differing: [StoreComparison.OfType]) throws {
        if summary, json { return print(try JSONReport.text(of: differing)) }
        for type in differing {
            let line = Self.line(type)
            if summary { print(line) } else { printNote(line) }
            for difference in type.schema where summary { print("  \(difference)") }
        }
        if differing.isEmpty { printNote("no difference") }
    }

    private static func line(_ type: StoreComparison.OfType) -> String {
        let properties = type.properties.sorted { $0.key < $1.key }
            .map { "\($0.key) \(Figures.count($0.value))" }.joined(separator: ", ")
        return "\(type.type): \(Figures.count(type.inserted)) inserted, "
            + "\(Figures.count(type.deleted)) deleted, \(Figures.count(type.modified)) modified"
            + (properties.isEmpty ? "" : " (\(properties))")
    }
}

extension StoreComparison {
    /// How many objects of a type are looked at, at most.
    fileprivate func objectCount(of type: String) throws -> Int {
        try [first, second].reduce(0) { sum, realm in
            guard realm.hasType(type) else { return sum }
            return try sum + ObjectsOfType(type, in: realm).exporter.objectCount
        }
    }
}
