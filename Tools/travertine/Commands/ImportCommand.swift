import ArgumentParser
import Foundation
import TravertineStore

/// `travertine import`: puts the records of a file into a keyspace, or makes objects of them.
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Put records of a file, or rows of a query, into a keyspace or an object type.",
        discussion: """
            Files of JSON Lines, JSON arrays, CSV and BSON are read, also compressed by gzip or lz4 \
            (.jsonl.gz, .csv.lz4). The store is made if it is missing. The key of a record is the field --key; its value \
            is the whole record as JSON, or the field --value. A key that is there already gets the \
            new value.

              travertine import places.store cities.jsonl --key geonameid
              travertine import places.store cities.csv --key country --key name
              travertine import places.store cities.jsonl.gz --key geonameid
              jq -c '.[]' a.json | travertine import a.store - --format jsonl --key id

            With --type each record becomes an object of a type that the store has: its fields are \
            the properties by their stored names. An object whose primary key is there already \
            takes the fields of the record.

              travertine import places.realm cities.jsonl --type City

            With --documents each document becomes an object, by the rules of MongoDB App \
            Services. BSON files (.bson) are read as well. Links are keys that \
            may come before their targets. The object with a document's key is replaced. --source \
            names a data source or schema file: its types are made where they are missing, and \
            documents are checked against it. A type that is there must have all properties of its \
            schema, so that nothing of a document is lost. The key of documents is “_id”, or the \
            field --key where a schema has none.

              travertine import pets.realm dogs.jsonl --documents --type Dog
              travertine import pets.realm dogs.bson --documents --source schemas --type Dog
              travertine import places.realm a.jsonl --documents --source City.json --key geonameid

            With --from the records are the rows of --query, a statement of SQL that a server of \
            PostgreSQL answers: columns are the fields, with their types. The program \
            travertine-postgres, which is built apart as for `travertine sync`, asks it in a \
            transaction that only reads. Put the password into ~/.pgpass or PGPASSWORD. Without \
            ORDER BY rows come in any order, and --resume-from can't go on.

              travertine import places.realm --from postgres://db.example/places --query 'SELECT * FROM city ORDER BY geonameid' --type City

            A type that is not there is made of the columns of the query with --key, the column \
            that is its primary key; all others may be nil. The store is made if it is missing.

              travertine import new.realm --from postgres://db.example/places --query 'SELECT * FROM city' --type City --key geonameid

            For files --type needs a type that the store has. Without the program that has its \
            class, a schema makes it, which follows from some records:

              travertine schema --sample cities.jsonl --title City --key geonameid > City.json
              travertine import new.realm - --format jsonl --documents --source City.json --key geonameid < /dev/null

            With --check nothing is imported: every document that would be refused is named by its \
            position, with all that is wrong with it. A document with the key of an earlier one is \
            named, too.

              travertine import pets.realm dogs.jsonl --documents --source schemas --type Dog --check

            With several --key fields the key is their texts with “/” between them, so that \
            `travertine scan --prefix` finds all records that begin alike.

            A record that can't be used stops the import and is named by its line. The records \
            before it are stored and durable by then: correct the line and continue there with \
            --resume-from, or leave such records out with --skip-invalid. Where the end of a bad \
            document is not certain, the rest can't be read: nothing inside it is taken for a \
            document. A store that was made for an import that stores nothing is removed again.

            Statuses: 0 done; 1 documents were left out, or are bad by --check; 64 wrong arguments; \
            65 a record can't be used; 66 no such file or type; 69 the server refuses the query, or \
            travertine-postgres is not there; 74 reading or writing failed; 75 another \
            process has the store open; 77 permission denied, here or by the server, or no \
            password; 130 interrupted by control-C, 143 by SIGTERM: what was read is stored, and \
            the line to continue at is printed.
            """)

    /// The formats that can be read.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case jsonl
        case bson
        case csv
        case tsv
    }

    @OptionGroup var store: StoreArguments

    @Argument(help: "The file to read; “-” is standard input.", completion: .file())
    var file: String?

    @Option(help: "The server whose rows are read: postgres://[USER@]HOST[:PORT]/DATABASE.")
    var from: String?

    @Option(help: "With --from: the statement of SQL that gives the rows.")
    var query: String?

    @Option(help: "The object type to make objects of, by its stored name.")
    var type: String?

    @Option(
        help: """
            The field that holds the key. For keyspaces, give it again to join several. With --from \
            and --type: the primary key of a type that is not there.
            """)
    var key: [String] = []

    @Option(help: "The field that becomes the value. (default: the whole record as JSON)")
    var value: String?

    @Option(help: "The format. (default: by the name: .jsonl, .ndjson, .json, .csv, .tsv, .bson)")
    var format: Format?

    @Option(help: "The character between CSV fields. (default: “,”, for .tsv a tab)")
    var delimiter: String?

    @Option(help: "The names of the CSV columns, with commas, for a file without a header line.")
    var columns: String?

    @Option(help: "What joins the texts of several --key fields.")
    var keySeparator = "/"

    @Option(help: "Pass over the records before this line, or element of an array, counted from 1.")
    var resumeFrom = 1

    @Flag(help: "Leave out records that can't be used; the first 20 are named.")
    var skipInvalid = false

    @Option(help: "Records in one transaction.")
    var batchSize = 1000

    @Flag(help: "Make objects of documents of Extended JSON or BSON.")
    var documents = false

    @Option(help: "With --documents: a data source or schema file.")
    var source: String?

    @Flag(help: "With --documents: import nothing, and report every document that is bad.")
    var check = false

    @Flag(help: "Print the counts, and what --check finds, as JSON.")
    var json = false

    mutating func validate() throws {
        try validateOrigin()
        if documents { return try validateDocuments() }
        if source != nil || check || resolvedFormat == .bson {
            throw ValidationError("--source, --check and BSON files are for --documents.")
        }
        // The key of a type that is made of the columns.
        let isKeyOfType = query != nil && key.count == 1 && key.first?.isEmpty == false
        if type != nil, !key.isEmpty && !isKeyOfType || value != nil || store.keyspace != nil {
            throw ValidationError(
                "--type takes no --value or --keyspace, and one --key only with --from.")
        }
        if type == nil, key.isEmpty {
            throw ValidationError(
                "Say which field holds the key: --key FIELD. For objects: --type TYPE or --documents."
            )
        }
        if batchSize < 1 { throw ValidationError("--batch-size must be at least 1.") }
        if resumeFrom < 1 { throw ValidationError("--resume-from counts lines from 1.") }
        if resolvedFormat == nil {
            throw ValidationError(
                "The format of “\(file ?? "")” does not follow from its name: add --format jsonl or "
                    + "--format csv.")
        }
        if let delimiter, delimiter.utf8.count != 1 || "\"\r\n".contains(delimiter) {
            throw ValidationError(
                "--delimiter must be one ASCII character, not a quote or line end.")
        }
        if resolvedFormat == .jsonl, delimiter != nil || columns != nil {
            throw ValidationError("--delimiter and --columns are for CSV files.")
        }
    }

    private func validateOrigin() throws {
        if (from == nil) != (query == nil) {
            throw ValidationError("--from and --query need each other.")
        }
        if (file == nil) == (from == nil) {
            throw ValidationError(
                "Say what is read: a file, “-” for standard input, or --from with --query.")
        }
        if from?.isEmpty == true || query?.isEmpty == true {
            throw ValidationError("--from and --query take texts that are not empty.")
        }
        if from != nil, format != nil || delimiter != nil || columns != nil {
            throw ValidationError("--format, --delimiter and --columns are for files.")
        }
    }

    private func validateDocuments() throws {
        if value != nil || store.keyspace != nil || delimiter != nil
            || columns != nil || resumeFrom != 1
        {
            throw ValidationError(
                "--documents takes no --value, --keyspace, --delimiter, --columns or "
                    + "--resume-from.")
        }
        if key.count > 1 || key.first?.isEmpty == true {
            throw ValidationError("--documents takes one --key: the field that is the primary key.")
        }
        if batchSize < 1 { throw ValidationError("--batch-size must be at least 1.") }
        if check, skipInvalid {
            throw ValidationError("--check leaves nothing out: it takes no --skip-invalid.")
        }
        if let resolvedFormat, resolvedFormat != .jsonl, resolvedFormat != .bson {
            throw ValidationError("--documents reads --format jsonl and --format bson.")
        }
    }

    func run() throws {
        let interruption = Interruption(before: "Nothing was imported.")
        if documents {
            let format: DocumentFile.Format? = resolvedFormat.map { $0 == .bson ? .bson : .json }
            let arguments = DocumentArguments(
                directory: store.directory, origin: origin, type: type, source: source,
                key: key.first, format: format, printsJSON: json)
            if check { return try DocumentCheck(arguments: arguments).run(until: interruption) }
            return try DocumentImport(
                arguments: arguments, batchSize: batchSize, skipsInvalid: skipInvalid
            ).run(until: interruption)
        }
        if let type { return try importObjects(of: type, until: interruption) }
        let reader = try makeReader(until: interruption)
        let target = try ImportTarget(store)
        do {
            let sink = KeyspaceSink(
                target, keySeparator: Array(keySeparator.utf8), keyFieldNames: key,
                valueFieldName: value)
            try run(reader, into: sink, until: interruption)
        } catch {
            target.giveUp()
            throw error
        }
        // A file without records, or with none that can be used, makes an empty store.
        _ = try target.open()
        try target.close()
    }

    private func importObjects(of type: String, until interruption: Interruption) throws {
        var hasMadeStore = false
        if let from, let query, let key = key.first {
            let type = QueryType(
                query: ServerQuery(server: from, text: query), name: type, key: key)
            hasMadeStore = try type.make(in: store.directory, until: interruption)
        }
        do {
            let reader = try makeReader(until: interruption)
            let sink = try ObjectSink(
                directory: store.directory, typeName: type, hasTextsOnly: resolvedFormat != .jsonl,
                isQuery: query != nil)
            try run(reader, into: sink, until: interruption)
        } catch {
            if hasMadeStore { try? StoreArguments.removeIfEmpty(store.directory) }
            throw error
        }
    }

    private func run(
        _ reader: any RecordReader, into sink: any RecordSink, until interruption: Interruption
    ) throws {
        interruption.begin()
        var importer = Importer(
            into: sink, batchSize: batchSize, resumeFrom: resumeFrom, skipsInvalid: skipInvalid,
            printsJSON: json)
        try importer.run(reader, until: interruption)
    }

    private func makeReader(until interruption: Interruption) throws -> any RecordReader {
        let fields = type == nil ? key + (value.map { [$0] } ?? []) : []
        let lines = LineReader(
            try origin.open(rowsAs: type == nil ? .plain : .objects, until: interruption))
        if query != nil { return RowReader(lines, fields: fields) }
        let format = resolvedFormat ?? .jsonl
        if format == .jsonl { return JSONReader(lines, fields: fields) }
        return try CSVReader(
            lines, delimiter: delimiter?.utf8.first ?? UInt8(ascii: format == .tsv ? "\t" : ","),
            columns: columns.map { $0.split(separator: ",").map(String.init) }, fields: fields,
            hasNulls: type != nil)
    }

    private var origin: InputOrigin {
        if let from, let query { return .query(ServerQuery(server: from, text: query)) }
        return .file(file ?? "-")
    }

    private var resolvedFormat: Format? {
        if let format { return format }
        guard let file else { return .jsonl }
        switch Compression.contentExtension(of: file) {
        case "jsonl", "ndjson", "json": return .jsonl
        case "csv": return .csv
        case "tsv", "tab": return .tsv
        case "bson": return .bson
        default: return nil
        }
    }
}
