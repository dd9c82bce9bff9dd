#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A directory of schemas: `DATABASE/COLLECTION/schema.json`, with `relationships.json` beside it.
///
/// Object types are found by the titles of schemas, in any database; the names of collections do
/// not matter.
public struct DataSource: Sendable {
    /// A collection and what its documents look like.
    public struct Collection: Sendable, Hashable {
        /// The database.
        public var database: String
        /// The collection.
        public var name: String
        /// What the documents look like.
        public var schema: DocumentSchema
        /// The links of the documents; empty if there is no such file.
        public var relationships: Relationships
        /// The field that identifies a document, which becomes the primary key. No file says it:
        /// for documents that have no `_id`, set it before types or classes are made.
        public var keyName: String

        /// A collection.
        public init(
            database: String, name: String, schema: DocumentSchema,
            relationships: Relationships = Relationships(), keyName: String = Self.usualKeyName
        ) {
            self.database = database
            self.name = name
            self.schema = schema
            self.relationships = relationships
            self.keyName = keyName
        }

        /// The key of documents of MongoDB.
        public static let usualKeyName = "_id"
    }

    /// The directory.
    public let directory: URL
    /// The collections by database and name.
    public private(set) var collections: [Collection]

    /// The schemas in a directory.
    ///
    /// Directories without `schema.json`, and files beside databases and collections, are passed
    /// over.
    ///
    /// - Throws: `DataSourceError` for what cannot be read, is no schema, or has a title that
    ///   another schema has.
    public init(directory: URL) throws(DataSourceError) {
        self.directory = directory
        collections = []
        var paths: [String: String] = [:]
        for database in try Self.directories(in: directory) {
            let databaseDirectory = directory.appending(path: database)
            for name in try Self.directories(in: databaseDirectory) {
                guard let collection = try Self.collection(database, name, directory) else {
                    continue
                }
                let title = collection.schema.title ?? ""
                let path = "\(database)/\(name)/schema.json"
                if let other = paths.updateValue(path, forKey: title) {
                    throw .duplicateTitle(title, other, path)
                }
                collections.append(collection)
            }
        }
    }

    /// A data source without schemas, in a directory that the first change makes.
    public init(emptyAt directory: URL) {
        self.directory = directory
        collections = []
    }

    /// The collection of an object type; nil if there is none.
    public func collection(titled title: String) -> Collection? {
        collections.first { $0.schema.title == title }
    }

    private static func directories(in directory: URL) throws(DataSourceError) -> [String] {
        do {
            let files = FileManager.default
            return try files.contentsOfDirectory(atPath: directory.path).filter { name in
                let path = directory.appending(path: name).resolvingSymlinksInPath().path
                // A link that leads nowhere, such as the locks of some editors, is no directory.
                guard files.fileExists(atPath: path) else { return false }
                let type = try files.attributesOfItem(atPath: path)[.type] as? FileAttributeType
                return type == .typeDirectory
            }
            .sorted()
        } catch {
            throw .unreadable(directory.path, FileReason.text(error))
        }
    }

    private static func collection(
        _ database: String, _ name: String, _ directory: URL
    ) throws(DataSourceError) -> Collection? {
        let folder = directory.appending(path: database).appending(path: name)
        let path = "\(database)/\(name)/"
        let schema = SchemaFile(folder.appending(path: "schema.json"), path + "schema.json")
        guard try schema.isThere() else { return nil }
        let links = SchemaFile(
            folder.appending(path: "relationships.json"), path + "relationships.json")
        return Collection(
            database: database, name: name, schema: try schema.schema(),
            relationships: try links.relationships())
    }
}

extension DataSource.Collection {
    /// The collection that a schema file says alone.
    ///
    /// Of a file `DATABASE/COLLECTION/schema.json`, the names are those of its directories, and its
    /// links are in `relationships.json` beside it. A file of another name is a collection
    /// that is named after its title, without links.
    ///
    /// - Throws: `DataSourceError` for what cannot be read or is no schema.
    public init(schemaFile file: URL) throws(DataSourceError) {
        let schema = try SchemaFile(file, file.relativePath).schema()
        guard file.lastPathComponent == "schema.json" else {
            self.init(database: "", name: schema.title ?? "", schema: schema)
            return
        }
        let folder = file.absoluteURL.standardizedFileURL.deletingLastPathComponent()
        let links = SchemaFile(
            folder.appending(path: "relationships.json"),
            file.deletingLastPathComponent().appending(path: "relationships.json").relativePath)
        self.init(
            database: folder.deletingLastPathComponent().lastPathComponent,
            name: folder.lastPathComponent, schema: schema,
            relationships: try links.relationships())
    }
}

extension DataSource {
    /// Writes a collection's files, and takes it in the place of the one with its title.
    ///
    /// The files are replaced one after the other, each as a whole; keywords stay in the order of
    /// the file that is there. A file of relationships that is there is rewritten without links
    /// too.
    mutating func write(_ collection: Collection) throws(DataSourceError) {
        let folder = directory.appending(path: collection.database)
            .appending(path: collection.name)
        let schema = folder.appending(path: "schema.json")
        let links = folder.appending(path: "relationships.json")
        let schemaText = try SchemaFile(schema, schema.path).text(
            ofNewer: collection.schema.json)
        let linkText = try SchemaFile(links, links.path).text(
            ofNewer: collection.relationships.constant)
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true)
            if !collection.relationships.all.isEmpty
                || FileManager.default.fileExists(atPath: links.path)
            {
                try Data(linkText.utf8).write(to: links, options: .atomic)
            }
            try Data(schemaText.utf8).write(to: schema, options: .atomic)
        } catch {
            throw .unwritable(folder.path, FileReason.text(error))
        }
        if let index = collections.firstIndex(where: { $0.schema.title == collection.schema.title })
        {
            collections[index] = collection
        } else {
            collections.append(collection)
        }
    }
}
