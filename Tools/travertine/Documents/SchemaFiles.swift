import Foundation
import TravertineDocuments

/// Data sources and schema files as the command is given them.
enum SchemaFiles {
    /// A collection, and the file that its schema is in.
    struct Found {
        fileprivate(set) var collection: DataSource.Collection
        let file: String
    }

    /// The data source in a directory.
    static func source(_ path: String) throws -> DataSource {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            throw CommandError(
                ExitStatus.noInput,
                "\(path): there is no such directory. A data source is a directory of "
                    + "DATABASE/COLLECTION/schema.json.")
        }
        guard isDirectory.boolValue else {
            throw CommandError(
                ExitStatus.noInput,
                "\(path) is a file: name the data source, which is the directory of "
                    + "DATABASE/COLLECTION/schema.json.")
        }
        do throws(DataSourceError) {
            return try DataSource(directory: URL(fileURLWithPath: path, isDirectory: true))
        } catch {
            throw commandError(error, in: path)
        }
    }

    /// The collections that paths lead to: data sources, or single files of schemas.
    ///
    /// - Parameter key: the field that is the key where a schema has no `_id`.
    static func collections(
        _ paths: [String], key: String? = nil
    ) throws -> [DataSource.Collection] {
        try find(paths, key: key).map(\.collection)
    }

    /// The collections that paths lead to, with their files.
    ///
    /// - Parameter key: the field that is the key where a schema has no `_id`.
    static func find(_ paths: [String], key: String? = nil) throws -> [Found] {
        var all = try findAll(paths)
        guard let key else { return all }
        let usual = DataSource.Collection.usualKeyName
        let keyless = all.indices.filter { all[$0].collection.schema[usual] == nil }
        if keyless.isEmpty, !all.isEmpty, key != usual {
            throw CommandError(
                ExitStatus.usage,
                "\(paths.joined(separator: ", ")): documents have the key “\(usual)”. Leave out "
                    + "--key \(key), or take “\(usual)” out of the schema.")
        }
        for place in keyless { all[place].collection.keyName = key }
        return all
    }

    private static func findAll(_ paths: [String]) throws -> [Found] {
        var all: [Found] = []
        var files: [String: String] = [:]
        for path in paths {
            let found = try find(path)
            if found.isEmpty {
                throw CommandError(
                    ExitStatus.noInput,
                    "\(path) holds no DATABASE/COLLECTION/schema.json.")
            }
            for found in found {
                let title = found.collection.schema.title ?? ""
                if let other = files.updateValue(found.file, forKey: title) {
                    throw CommandError(
                        ExitStatus.badData,
                        "the title “\(title)” is in \(other) and in \(found.file); it must be in "
                            + "one only.")
                }
                all.append(found)
            }
        }
        return all
    }

    private static func find(_ path: String) throws -> [Found] {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            throw CommandError(ExitStatus.noInput, "\(path): there is no such file.")
        }
        let url = URL(fileURLWithPath: path, isDirectory: isDirectory.boolValue)
        if isDirectory.boolValue {
            return try source(path).collections.map {
                Found(
                    collection: $0,
                    file: url.relativePath + "/\($0.database)/\($0.name)/schema.json")
            }
        }
        do throws(DataSourceError) {
            return [Found(collection: try DataSource.Collection(schemaFile: url), file: path)]
        } catch {
            throw commandError(error)
        }
    }

    // MARK: Errors

    /// Requires that relationships fit the schemas beside them.
    ///
    /// - Parameters:
    ///   - areAll: whether these are all collections that links may lead to.
    ///   - outcome: what the command says became of it.
    static func requireLinks(
        of collections: [DataSource.Collection], areAll: Bool = true,
        outcome: String = "Nothing was imported."
    ) throws {
        let problems = DataSource.linkProblems(of: collections, areAll: areAll)
        if problems.isEmpty { return }
        throw CommandError(
            ExitStatus.badData, "\(DataSourceError.badLinks(problems))\n\(outcome)")
    }

    /// What the command ends with where a data source can't be used.
    ///
    /// - Parameter directory: the data source, where the error names files in it.
    static func commandError(
        _ error: DataSourceError, in directory: String? = nil
    ) -> CommandError {
        switch error {
        case .unreadable(_, let reason), .unwritable(_, let reason):
            CommandError(
                reason == "permission is denied"
                    ? ExitStatus.noPermission : ExitStatus.inputOutput, "\(error)".asSentence)
        case .invalid(let path, let reason):
            CommandError(
                ExitStatus.badData,
                (directory.map { URL(fileURLWithPath: $0, isDirectory: true).relativePath + "/" }
                    ?? "") + "\(path): \(reason)".asSentence)
        case .duplicateTitle:
            CommandError(
                ExitStatus.badData, ((directory.map { "in \($0), " } ?? "") + "\(error)").asSentence
            )
        default: CommandError(ExitStatus.badData, "\(error)".asSentence)
        }
    }

    /// What no class can have, each with its file.
    static func commandError(_ error: ModelError, _ found: [Found]) -> CommandError {
        let files = Dictionary(
            found.map { ($0.collection.schema.title ?? "", $0.file) },
            uniquingKeysWith: { first, _ in first })
        let lines = error.problems.map { problem in
            (files[problem.title].map { $0 + ": " } ?? "") + problem.description
        }
        return CommandError(ExitStatus.badData, lines.joined(separator: "\n").asSentence)
    }
}
