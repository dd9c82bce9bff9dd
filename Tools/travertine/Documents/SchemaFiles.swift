import Foundation
import TravertineDocuments

/// Data sources and schema files as the command is given them.
enum SchemaFiles {
    /// The data source in a directory.
    static func source(_ path: String) throws -> DataSource {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory),
            isDirectory.boolValue
        else {
            throw CommandError(
                ExitStatus.noInput,
                "\(path): there is no such directory. A data source is a directory of "
                    + "DATABASE/COLLECTION/schema.json.")
        }
        do throws(DataSourceError) {
            return try DataSource(directory: URL(fileURLWithPath: path, isDirectory: true))
        } catch {
            throw CommandError(ExitStatus.badData, "\(error).")
        }
    }

    /// The collections that paths lead to: data sources, or single files of schemas.
    ///
    /// Of a file DATABASE/COLLECTION/schema.json, the names are those of its directories; the
    /// relationships are in `relationships.json` beside a file called `schema.json`.
    static func collections(_ paths: [String]) throws -> [DataSource.Collection] {
        var collections: [DataSource.Collection] = []
        var places: [String: String] = [:]
        for path in paths {
            var isDirectory: ObjCBool = false
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
                throw CommandError(ExitStatus.noInput, "\(path): there is no such file.")
            }
            let found =
                isDirectory.boolValue ? try source(path).collections : [try collection(path)]
            if found.isEmpty {
                throw CommandError(
                    ExitStatus.noInput,
                    "\(path) holds no DATABASE/COLLECTION/schema.json.")
            }
            for collection in found {
                let title = collection.schema.title ?? ""
                let file =
                    isDirectory.boolValue
                    ? URL(fileURLWithPath: path, isDirectory: true).relativePath
                        + "/\(collection.database)/\(collection.name)/schema.json" : path
                if let other = places.updateValue(file, forKey: title) {
                    throw CommandError(
                        ExitStatus.badData,
                        "the title “\(title)” is in \(other) and in \(file); it has to be in one "
                            + "only.")
                }
                collections.append(collection)
            }
        }
        return collections
    }

    private static func collection(_ path: String) throws -> DataSource.Collection {
        let file = URL(fileURLWithPath: path).standardizedFileURL
        let folder = file.deletingLastPathComponent()
        do {
            let schema = try DocumentSchema(jsonSchema: try text(file))
            guard file.lastPathComponent == "schema.json" else {
                return DataSource.Collection(
                    database: "", name: schema.title ?? "", schema: schema)
            }
            var collection = DataSource.Collection(
                database: folder.deletingLastPathComponent().lastPathComponent,
                name: folder.lastPathComponent, schema: schema)
            let links = folder.appendingPathComponent("relationships.json")
            if FileManager.default.fileExists(atPath: links.path) {
                collection.relationships = try Relationships(json: try text(links))
            }
            return collection
        } catch let error as DocumentError {
            throw CommandError(ExitStatus.badData, "\(path): \(error).")
        }
    }

    /// Requires that relationships fit the schemas beside them.
    static func requireLinks(of collections: [DataSource.Collection]) throws {
        let problems = DataSource.linkProblems(of: collections)
        if problems.isEmpty { return }
        throw CommandError(
            ExitStatus.badData, "\(DataSourceError.badLinks(problems))\nNothing was imported.")
    }

    /// The text of a file, without a byte order mark.
    private static func text(_ file: URL) throws -> String {
        guard let data = FileManager.default.contents(atPath: file.path) else {
            throw CommandError(
                ExitStatus.noInput,
                "\(file.path) can't be read: it has to be a readable file.")
        }
        let content = data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data
        guard let text = String(validating: content, as: UTF8.self) else {
            throw CommandError(
                ExitStatus.badData, "\(file.path) is not UTF-8, as schema files have to be.")
        }
        return text
    }
}
