import ArgumentParser
import Travertine
import TravertineDocuments

/// The objects of one type that are exported, and how they are written to a file.
struct ObjectExport {
    private let realm: Realm
    private let type: String
    private let exporter: DocumentExporter
    /// Nil for all objects, in the order of object keys.
    private let objects: Results<DynamicObject>?

    /// - Parameters:
    ///   - condition: what objects must fulfil, as predicate text; nil for all.
    ///   - sort: the properties that they are sorted by.
    ///   - limit: how many at most.
    ///   - schema: what documents are checked against.
    /// - Throws: `CommandError` with the place for a condition that is wrong; `ImportError` for the
    ///   type.
    init(
        _ realm: Realm, type: String, where condition: String?, sort: String?, limit: Int?,
        schema: DocumentSchema?, collections: [DataSource.Collection]
    ) throws {
        self.realm = realm
        self.type = type
        exporter = try DocumentExporter(
            realm, type: type, schema: schema, collections: collections)
        let descriptor = try Self.descriptor(sort)
        guard condition != nil || descriptor != nil || limit != nil else {
            objects = nil
            return
        }
        var objects = realm.dynamicObjects(type)
        let predicate = [condition, descriptor].compactMap(\.self).joined(separator: " ")
        do {
            if !predicate.isEmpty {
                objects = try objects.filter(validating: predicate, arguments: [])
            }
        } catch let error as Realm.Error where error.code == .invalidInput {
            throw CommandError(ExitStatus.usage, error.message)
        }
        self.objects = limit.map { objects.limit($0) } ?? objects
    }

    /// What predicate text has for properties to sort by: `age DESC, name`.
    static func descriptor(_ sort: String?) throws -> String? {
        guard let sort else { return nil }
        let terms = sort.split(separator: ",", omittingEmptySubsequences: false).map { term in
            term.split(whereSeparator: \.isWhitespace).map(String.init)
        }
        let texts = try terms.map { words in
            let direction = words.count == 2 ? words[1].uppercased() : "ASC"
            guard let name = words.first, words.count <= 2, ["ASC", "DESC"].contains(direction)
            else {
                throw ValidationError(
                    "--sort takes properties with commas between them, each with ASC or DESC after "
                        + "it or not: “age DESC, name”.")
            }
            return name + " " + direction
        }
        return "SORT(" + texts.joined(separator: ", ") + ")"
    }

    /// Writes the objects.
    ///
    /// - Parameters:
    ///   - path: the file; nil is standard output.
    ///   - refused: gets the position of an object that does not fit, and what is wrong with it; it
    ///     is left out unless this throws.
    func run(
        as format: ExportCommand.Format, to path: String?,
        refused: (Int, DocumentRefusal, ProgressBar) throws -> Void
    ) throws -> (objects: Int, bytes: Int) {
        let total = UInt64(try objects.map { try exporter.count(of: $0) } ?? exporter.objectCount)
        var bar = ProgressBar("export", .things("object"))
        defer { bar.clear() }
        var byteCount = 0
        let objectCount = try OutputFile.write(to: path) { target in
            let take: ([UInt8], Int) throws -> Void = { bytes, count in
                byteCount += bytes.count
                bar.update(
                    done: UInt64(count), total: total, detail: Figures.bytes(byteCount))
                try bytes.withUnsafeBytes { try target.write($0) }
            }
            guard let format = format.ofDocuments else { return try writeCSV(to: take) }
            guard let objects else {
                return try exporter.export(
                    as: format, refused: { try refused($0, $1, bar) }, to: take)
            }
            return try exporter.export(
                objects, as: format, refused: { try refused($0, $1, bar) }, to: take)
        }
        return (objectCount, byteCount)
    }

    private static let pieceByteCount = 64 << 10

    /// Writes CSV: a line of names, then a line for each object.
    private func writeCSV(to write: ([UInt8], Int) throws -> Void) throws -> Int {
        let exporter = try DocumentExporter(realm, resultsOf: type)
        let schema = realm.schema.objectSchema.first { $0.objectTypeName == type }
        let names = (schema?.properties ?? []).filter { $0.type != .linkingObjects }
            .map(\.columnName)
        var bytes = CSVText.line(names)
        var count = 0
        try exporter.forEachObject(of: objects) { _, document in
            bytes += CSVText.line(document.values.map(CellText.csv))
            count += 1
            if bytes.count >= Self.pieceByteCount {
                try write(bytes, count)
                bytes.removeAll(keepingCapacity: true)
            }
        }
        if !bytes.isEmpty { try write(bytes, count) }
        return count
    }
}
