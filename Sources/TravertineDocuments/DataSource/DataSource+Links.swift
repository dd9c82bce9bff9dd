/// Comparing relationships with the schemas that they link (C-D6).
extension DataSource {
    /// One thing in which relationships say what schemas do not have.
    public struct LinkProblem: Sendable, Hashable, CustomStringConvertible {
        /// The title of the schema beside the relationships.
        public let title: String
        /// The field that they name.
        public let field: String
        /// What is wrong with it.
        public let reason: String

        /// "Dog.owner: links to …, and there is no such collection".
        public var description: String { "\(title).\(field): \(reason)" }
    }

    /// Everything in which the relationships of collections say what their schemas do not have, in
    /// order.
    ///
    /// - Parameters:
    ///   - collections: the collections.
    ///   - areAll: whether they are all that links may lead to.
    public static func linkProblems(
        of collections: [Collection], areAll: Bool = true
    ) -> [LinkProblem] {
        collections.flatMap { collection in
            collection.relationships.all.compactMap { link in
                problem(link, collection.schema, collections, areAll).map {
                    LinkProblem(
                        title: collection.schema.title ?? "", field: link.field, reason: $0)
                }
            }
        }
    }

    private static func problem(
        _ link: Relationships.Relationship, _ schema: DocumentSchema, _ collections: [Collection],
        _ areAll: Bool
    ) -> String? {
        guard let value = schema.value(atField: link.field) else {
            return "has relationships, and is no property of the schema"
        }
        let target = collections.first {
            link.target?.database == $0.database && link.target?.collection == $0.name
        }
        let keyName = target?.keyName ?? Collection.usualKeyName
        if link.foreignKey != keyName {
            return "links by \"\(link.foreignKey)\"; links are by the key, \"\(keyName)\""
        }
        let kind = value.collectionKind
        if (kind != .none) != link.isList {
            return "is \(value.text), and by \"is_list\" "
                + (link.isList ? "a list of links" : "one link")
        }
        guard case .scalar(let scalar) = value.elementKind else {
            return "is \(value.text), which holds no keys"
        }
        guard areAll else { return nil }
        guard let target else {
            return "links to \(link.reference), and there is no such collection"
        }
        guard case .scalar(let key)? = target.schema[target.keyName]?.type else { return nil }
        if key == scalar || key.isInteger && scalar.isInteger { return nil }
        return "is \(scalar.rawValue), and the key of \(target.schema.title ?? "") is "
            + key.rawValue
    }
}

extension DocumentSchema {
    /// The value of a field that relationships name: points lead into embedded objects.
    fileprivate func value(atField field: String) -> ValueSchema? {
        if let value = self[field] { return value }
        for property in properties where field.utf8.starts(with: (property.name + ".").utf8) {
            let rest = String(
                decoding: field.utf8.dropFirst(property.name.utf8.count + 1), as: UTF8.self)
            if let value = property.value.innerSchema?.value(atField: rest) { return value }
        }
        return nil
    }
}

extension ValueSchema {
    /// What a single value or the elements are.
    var elementKind: Kind {
        switch type {
        case .scalar, .object: type
        case .array(let items, _): items.type
        case .dictionary(let values): values.type
        }
    }
}
