import Foundation
import Travertine
import TravertineDocuments

/// An object type whose properties are the columns of a query.
struct QueryType {
    let query: ServerQuery
    let name: String
    /// The column that is the primary key.
    let key: String

    /// Makes the type, and the store, where they are not there.
    ///
    /// - Returns: whether it made the store.
    /// - Throws: what the server or its program says, and `CommandError` for a type that is there
    ///   with another key; then nothing is made.
    func make(in directory: String, until interruption: Interruption) throws -> Bool {
        let configuration = Realm.Configuration(
            fileURL: URL(fileURLWithPath: directory, isDirectory: true),
            encryptionKey: try StoreKey.data(for: directory), objectTypes: [])
        let wasThere = Realm.fileExists(for: configuration)
        if wasThere {
            let realm = try StoredTypes.realm(directory)
            if realm.schema.objectSchema.contains(where: { $0.objectTypeName == name }) {
                try StoredTypes.requireKey(key, of: name, realm)
                return false
            }
        }
        let collection = try collection(until: interruption)
        do {
            try Self.add(collection, configuration)
        } catch {
            if !wasThere { try? StoreArguments.removeIfEmpty(directory) }
            throw error
        }
        return !wasThere
    }

    private static func add(
        _ collection: DataSource.Collection, _ configuration: Realm.Configuration
    ) throws {
        let realm = try Realm(configuration: configuration)
        try StoredTypes.explained(of: realm) { try realm.addTypes(of: [collection]) }
    }

    private func collection(until interruption: Interruption) throws -> DataSource.Collection {
        let source = InputSource(
            try InputProgram.schema(of: query, title: name, key: key), name: "the query",
            unit: InputOrigin.rowUnit, until: interruption)
        var bytes: [UInt8] = []
        while true {
            let piece = try source.read(upTo: 1 << 16)
            if piece.isEmpty { break }
            bytes += piece
        }
        do throws(DocumentError) {
            return DataSource.Collection(
                database: "PostgreSQL", name: name,
                schema: try DocumentSchema(jsonSchema: String(decoding: bytes, as: UTF8.self)),
                keyName: key)
        } catch {
            throw CommandError(ExitStatus.badData, "the columns: \(error)".asSentence)
        }
    }
}
