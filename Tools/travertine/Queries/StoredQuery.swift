import Travertine
import TravertineDocuments

/// A query of a database: the objects that it finds, and what reads them.
struct StoredQuery {
    /// What the query finds.
    let objects: Results<DynamicObject>
    /// What reads the objects' properties.
    let exporter: DocumentExporter
    /// The stored names of the properties that are shown.
    let columns: [String]

    /// - Parameters:
    ///   - text: the query.
    ///   - realm: the database.
    ///   - columns: the properties to be shown; nil for all.
    ///   - limit: how many objects at most.
    /// - Throws: `CommandError` with the place for a query that is wrong.
    init(_ text: String, in realm: Realm, columns: [String]? = nil, limit: Int? = nil) throws {
        let query = try QueryText(text)
        do {
            exporter = try DocumentExporter(realm, resultsOf: query.type, properties: columns)
            let all = realm.dynamicObjects(query.type)
            let found =
                query.predicate.isEmpty
                ? all : try all.filter(validating: query.predicate, arguments: [])
            objects = limit.map { found.limit($0) } ?? found
        } catch let error as Realm.Error where error.code == .invalidInput {
            if !realm.hasType(query.type) { throw query.typeError(error.message) }
            throw CommandError(ExitStatus.usage, error.message)
        } catch let error as MappingError {
            throw CommandError(ExitStatus.badData, "\(error)".asSentence)
        }
        let type = realm.schema.objectSchema.first { $0.objectTypeName == query.type }
        self.columns =
            columns
            ?? (type?.properties ?? []).filter { $0.type != .linkingObjects }.map(\.columnName)
    }

    /// How many objects it finds.
    func count() throws -> Int {
        let notice = try SearchNotice(exporter.objectCount)
        defer { notice.end() }
        return try exporter.count(of: objects)
    }

    /// How the objects are found; with `running` the query is run too.
    func plan(running: Bool) throws -> String {
        let notice = try SearchNotice(exporter.objectCount)
        defer { notice.end() }
        return try exporter.explain(objects, running: running)
    }

    /// Prints the objects.
    func print(as format: ResultFormat, to output: inout OutputWriter) throws {
        // What was found before a damaged object is still printed.
        defer { output.flush() }
        switch format {
        case .json: try printJSON(to: &output)
        case .csv:
            output.write(CSVText.line(columns))
            try forEachRow { output.write(CSVText.line($0.map(CellText.csv))) }
        case .tab:
            try forEachRow { cells in
                output.writeLine(cells.map(CellText.plain).joined(separator: "\t"))
            }
        case .table:
            var table = ResultTable(
                columns, width: output.isTerminal ? Terminal.columnCount : .max)
            try forEachRow { cells in
                for line in table.add(cells) { output.writeLine(line) }
            }
            for line in table.finish() { output.writeLine(line) }
        }
    }

    private func printJSON(to output: inout OutputWriter) throws {
        var bar = try QueryProgress(exporter.objectCount)
        defer { bar.clear() }
        do {
            try exporter.export(objects, as: .extendedJSON(.relaxed)) { bytes, count in
                bar.begin()
                bar.update(count, of: objects)
                output.write(bytes)
            }
        } catch let error as DocumentRefusal {
            throw CommandError(
                ExitStatus.badData,
                "an object can't be written as Extended JSON: \(error)".asSentence
                    + " Choose other properties with --columns, or print a table.")
        }
    }

    /// Calls `body` with the values of each object.
    private func forEachRow(_ body: ([AnyBSON]) throws -> Void) throws {
        var bar = try QueryProgress(exporter.objectCount)
        defer { bar.clear() }
        var count = 0
        try exporter.forEachDocument(of: objects) { document in
            bar.begin()
            try body(document.values)
            count += 1
            if count % 256 == 0 { bar.update(count, of: objects) }
        }
    }
}
