import Travertine
import TravertineDocuments

/// What a table of the page shows: a type, a condition and an order.
struct QueryDescription: Hashable, Decodable, Sendable {
    /// A property, and the direction.
    struct Order: Hashable, Decodable, Sendable {
        var name: String
        var isDescending: Bool
    }

    var type: String
    var filter: String
    var order: [Order]

    static let filterByteCount = 16 << 10
    static let orderCount = 8
}

/// The results of a description, which follow the realm.
struct StoredQuery {
    let results: Results<DynamicObject>
    /// What reports damage, which results leave to the next call that can throw.
    private let exporter: DocumentExporter?

    /// - Throws: `RequestFailure` for a type or property that there is not, and for a condition
    ///   that is wrong, with the place.
    init(_ description: QueryDescription, _ schema: ObjectSchema, in realm: Realm) throws {
        guard description.filter.utf8.count <= QueryDescription.filterByteCount else {
            throw RequestFailure(413, "The condition is too long.")
        }
        guard description.order.count <= QueryDescription.orderCount else {
            throw RequestFailure(413, "The rows are sorted by too many properties.")
        }
        var results = realm.dynamicObjects(schema.objectTypeName)
        let condition = description.filter.trimmingWhitespace
        do {
            if !condition.isEmpty {
                results = try results.filter(validating: condition, arguments: [])
            }
            let order = try description.order.map { try Self.text(of: $0, schema) }
            if !order.isEmpty {
                results = try results.filter(
                    validating: "SORT(\(order.joined(separator: ", ")))", arguments: [])
            }
        } catch let error as Realm.Error where error.code == .invalidInput {
            throw Self.failure(error.message)
        }
        self.results = results
        exporter = try? DocumentExporter(realm, resultsOf: schema.objectTypeName)
    }

    private static func text(
        of order: QueryDescription.Order, _ schema: ObjectSchema
    ) throws(RequestFailure) -> String {
        guard let property = schema[order.name], PropertyText.isSortable(property) else {
            throw RequestFailure(422, "Rows can't be sorted by “\(order.name)”.")
        }
        return PropertyText.quoted(property.columnName) + (order.isDescending ? " DESC" : " ASC")
    }

    /// The first line of a message is the sentence, the rest shows the place.
    private static func failure(_ message: String) -> RequestFailure {
        let lines = message.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
        return RequestFailure(
            422, String(lines[0]), detail: lines.count == 2 ? String(lines[1]) : nil)
    }

    /// The number of objects.
    ///
    /// - Throws: for damage that a search found.
    func count() throws -> Int {
        guard let exporter else { return results.count }
        return try exporter.count(of: results)
    }

    /// - Throws: for damage that getters of objects have found, which they leave to the next call
    /// that   can throw.
    func throwDamage() throws { _ = try exporter?.explain(results) }

    /// How the objects are found.
    func plan(running: Bool) throws -> String {
        guard let exporter else { return results.explain(running: running) }
        return try exporter.explain(results, running: running)
    }
}

extension String {
    /// Without white space around it.
    var trimmingWhitespace: String {
        var rest = self[...].drop(while: \.isWhitespace)
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}
