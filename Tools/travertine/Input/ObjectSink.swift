import Foundation
import Travertine
import TravertineDocuments
import TravertineStore

/// Makes an object of a stored type of each record; fields are properties by their stored names.
///
/// A record is MongoDB Extended JSON, so that `{"$date": …}` and the like are values; a nested
/// object is an embedded or linked object or a dictionary, an array a collection. Where a property
/// is a date, a text in ISO 8601 stands for it; where it is data, one in Base64. All fields of a
/// CSV file are texts: they are read as the property's type; one in which nothing is written is
/// null where it may be.
final class ObjectSink: RecordSink {
    private let realm: Realm
    private let type: ObjectSchema
    private let converter: ObjectValues
    /// The stored names of properties that are never nil.
    private let valueNames: [String]
    private(set) var waitingCount = 0
    private(set) var defaultedFields: [String: Int] = [:]
    private var byteCount = 0

    /// - Parameter isQuery: whether records are rows of a server.
    init(directory: String, typeName: String, hasTextsOnly: Bool, isQuery: Bool) throws {
        let url = URL(fileURLWithPath: directory, isDirectory: true)
        let advice = Self.advice(typeName, directory, isQuery: isQuery)
        guard FileManager.default.fileExists(atPath: url.appendingPathComponent("manifest").path)
        else {
            throw CommandError(
                ExitStatus.noInput,
                "\(directory): no such store, and --type makes objects of a type that a store has."
                    + advice)
        }
        realm = try Realm(
            configuration: Realm.Configuration(
                fileURL: url, encryptionKey: StoreKey.data(for: directory), objectTypes: [],
                durability: .commit))
        let schema = realm.schema
        guard let type = schema.objectSchema.first(where: { $0.className == typeName }) else {
            let names = schema.objectSchema.map(\.className).joined(separator: ", ")
            throw CommandError(
                ExitStatus.noInput,
                "the store has no object type “\(typeName)”. It has: "
                    + "\(names.isEmpty ? "none" : names).\(advice)")
        }
        if type.isAsymmetric || type.isEmbedded {
            throw CommandError(
                ExitStatus.usage,
                type.isAsymmetric
                    ? "objects of the asymmetric type “\(typeName)” are made by programs, for a "
                        + "consumer that takes them out again. They can't be imported."
                    : "objects of the embedded type “\(typeName)” are values of their owners. Name "
                        + "the type of these.")
        }
        self.type = type
        converter = ObjectValues(type: type, schema: schema, hasTextsOnly: hasTextsOnly)
        valueNames = type.properties.filter {
            !$0.isOptional && !$0.isArray && !$0.isSet && !$0.isMap
                && ![.object, .any, .linkingObjects].contains($0.type)
        }.map(\.columnName)
    }

    func take(_ record: InputRecord) throws -> InvalidRecord? {
        let values: [String: Any]
        do {
            values = try converter.values(
                of: Document(extendedJSON: String(decoding: record.json, as: UTF8.self)))
        } catch {
            return InvalidRecord(line: record.line, reason: "\(error)")
        }
        if let reason = nullElement(in: values) {
            return InvalidRecord(line: record.line, reason: reason)
        }
        if !realm.isInWriteTransaction { realm.beginWrite() }
        let missing = valueNames.filter { values[$0] == nil }
        let count = missing.isEmpty ? 0 : objectCount
        do {
            try realm.savepoint {
                _ = try realm.dynamicInsert(type.className, value: values, update: .modified)
            }
        } catch let error as Realm.Error where error.code == .invalidInput {
            return InvalidRecord(line: record.line, reason: error.message.asClause)
        }
        if !missing.isEmpty, objectCount > count {
            for name in missing { defaultedFields[name, default: 0] += 1 }
        }
        waitingCount += 1
        byteCount += record.json.count
        return nil
    }

    /// What makes a type that is not there.
    private static func advice(_ type: String, _ directory: String, isQuery: Bool) -> String {
        if isQuery {
            return " Types are made by the program that has their classes, or, with --key COLUMN, "
                + "of the columns of the query."
        }
        return """
             Types are made by the program that has their classes, or of a schema, which follows from \
            some records:
              travertine schema --sample FILE --title \(type) --key FIELD > \(type).json
              travertine import \(directory) - --format jsonl --documents --source \(type).json \
            --key FIELD < /dev/null
            Run this command again after that.
            """
    }

    /// Names the first null in a collection whose elements can't be nil.
    private func nullElement(in values: [String: Any]) -> String? {
        for property in type.properties where property.isArray || property.isSet {
            guard !property.isOptional, property.type != .any,
                let elements = values[property.columnName] as? [Any],
                let place = elements.firstIndex(where: { ObjectValues.isNone($0) })
            else { continue }
            let key = type.primaryKeyProperty.flatMap { values[$0.columnName] }
            return "element \(place + 1) of “\(type.className).\(property.columnName)”"
                + (key.map { " of the object \($0)" } ?? "")
                + " is null, and elements of this collection can't be nil"
        }
        return nil
    }

    private var objectCount: Int { realm.dynamicObjects(type.className).count }

    func commit() throws -> Int {
        defer {
            waitingCount = 0
            byteCount = 0
        }
        if realm.isInWriteTransaction { try realm.commitWrite() }
        return byteCount
    }
}
