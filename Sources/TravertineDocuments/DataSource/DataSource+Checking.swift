import Travertine

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
    /// Constraints, which classes cannot express, do not count, nor does it that a link is required.
    public func findings(for types: [ObjectType]) -> [Finding] {
        var findings: [Finding] = []
        for type in types {
            let title = type.schema.title ?? ""
            guard let existing = collection(titled: title) else {
                findings.append(Finding(title: title, kind: .missingSchema))
                continue
            }
            for difference in type.schema.differences(from: existing.schema) {
                if case .constraint = difference.change { continue }
                if difference.change == .becameOptional,
                    type.relationships[difference.field] != nil
                {
                    continue
                }
                findings.append(Finding(title: title, kind: .differs(difference)))
            }
            findings += linkFindings(title, type.relationships, existing.relationships)
        }
        for collection in collections {
            let title = collection.schema.title ?? ""
            if !types.contains(where: { $0.schema.title == title }) {
                findings.append(Finding(title: title, kind: .missingType))
            }
        }
        return findings
    }

    private func linkFindings(
        _ title: String, _ links: Relationships, _ existing: Relationships
    ) -> [Finding] {
        let fields = links.all.map(\.field) + existing.all.map(\.field)
        var seen: Set<String> = []
        return fields.filter { seen.insert($0).inserted }.compactMap { field in
            let (link, other) = (links[field], existing[field])
            if let link, let other, link.isSame(as: other) { return nil }
            return Finding(
                title: title,
                kind: .link(field: field, schema: other?.reference, type: link?.reference))
        }
    }

    /// One thing in which object types differ from the schemas of a data source.
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
