import ArgumentParser
import Travertine

/// `travertine query`: prints the objects that a query finds.
struct QueryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query",
        abstract: "Print the objects of a type that fulfil a condition.",
        discussion: """
            A query is the name of a type, then WHERE with a condition if not all objects are \
            wanted, then SORT, DISTINCT and LIMIT. Conditions are predicates as NSPredicate and \
            Realm have them; names are the stored ones. A name that is no word is in quotes: \
            'Old Town' for a type, #"inner size" for a property.

              travertine query cities.realm "City where population > 1e6 SORT(name ASC)"
              travertine query cities.realm "City where country == 'PT' LIMIT(10)"
              travertine query cities.realm "City where name CONTAINS[c] 'porto'" --json
              travertine query cities.realm City --columns name,country --csv > a.csv
              travertine query cities.realm "City where population > 1e6" --count
              travertine query cities.realm "City where population > 1e6" --explain

            On a terminal the objects are a table that fits it. Elsewhere a line is the values of \
            an object with tabs between them, without names; what can't be shown is written \\n, \
            \\t, \\\\ or \\xNN, and nil is nothing. A link is the key of its target, collections \
            and embedded objects are Extended JSON. --json prints what `travertine export` does.

            --count of all objects, or by an index, reads no rows: damage in them is not noticed, as \
            `travertine fsck` does.

            The store may be open in a program: what is durable is shown. \
            `travertine --generate-completion-script` makes a script with which the shell completes \
            types, properties and words.

            Statuses: 0 done, also if nothing was found; 64 the query or another argument is wrong; \
            65 the store is damaged; 66 no such store; 74 reading or writing failed; 77 permission \
            denied.
            """)

    @Argument(help: "The directory of the database.", completion: .directory)
    var directory: String

    @Argument(
        help: "The query: TYPE [WHERE CONDITION] [SORT(…)] [DISTINCT(…)] [LIMIT(…)].",
        completion: .custom { words, _, prefix in
            QueryCompletion.candidates(for: prefix, in: words)
        })
    var query: String

    @Option(
        help: "The properties to print, with commas between them. (default: all)",
        completion: .custom { words, _, prefix in
            QueryCompletion.columns(for: prefix, in: words)
        })
    var columns: String?

    @Option(name: [.customShort("n"), .long], help: "At most this many objects.")
    var limit: Int?

    @Flag(help: "Print objects of Extended JSON, one a line.") var json = false
    @Flag(help: "Print CSV (RFC 4180), with a line of names.") var csv = false
    @Flag(help: "Print only how many objects there are.") var count = false
    @Flag(
        help: """
            Print how the objects are found: the indexes that are used, and what is tested for \
            each object. With --count the query is run, and what it took is printed too.
            """)
    var explain = false

    @OptionGroup var commit: CommitArgument

    @OptionGroup var common: CommonArguments

    mutating func validate() throws {
        if let limit, limit < 0 { throw ValidationError("--limit must not be negative.") }
        if json, csv { throw ValidationError("--json and --csv exclude each other.") }
        if count || explain, csv || columns != nil {
            throw ValidationError(
                "--count and --explain print no objects: leave out --csv and --columns.")
        }
        if explain, json { throw ValidationError("--explain prints text: leave out --json.") }
        _ = try columnNames()
    }

    /// The names in --columns; nil without it.
    private func columnNames() throws -> [String]? {
        guard let columns else { return nil }
        let names = columns.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard !names.contains("") else {
            throw ValidationError("--columns takes names with commas between them: name,age.")
        }
        var known: Set<String> = []
        for name in names where !known.insert(name).inserted {
            throw ValidationError("--columns names “\(name)” twice.")
        }
        return names
    }

    func run() throws {
        let realm = try StoredTypes.realm(directory, forReading: true, asOf: commit.asOf)
        let query = try StoredQuery(self.query, in: realm, columns: columnNames(), limit: limit)
        var output = OutputWriter()
        if explain {
            output.writeLine(try query.plan(running: count))
            output.flush()
        } else if count {
            output.writeLine(String(try query.count()))
            output.flush()
        } else {
            let format: ResultFormat = output.isTerminal ? .table : .tab
            try query.print(as: json ? .json : csv ? .csv : format, to: &output)
        }
    }
}
