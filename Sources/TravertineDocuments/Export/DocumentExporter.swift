import Travertine

/// Writes objects as documents.
///
/// ```swift
/// let exporter = try DocumentExporter(realm, type: "Dog")
/// try exporter.export(as: .extendedJSON(.relaxed)) { bytes in file.write(bytes) }
/// ```
///
/// Fields have the stored names and come in declared order; nil is null. A link is its target's
/// key, one whose target is not there the key that it waits for; links in values of any type, and
/// those of a base class to an object of a derived one, are DBRefs with the name of the type's
/// collection, if a data source is given that has one, else with the type's own. Dates are rounded
/// to the millisecond. It belongs to the thread of its realm.
public final class DocumentExporter {
    /// How documents are written.
    public enum Format: Sendable, Hashable {
        /// One document on a line, in Extended JSON.
        case extendedJSON(ExtendedJSONMode)
        /// One document after the other, in BSON.
        case bson
    }

    private let plan: ExportPlan
    private let waitingLinks: WaitingLinks
    private let validator: DocumentValidator?
    private static let pieceByteCount = 256 << 10

    /// An exporter of the objects of a type, by its stored name or the name of its class.
    ///
    /// - Parameters:
    ///   - realm: the realm of the objects.
    ///   - name: the type.
    ///   - schema: what the documents must look like, checked as they are written, and the width
    ///     of their integers; by default, what the type says.
    ///   - collections: those of the data source, whose names DBRefs have.
    /// - Throws: `ImportError` for the type, `MappingError` for its links.
    public init(
        _ realm: Realm, type name: String, schema: DocumentSchema? = nil,
        collections: [DataSource.Collection] = []
    ) throws {
        guard let type = realm.rowType(name) else { throw ImportError.unknownType(name) }
        guard !type.isEmbedded else { throw ImportError.embeddedType(name) }
        let own = try ObjectMapping.documentSchema(of: type.name, in: realm.schema)
        waitingLinks = WaitingLinks(realm)
        plan = try ExportPlan(
            type, schema ?? own, realm, waitingLinks, ReferenceNames(collections))
        validator = schema.map { DocumentValidator($0, of: type, in: realm) }
    }

    /// An exporter of what queries find, with some properties or all.
    ///
    /// Embedded objects are exported too, and a link to an object without primary key is the
    /// number of its object key: what this writes is to be read, not to be imported.
    ///
    /// - Parameters:
    ///   - realm: the realm of the objects.
    ///   - name: the type, by its stored name or the name of its class.
    ///   - properties: the stored names of those that documents have, in this order; by default
    ///     all.
    /// - Throws: `Realm.Error` with code `.invalidInput` for a name that there is not, with the
    ///   nearest names; `MappingError` for links.
    public init(
        _ realm: Realm, resultsOf name: String, properties: [String]? = nil
    ) throws {
        let type = try Self.queriedType(name, in: realm)
        let slots = try properties?.map { property in
            guard let slot = type.fields.firstIndex(where: { $0.name == property }) else {
                let names = type.fields.map(\.name)
                throw Realm.Error(
                    .invalidInput,
                    "Property '\(property)' not found in '\(name)'."
                        + NearNames.advice(on: property, among: names))
            }
            return slot
        }
        waitingLinks = WaitingLinks(realm)
        plan = try ExportPlan(
            type, nil, realm, waitingLinks, ReferenceNames([]), slots: slots,
            writesObjectKeys: true)
        validator = nil
    }

    private static func queriedType(_ name: String, in realm: Realm) throws -> RowType {
        guard let type = realm.rowType(name) else {
            let names = realm.schema.objectSchema.map(\.objectTypeName)
            let near = NearNames.near(name, among: names).map { "'\($0)'" }
            let advice =
                !near.isEmpty
                ? " Did you mean \(near.joined(separator: " or "))?"
                : names.isEmpty ? "" : " There are: \(names.joined(separator: ", "))."
            throw Realm.Error(.invalidInput, "Type '\(name)' not found.\(advice)")
        }
        guard !type.isAsymmetric else {
            throw Realm.Error(
                .invalidInput,
                "'\(name)' is asymmetric: its objects wait for their consumer, and no query finds "
                    + "them.")
        }
        return type
    }

    var type: RowType { plan.type }

    func document(of row: StoredRow) throws -> Document { try plan.document(row) }

    func lookForWaitingLinks() throws { try waitingLinks.look() }

    /// How many objects there are to export.
    public var objectCount: Int {
        get throws { try plan.type.count() }
    }

    /// Writes every object, in pieces of about 256 KiB.
    ///
    /// - Parameters:
    ///   - format: how the documents are written.
    ///   - refused: gets the position of an object that does not fit the schema or the format, from
    ///     1, and what is wrong with it; it is left out unless this throws.
    ///   - write: gets the next bytes.
    /// - Returns: how many objects were written.
    /// - Throws: what `write` and `refused` throw, and errors of reading and encoding.
    @discardableResult
    public func export(
        as format: Format,
        refused: (_ position: Int, _ refusal: DocumentRefusal) throws -> Void = { throw $1 },
        to write: (_ bytes: [UInt8], _ objectCount: Int) throws -> Void
    ) throws -> Int {
        try export(nil, format, refused, write)
    }

    /// Writes the objects of results, in their order; see `export(as:refused:to:)`. What precedes
    /// an error is written too.
    ///
    /// - Parameters:
    ///   - objects: results of the type of this exporter.
    ///   - format: how the documents are written.
    ///   - refused: gets the position of an object that does not fit, from 1, and what is wrong
    ///     with it; it is left out unless this throws.
    ///   - write: gets the next bytes.
    /// - Returns: how many objects were written.
    @discardableResult
    public func export(
        _ objects: Results<DynamicObject>, as format: Format,
        refused: (_ position: Int, _ refusal: DocumentRefusal) throws -> Void = { throw $1 },
        to write: (_ bytes: [UInt8], _ objectCount: Int) throws -> Void
    ) throws -> Int {
        try export(objects, format, refused, write)
    }

    private func export(
        _ objects: Results<DynamicObject>?, _ format: Format,
        _ refused: (Int, DocumentRefusal) throws -> Void, _ write: ([UInt8], Int) throws -> Void
    ) throws -> Int {
        switch format {
        case .extendedJSON(let mode):
            var output = JSONOutput(mode)
            return try export(
                objects, &output, separator: [UInt8(ascii: "\n")], refused, write)
        case .bson:
            var output = BSONOutput()
            return try export(objects, &output, separator: [], refused, write)
        }
    }

    private func export<Output: DocumentOutput>(
        _ objects: Results<DynamicObject>?, _ output: inout Output, separator: [UInt8],
        _ refused: (Int, DocumentRefusal) throws -> Void, _ write: ([UInt8], Int) throws -> Void
    ) throws -> Int {
        try waitingLinks.look()
        output.bytes.reserveCapacity(2 * Self.pieceByteCount)
        var position = 0
        var count = 0
        // The bytes of whole documents that are not written yet.
        var waitingByteCount = 0
        do {
            try plan.type.forEachRow(in: objects) { row in
                position += 1
                let start = output.bytes.count
                let problems: [DocumentProblem]?
                do {
                    try plan.write(row, to: &output, .root)
                    problems = try self.problems(output, from: start)
                } catch let error as DocumentError {
                    problems = [DocumentProblem(error)]
                }
                if let problems, !problems.isEmpty {
                    output.cut(to: start)
                    return try refused(position, DocumentRefusal(problems))
                }
                output.bytes.append(contentsOf: separator)
                count += 1
                waitingByteCount = output.bytes.count
                if output.bytes.count >= Self.pieceByteCount {
                    waitingByteCount = 0
                    try write(output.bytes, count)
                    output.bytes.removeAll(keepingCapacity: true)
                }
            }
        } catch {
            // What precedes a damaged object is a part of what a query finds; a part of an export
            // of a whole type is of no use.
            if objects != nil, waitingByteCount > 0 {
                output.cut(to: waitingByteCount)
                try write(output.bytes, count)
            }
            throw error
        }
        if !output.bytes.isEmpty { try write(output.bytes, count) }
        return count
    }

    /// What is wrong with the document that was just written; nil without a schema.
    private func problems(
        _ output: some DocumentOutput, from start: Int
    ) throws -> [DocumentProblem]? {
        guard let validator else { return nil }
        let document = try output.bytes.withUnsafeBytes { bytes in
            let own = UnsafeRawBufferPointer(rebasing: bytes[start...])
            return try output is BSONOutput
                ? Document(bson: own) : Document(extendedJSON: own)
        }
        return validator.problems(in: document)
    }

    /// Calls `body` with the document of each object of results, in their order.
    ///
    /// - Parameters:
    ///   - objects: results of the type of this exporter.
    ///   - body: called with each document.
    /// - Throws: what `body` throws, and errors of reading and encoding.
    public func forEachDocument(
        of objects: Results<DynamicObject>, _ body: (Document) throws -> Void
    ) throws {
        try waitingLinks.look()
        try plan.type.forEachRow(in: objects) { try body(plan.document($0)) }
    }

    /// How many objects results have, of the type of this exporter.
    ///
    /// - Throws: for damage, which `Results.count` leaves to the next call that can throw.
    public func count(of objects: Results<DynamicObject>) throws -> Int {
        try plan.type.count(of: objects)
    }

    /// How results are found, as `Results.explain(running:)` says it.
    ///
    /// - Throws: for damage, which `Results.explain(running:)` leaves to the next call that can
    ///   throw.
    public func explain(_ objects: Results<DynamicObject>, running: Bool = false) throws -> String {
        let text = objects.explain(running: running)
        try plan.realm.throwFailure()
        return text
    }

    /// The document of the object with a primary key; nil if there is none.
    public func document(forPrimaryKey key: AnyBSON) throws -> Document? {
        guard let keySlot = plan.type.keySlot else { return nil }
        let found = try key.withKey(plan.type.fields[keySlot].type) { raw in
            try plan.type.key(forPrimaryKey: raw)
        }
        guard let found, let key = found else { return nil }
        try waitingLinks.look()
        return try plan.type.withRow(ofKey: key) { try plan.document($0) }
    }
}
