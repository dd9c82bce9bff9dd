import Foundation
import Travertine
import TravertineDocuments

/// The objects of a stored type, by the keys that people type.
struct ObjectsOfType {
    let realm: Realm
    let schema: ObjectSchema
    /// Reads whole objects.
    let exporter: DocumentExporter

    /// - Parameters:
    ///   - name: the stored name of the type, or the name of its class.
    ///   - realm: the database.
    /// - Throws: `CommandError` for a type that is not there, with the nearest names.
    init(_ name: String, in realm: Realm) throws {
        self.realm = realm
        do {
            exporter = try DocumentExporter(realm, resultsOf: name)
        } catch let error as Realm.Error where error.code == .invalidInput {
            throw CommandError(
                realm.hasType(name) ? ExitStatus.usage : ExitStatus.noInput, error.message)
        } catch let error as MappingError {
            throw CommandError(ExitStatus.badData, "\(error)".asSentence)
        }
        let types = realm.schema.objectSchema
        guard
            let schema = types.first(where: { $0.objectTypeName == name })
                ?? types.first(where: { $0.className == name })
        else { throw CommandError(ExitStatus.noInput, "Type '\(name)' not found.") }
        self.schema = schema
    }

    /// The stored name of the type.
    var name: String { schema.objectTypeName }

    /// The object key that a text stands for; nil if there is no such object.
    ///
    /// - Throws: `CommandError` for a text that is no key of the type.
    func objectKey(of text: String) throws -> UInt64? {
        guard let property = schema.primaryKeyProperty else {
            guard let number = Int64(text), number >= 0 else {
                throw CommandError(
                    ExitStatus.usage,
                    "objects of type \(name) have no primary key: name one by its number, as "
                        + "`travertine show STORE \(name)` lists them. “\(text)” is none.")
            }
            return UInt64(number)
        }
        guard let key = Self.key(text, of: property.type) else {
            throw CommandError(
                ExitStatus.usage,
                "the key “\(property.columnName)” of \(name) is \(Self.kind(property.type)), and "
                    + "“\(text)” is none.")
        }
        return try exporter.objectKey(forPrimaryKey: key)
    }

    /// The object that a text stands for.
    ///
    /// - Throws: `CommandError` with status 1 if there is none.
    func found(_ text: String) throws -> (objectKey: UInt64, document: Document) {
        if let key = try objectKey(of: text),
            let document = try exporter.document(forObjectKey: key)
        {
            return (key, document)
        }
        throw CommandError(ExitStatus.keyNotFound, "no such object: \(name) \(text)")
    }

    /// A primary key that is typed; nil for a text that is none.
    static func key(_ text: String, of type: PropertyType) -> AnyBSON? {
        switch type {
        case .int: Int64(text).map { .int64($0) }
        case .string: .string(text)
        case .objectId: (try? ObjectId(string: text)).map { .objectId($0) }
        case .UUID: UUID(uuidString: text).map { .uuid($0) }
        case .data: Data(base64Encoded: text).map { .binary($0) }
        default: nil
        }
    }

    private static func kind(_ type: PropertyType) -> String {
        switch type {
        case .int: "an integer"
        case .objectId: "an identifier of 24 hexadecimal digits"
        case .UUID: "a UUID"
        case .data: "data, written in Base64"
        default: "a \(type)"
        }
    }
}
