import Travertine

/// Comparing object types with the files of a data source (C-D5).
extension DataSource {
    /// The name that references to collections of this data source begin with: the directory's.
    public var name: String { directory.standardizedFileURL.lastPathComponent }

    /// Where the documents of a type are: in the collection with its title, or in one that is still
    /// to be made, named after it.
    public func place(of title: String, creatingIn database: String) -> CollectionPlace {
        let found = collection(titled: title)
        return CollectionPlace(
            source: name, database: found?.database ?? database, collection: found?.name ?? title)
    }

    /// The object types of a realm, or of classes, with links to the collections of this source.
    ///
    /// - Parameters:
    ///   - schema: the schema of the realm or of the classes.
    ///   - database: where collections will be that are missing.
    /// - Throws: `MappingError`.
    public func objectTypes(
        of schema: Schema, creatingIn database: String
    ) throws(MappingError) -> [ObjectType] {
        try ObjectMapping(schema).objectTypes { place(of: $0, creatingIn: database) }
    }

    /// Everything in which object types differ from the schemas here.
    ///
    /// Constraints, which classes cannot express, do not count, nor does it that a link is
    /// required. Relationships that do not fit the schemas beside them come first.
    public func findings(for types: [ObjectType]) -> [Finding] {
        var findings = Self.linkProblems(of: collections).map {
            Finding(title: $0.title, kind: .badLink(field: $0.field, reason: $0.reason))
        }
        for type in types {
            let title = type.schema.title ?? ""
            guard let existing = collection(titled: title) else {
                findings.append(Finding(title: title, kind: .missingSchema))
                continue
            }
            findings += Self.schemaFindings(type, existing)
            findings += Self.linkFindings(title, type.relationships, existing.relationships) {
                $0.isSame(as: $1)
            }
        }
        for collection in collections {
            let title = collection.schema.title ?? ""
            if !types.contains(where: { $0.schema.title == title }) {
                findings.append(Finding(title: title, kind: .missingType))
            }
        }
        return findings
    }

    fileprivate static func schemaFindings(
        _ type: ObjectType, _ existing: Collection
    ) -> [Finding] {
        type.schema.differences(from: existing.schema).compactMap { difference in
            if case .constraint = difference.change { return nil }
            if difference.change == .becameOptional, type.relationships[difference.field] != nil {
                return nil
            }
            return Finding(title: type.schema.title ?? "", kind: .differs(difference))
        }
    }

    fileprivate static func linkFindings(
        _ title: String, _ links: Relationships, _ existing: Relationships,
        areSame: (Relationships.Relationship, Relationships.Relationship) -> Bool
    ) -> [Finding] {
        let fields = links.all.map(\.field) + existing.all.map(\.field)
        var seen: Set<String> = []
        return fields.filter { seen.insert($0).inserted }.compactMap { field in
            let (link, other) = (links[field], existing[field])
            if let link, let other, areSame(link, other) { return nil }
            return Finding(
                title: title,
                kind: .link(field: field, schema: other?.reference, type: link?.reference))
        }
    }

    /// One thing in which object types, or relationships, differ from the schemas of a data source.
    public struct Finding: Sendable, Hashable {
        /// What differs.
        public enum Kind: Sendable, Hashable {
            /// No schema has the type's title.
            case missingSchema
            /// No type has the schema's title.
            case missingType
            /// The type's documents differ from the schema.
            case differs(SchemaDifference)
            /// A field links to other documents, or to none; the references are of the files and of
            /// the type.
            case link(field: String, schema: String?, type: String?)
            /// The relationships say of a field what its schema does not have.
            case badLink(field: String, reason: String)
        }

        /// The name of the object type.
        public let title: String
        /// What differs.
        public let kind: Kind

        /// Whether objects of the type can hold the documents of the schema all the same.
        public var isCompatible: Bool {
            switch kind {
            case .missingSchema, .missingType: true
            case .differs(let difference): difference.isReadable
            case .link(_, let schema, let type): schema == nil || type == nil
            case .badLink: false
            }
        }
    }
}

extension DataSource.Finding: CustomStringConvertible {
    /// What differs, in words: "Dog.age: int has become string".
    public var description: String {
        switch kind {
        case .missingSchema: "\(title): no schema has this title"
        case .missingType: "\(title): no object type has this name"
        case .differs(let difference):
            title + (difference.path.isEmpty ? ": " : ".") + "\(difference)"
        case .link(let field, let schema, let type):
            "\(title).\(field): " + Self.words(schema, type)
        case .badLink(let field, let reason): "\(title).\(field): \(reason)"
        }
    }

    private static func words(_ schema: String?, _ type: String?) -> String {
        switch (schema, type) {
        case (nil, let type?): "links to \(type), which the relationships do not say"
        case (let schema?, nil): "is no link, and by the relationships one to \(schema)"
        case (let schema?, let type?): "links to \(type), and by the relationships to \(schema)"
        case (nil, nil): ""
        }
    }
}

extension DataSource.Collection {
    /// Everything in which an object type differs from this schema, without looking at others: the
    /// collections that links lead to are not compared.
    ///
    /// Constraints do not count, as in `DataSource.findings(for:)`.
    public func findings(for type: DataSource.ObjectType) -> [DataSource.Finding] {
        let title = schema.title ?? ""
        return DataSource.linkProblems(of: [self], areAll: false).map {
            DataSource.Finding(title: title, kind: .badLink(field: $0.field, reason: $0.reason))
        } + DataSource.schemaFindings(type, self)
            + DataSource.linkFindings(title, type.relationships, relationships) {
                $0.foreignKey == $1.foreignKey && $0.isList == $1.isList
            }
    }
}
