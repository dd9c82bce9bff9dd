/// Changing the files of a data source so that object types have their collections (C-D4).
extension DataSource {
    /// An object type as an application has it.
    public struct ObjectType: Sendable, Hashable {
        /// What its documents look like; the title is its name.
        public var schema: DocumentSchema
        /// Its links.
        public var relationships: Relationships
        /// The stored name of its key; nil if it has none.
        public var keyName: String?

        /// An object type.
        ///
        /// - Parameters:
        ///   - schema: what its documents look like.
        ///   - relationships: its links.
        ///   - keyName: the stored name of its key, which must be `_id` for documents.
        public init(
            _ schema: DocumentSchema, relationships: Relationships = Relationships(),
            keyName: String? = "_id"
        ) {
            self.schema = schema
            self.relationships = relationships
            self.keyName = keyName
        }

        /// Whether documents have the key as `_id`.
        var hasDocumentKey: Bool { keyName == "_id" && schema["_id"] != nil }
    }

    /// What must change for an object type.
    public enum Change: Sendable, Hashable {
        /// A collection is missing: it will be named after the type.
        case create(Collection)
        /// The schema or the links of a collection differ.
        case update(Collection, [SchemaDifference], linksDiffer: Bool)

        /// The collection as it will be.
        public var collection: Collection {
            switch self {
            case .create(let collection), .update(let collection, _, _): collection
            }
        }

        /// The differences that documents which exist would not survive.
        public var breaking: [SchemaDifference] {
            guard case .update(_, let differences, _) = self else { return [] }
            return differences.filter { !$0.isAdditive }
        }
    }

    /// What must change so that object types have their collections.
    ///
    /// A type is looked for by its title in all databases. What a file says beyond classes stays,
    /// and so does its order; a type without differences is not listed.
    ///
    /// - Parameters:
    ///   - types: the object types.
    ///   - database: where missing collections will be.
    /// - Throws: `DataSourceError.missingKeys` with all types whose key is not stored as `_id`.
    public func changes(
        for types: [ObjectType], creatingIn database: String
    ) throws(DataSourceError) -> [Change] {
        let keyless = types.filter { !$0.hasDocumentKey }.map { $0.schema.title ?? "" }
        if !keyless.isEmpty { throw .missingKeys(keyless) }
        return types.compactMap { change(for: $0, creatingIn: database) }
    }

    private func change(for type: ObjectType, creatingIn database: String) -> Change? {
        guard let existing = collection(titled: type.schema.title ?? "") else {
            return .create(
                Collection(
                    database: database, name: type.schema.title ?? "", schema: type.schema,
                    relationships: type.relationships))
        }
        var updated = existing
        updated.schema = type.schema.updating(
            existing.schema, links: type.relationships)
        updated.relationships = type.relationships.updating(existing.relationships)
        let links = updated.relationships.differences(from: existing.relationships)
        let linksDiffer = !links.isEmpty
        let differences = updated.schema.differences(from: existing.schema) + links
        if differences.isEmpty && !linksDiffer { return nil }
        return .update(updated, differences, linksDiffer: linksDiffer)
    }

    /// Writes changes, all of which are additive unless breaking ones are allowed.
    ///
    /// - Throws: `DataSourceError.breakingChanges`, `.otherTitle` and `.unusableName` before
    ///   anything is written; `.unwritable`.
    public mutating func apply(
        _ changes: [Change], allowsBreaking: Bool = false
    ) throws(DataSourceError) {
        let breaking = changes.flatMap { change in
            change.breaking.map { "\(change.collection.schema.title ?? "").\($0)" }
        }
        if !breaking.isEmpty && !allowsBreaking { throw .breakingChanges(breaking) }
        for change in changes {
            let (own, title) = (change.collection, change.collection.schema.title ?? "")
            for name in [own.database, own.name] where !Self.isDirectoryName(name) {
                throw .unusableName(name, title)
            }
            let other = collections.first { $0.database == own.database && $0.name == own.name }
            if let other, (other.schema.title ?? "") != title {
                throw .otherTitle(
                    title, other.schema.title ?? "", "\(own.database)/\(own.name)/schema.json")
            }
        }
        for change in changes { try write(change.collection) }
    }

    /// Whether a database or a collection can have the name: each is one directory.
    public static func isDirectoryName(_ name: String) -> Bool {
        !name.isEmpty && name != "." && name != ".." && name.utf8.count <= 255
            && !name.utf8.contains(UInt8(ascii: "/")) && !name.utf8.contains(0)
    }
}

extension Relationships {
    /// These links in the words and the order of older ones; new ones follow.
    ///
    /// A link that says the same keeps its reference, whose data source may have another name.
    fileprivate func updating(_ older: Relationships) -> Relationships {
        var kept = older.all.compactMap { link in
            self[link.field].map { $0.isSame(as: link) ? link : $0 }
        }
        kept += all.filter { older[$0.field] == nil }
        return Relationships(kept)
    }
}
