/// The links of an object type: what `relationships.json` beside a schema says.
///
/// A field holds the key of a document of another collection, or an array of keys.
public struct Relationships: Sendable, Hashable {
    /// A link.
    public struct Relationship: Sendable, Hashable {
        /// The field that holds the key, by its stored name; points lead into embedded objects.
        public var field: String
        /// Where the documents are: "#/relationship/SOURCE/DATABASE/COLLECTION".
        public var reference: String
        /// The field of those documents that holds the key.
        public var foreignKey: String
        /// Whether the field is an array of keys.
        public var isList: Bool

        /// A link.
        public init(field: String, reference: String, foreignKey: String = "_id", isList: Bool) {
            self.field = field
            self.reference = reference
            self.foreignKey = foreignKey
            self.isList = isList
        }

        /// A link to documents of a collection.
        public init(
            field: String, source: String, database: String, collection: String,
            foreignKey: String = "_id", isList: Bool
        ) {
            self.init(
                field: field, reference: "#/relationship/\(source)/\(database)/\(collection)",
                foreignKey: foreignKey, isList: isList)
        }

        /// The data source, the database and the collection; nil if the reference names none.
        public var target: (source: String, database: String, collection: String)? {
            let parts = reference.split(separator: "/", omittingEmptySubsequences: false)
                .map(String.init)
            guard parts.count == 5, parts[0] == "#", parts[1] == "relationship",
                parts[2...].allSatisfy({ !$0.isEmpty })
            else { return nil }
            return (parts[2], parts[3], parts[4])
        }

        /// Whether the link says the same as another. The name of the data source is that of a
        /// directory and says nothing.
        func isSame(as other: Relationship) -> Bool {
            guard field.isName(other.field), foreignKey == other.foreignKey, isList == other.isList
            else { return false }
            guard let own = target, let target = other.target else {
                return reference == other.reference
            }
            return own.database == target.database && own.collection == target.collection
        }

        /// What the link says, in words.
        var text: String {
            "\(isList ? "list of " : "")\(reference) by \(foreignKey)"
        }
    }

    /// The links, in order.
    public var all: [Relationship]

    /// Links.
    public init(_ all: [Relationship] = []) { self.all = all }

    /// The link of a field; nil if it is none.
    public subscript(field: String) -> Relationship? { all.first { $0.field.isName(field) } }

    /// The links that a text says.
    ///
    /// - Throws: `DocumentError.invalidJSON` or `.invalidSchema`, with line and column.
    public init(json text: String) throws(DocumentError) {
        let node = try JSONNode(text)
        guard case .object(let members) = node.value else {
            throw .invalidSchema(
                reason: "relationships are an object of fields", position: node.position)
        }
        all = []
        for member in members { all.append(try Self.relationship(member)) }
    }

    private static func relationship(
        _ member: JSONNode.Member
    ) throws(DocumentError) -> Relationship {
        func failure(_ reason: String, _ position: TextPosition) -> DocumentError {
            .invalidSchema(reason: "\"\(member.key)\" \(reason)", position: position)
        }
        guard case .object(let parts) = member.node.value else {
            throw failure("must be an object", member.node.position)
        }
        var link = Relationship(field: member.key, reference: "", foreignKey: "", isList: false)
        for part in parts {
            switch (part.key, part.node.value) {
            case ("ref", .string(let text)): link.reference = text
            case ("foreign_key", .string(let text)): link.foreignKey = text
            case ("is_list", .bool(let flag)): link.isList = flag
            case ("ref", _), ("foreign_key", _), ("is_list", _):
                throw failure("has a wrong value for \"\(part.key)\"", part.node.position)
            default: throw failure("has \"\(part.key)\", which is unknown", part.position)
            }
        }
        guard link.target != nil else {
            throw failure(
                "needs \"ref\": \"#/relationship/SOURCE/DATABASE/COLLECTION\"",
                member.node.position)
        }
        if link.foreignKey.isEmpty {
            throw failure("needs a \"foreign_key\"", member.node.position)
        }
        return link
    }

    /// Everything in which the links differ from older ones, by field.
    func differences(from older: Relationships) -> [SchemaDifference] {
        var differences: [SchemaDifference] = []
        for link in older.all {
            let own = self[link.field]
            if let own, own.isSame(as: link) { continue }
            differences.append(
                SchemaDifference(
                    path: [link.field], change: .link(old: link.text, new: own?.text)))
        }
        for link in all where older[link.field] == nil {
            differences.append(
                SchemaDifference(path: [link.field], change: .link(old: nil, new: link.text)))
        }
        return differences
    }

    /// The links as text, in the layout of schemas.
    public var json: String { JSONLayout.text(of: constant) }

    /// The links as JSON.
    var constant: JSONConstant {
        func member(_ key: String, _ value: JSONConstant) -> JSONConstant.Member {
            JSONConstant.Member(key: key, value: value)
        }
        return .object(
            all.map { link in
                member(
                    link.field,
                    .object([
                        member("ref", .string(link.reference)),
                        member("foreign_key", .string(link.foreignKey)),
                        member("is_list", .bool(link.isList)),
                    ]))
            })
    }
}
