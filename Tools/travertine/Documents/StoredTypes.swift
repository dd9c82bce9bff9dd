import Foundation
import Travertine
import TravertineDocuments
import TravertineStore

/// The object types of a database, read without their classes.
enum StoredTypes {
    /// The realm in a directory. For reading, nothing in the directory is changed, and it may be on
    /// a read-only file system or open in a program.
    ///
    /// - Parameter asOf: the commit that is read; nil for the newest.
    static func realm(
        _ directory: String, forReading isRead: Bool = false, asOf: UInt64? = nil, hint: String = ""
    ) throws -> Realm {
        let url = URL(fileURLWithPath: directory, isDirectory: true)
        guard FileManager.default.fileExists(atPath: url.appendingPathComponent("manifest").path)
        else {
            // What else is there, such as a backup, is named.
            if FileManager.default.fileExists(atPath: directory) {
                try StoreReader.open(at: directory, options: StoreKey.options(for: directory))
                    .close()
            }
            throw CommandError(ExitStatus.noInput, "\(directory): no such store.\(hint)")
        }
        var configuration = Realm.Configuration(fileURL: url, readOnly: isRead, objectTypes: [])
        configuration.asOf = asOf
        configuration.encryptionKey = try StoreKey.data(for: directory)
        do {
            return try Realm(configuration: configuration)
        } catch let error as Realm.Error where isRead && error.code == .invalidDatabase {
            // A store of keys and values, which nobody opened for objects, has no types.
            let reader = try StoreReader.open(
                at: directory, options: StoreKey.options(for: directory), asOf: asOf)
            defer { reader.close() }
            if areThere(in: reader) { throw error }
            if let asOf {
                throw CommandError(
                    ExitStatus.noInput, "\(directory): commit \(asOf) has no object types yet.")
            }
            throw CommandError(
                ExitStatus.noInput,
                "\(directory): the store holds no object types. `travertine import --documents` makes "
                    + "them.")
        }
    }

    /// Whether a store holds objects, or was opened for some.
    static func areThere(in reader: StoreReader) -> Bool {
        reader.keyspaces.contains { $0.name == "travertine.schema" }
    }

    /// The names of types whose documents are on their own.
    static func titles(_ realm: Realm) -> [String] {
        realm.schema.objectSchema.filter { !$0.isEmbedded }.map(\.objectTypeName)
    }

    /// The type that documents are of: the named one, or the only one there is.
    static func title(
        _ type: String?, _ realm: Realm, _ collections: [DataSource.Collection]
    ) throws -> String {
        if let type { return type }
        let all = collections.isEmpty ? titles(realm) : collections.compactMap(\.schema.title)
        if all.count == 1, let only = all.first { return only }
        throw CommandError(
            ExitStatus.usage,
            "say which object type the documents are of: --type NAME. There are: "
                + "\(all.isEmpty ? "none" : all.joined(separator: ", ")).")
    }

    /// Refuses a --key that is not the primary key of the objects.
    static func requireKey(_ key: String?, of title: String, _ realm: Realm) throws {
        guard let key,
            let type = realm.schema.objectSchema.first(where: { $0.objectTypeName == title })
        else { return }
        let own = type.primaryKeyProperty?.columnName
        if own == key { return }
        throw CommandError(
            ExitStatus.usage,
            "objects of type \(title) have "
                + (own.map { "the key “\($0)”" } ?? "no key") + ". Leave out --key \(key).")
    }

    /// The schema that documents of a type are checked against; nil without a data source.
    static func schema(
        of title: String, in collections: [DataSource.Collection], _ source: String?
    ) throws -> DocumentSchema? {
        guard let source else { return nil }
        guard let found = collections.first(where: { $0.schema.title == title }) else {
            throw CommandError(
                ExitStatus.noInput, "\(source) has no schema with the title “\(title)”.")
        }
        return found.schema
    }

    /// Turns what is wrong with types or files into errors of the command.
    ///
    /// - Parameter realm: the realm whose types are listed, where one was named that it lacks.
    static func explained<Result>(
        of realm: Realm? = nil, _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch let error as MappingError {
            throw CommandError(ExitStatus.badData, "\(error)".asSentence)
        } catch let error as ImportError {
            var text = "\(error)".asSentence
            if case .missingProperties = error {
                throw CommandError(ExitStatus.badData, "\(text) Nothing was imported.")
            }
            if case .unknownType = error, let names = realm.map({ titles($0) }), !names.isEmpty {
                text += " There are: " + names.joined(separator: ", ") + "."
            }
            throw CommandError(ExitStatus.noInput, text)
        } catch let error as ModelError {
            throw CommandError(ExitStatus.badData, "\(error)".asSentence)
        } catch let error as DataSourceError {
            if case .breakingChanges = error {
                throw CommandError(
                    ExitStatus.badData,
                    "\(error)\nNothing was written. --allow-breaking writes them all the same.")
            }
            throw SchemaFiles.commandError(error)
        }
    }
}
