import Foundation
import Travertine
import TravertineDocuments
import TravertineStore

/// Makes an object of a stored type of each record; fields are properties by their stored names.
///
/// A record is MongoDB Extended JSON, so that `{"$date": …}` and the like are values; a nested
/// object is an embedded or linked object or a dictionary, an array a collection. Where a property
/// is a date, a text in ISO 8601 stands for it; where it is data, one in Base64. All fields of a
/// CSV file are texts: they are read as the property's type, an empty one being null where it may
/// be.
final class ObjectSink: RecordSink {
    private let realm: Realm
    private let type: ObjectSchema
    private let hasTextsOnly: Bool
    private(set) var waitingCount = 0
    private var byteCount = 0

    init(directory: String, typeName: String, hasTextsOnly: Bool) throws {
        let url = URL(fileURLWithPath: directory, isDirectory: true)
        guard FileManager.default.fileExists(atPath: url.appendingPathComponent("manifest").path)
        else {
            throw CommandError(
                ExitStatus.noInput,
                "\(directory): no such store. Object types are made by the program that has their "
                    + "classes.")
        }
        realm = try Realm(
            configuration: Realm.Configuration(fileURL: url, objectTypes: [], durability: .commit))
        let schema = realm.schema
        guard let type = schema.objectSchema.first(where: { $0.className == typeName }) else {
            let names = schema.objectSchema.map(\.className).joined(separator: ", ")
            throw CommandError(
                ExitStatus.noInput,
                "the store has no object type “\(typeName)”. It has: "
                    + "\(names.isEmpty ? "none" : names).")
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
        self.hasTextsOnly = hasTextsOnly
    }

    func take(_ record: InputRecord) throws -> InvalidRecord? {
        let values: [String: Any]
        do {
            values = try self.values(of: record)
        } catch {
            return InvalidRecord(line: record.line, reason: "\(error)")
        }
        if !realm.isInWriteTransaction { realm.beginWrite() }
        do {
            try realm.savepoint {
                _ = try realm.dynamicInsert(type.className, value: values, update: .modified)
            }
        } catch let error as Realm.Error where error.code == .invalidInput {
            return InvalidRecord(line: record.line, reason: error.message.asClause)
        }
        waitingCount += 1
        byteCount += record.json.count
        return nil
    }

    func commit() throws -> Int {
        defer {
            waitingCount = 0
            byteCount = 0
        }
        if realm.isInWriteTransaction { try realm.commitWrite() }
        return byteCount
    }

    // MARK: Values

    private func values(of record: InputRecord) throws -> [String: Any] {
        let document = try Document(
            extendedJSON: String(decoding: record.json, as: UTF8.self))
        var values: [String: Any] = [:]
        for element in document {
            let value = Self.plain(element.value)
            values[element.key] = type[element.key].map { converted(value, $0) } ?? value
        }
        return values
    }

    private func converted(_ value: Any, _ property: Property) -> Any {
        guard let text = value as? String, !property.isArray, !property.isSet, !property.isMap
        else {
            return value
        }
        switch property.type {
        case .date: return Self.date(text) ?? emptyAsNull(text, property)
        case .data where !hasTextsOnly || !text.isEmpty:
            return Data(base64Encoded: text) ?? value
        default: break
        }
        if !hasTextsOnly { return value }
        return switch property.type {
        case .int: Int64(text) ?? emptyAsNull(text, property)
        case .double: Double(text) ?? emptyAsNull(text, property)
        case .float: Float(text) ?? emptyAsNull(text, property)
        case .bool: Bool(text) ?? emptyAsNull(text, property)
        case .string: property.isOptional && text.isEmpty ? Any?.none as Any : value
        default: emptyAsNull(text, property)
        }
    }

    private func emptyAsNull(_ text: String, _ property: Property) -> Any {
        text.isEmpty && property.isOptional ? Any?.none as Any : text
    }

    private static func date(_ text: String) -> Date? {
        let plain = ISO8601DateFormatter()
        let fractional = ISO8601DateFormatter()
        fractional.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        return plain.date(from: text) ?? fractional.date(from: text)
    }

    /// A value of a document as a plain Swift value.
    private static func plain(_ value: AnyBSON) -> Any {
        switch value {
        case .null, .undefined: Any?.none as Any
        case .int32(let number): Int(number)
        case .int64(let number): Int(number)
        case .double(let number): number
        case .decimal128(let number): number
        case .bool(let value): value
        case .string(let text), .symbol(let text): text
        case .binary(let binary): binary.data
        case .uuid(let uuid): uuid
        case .objectId(let id): id
        case .datetime(let time): time.date
        case .array(let values): values.map { plain($0) }
        case .document(let document):
            Dictionary(
                document.map { ($0.key, plain($0.value)) }, uniquingKeysWith: { $1 })
        case .timestamp, .regex, .javascript, .javascriptWithScope, .pointer, .minKey, .maxKey:
            value
        }
    }
}
