import Travertine

/// Finds everything for which schemas have no classes, before any is written or stored.
///
/// `SwiftModels` and `Realm.addTypes(of:)` look at schemas with it first, so that both refuse the
/// same. Links are looked at where they are made.
struct ModelRules {
    private static let titleByteCounts = 1...TypeDeclaration.nameByteCountMax
    private static let nameByteCounts = 1...TypeDeclaration.propertyNameByteCountMax

    private let titles: Set<String>
    private var problems: [ModelError.Problem] = []
    /// What the classes of embedded types are, by title, and the field that has the first.
    private var embedded: [String: (type: TypeDeclaration, place: String)] = [:]
    /// The collection that is looked at.
    private var title = ""
    private var file: String?
    private var links = Relationships()
    private var keyName = DataSource.Collection.usualKeyName

    /// - Throws: `ModelError` with all that is wrong.
    static func check(_ collections: [DataSource.Collection]) throws(ModelError) {
        var rules = ModelRules(titles: Set(collections.map { $0.schema.title ?? "" }))
        var seen: Set<String> = []
        for collection in collections {
            rules.title = collection.schema.title ?? ""
            rules.file = collection.file
            rules.links = collection.relationships
            rules.keyName = collection.keyName
            if !seen.insert(rules.title).inserted {
                rules.note(nil, "is the title of two schemas: give one of them another")
            }
            rules.check(collection.schema)
        }
        if !rules.problems.isEmpty { throw ModelError(rules.problems) }
    }

    private init(titles: Set<String>) { self.titles = titles }

    private mutating func note(_ field: String?, _ reason: String) {
        problems.append(
            ModelError.Problem(file: file, title: title, field: field, reason: reason))
    }

    // MARK: Types

    private mutating func check(_ schema: DocumentSchema) {
        if let size = Self.wrongSize(title, Self.titleByteCounts) {
            note(nil, "is a title of \(size): give the type another")
        }
        switch schema[keyName]?.type {
        case nil:
            note(
                keyName,
                "is missing, and is the key: name it in \"properties\", or say which other field "
                    + "is the key (`--key`, `Collection.keyName`)")
        case .scalar(let scalar)? where scalar.isKey && links[keyName] == nil: break
        case .some:
            note(
                keyName,
                "is \(links[keyName] == nil ? schema[keyName]?.text ?? "" : "a link"), which is no primary "
                    + "key: it must be long, int, string, objectId, uuid or binData")
        }
        let type = description(of: schema, title, isEmbedded: false, path: "")
        if !type.fitsRow { note(nil, "has too many properties for an object") }
    }

    /// What the class of a type is; of links the target is where they lead to.
    private mutating func description(
        of schema: DocumentSchema, _ title: String, isEmbedded: Bool, path: String
    ) -> TypeDeclaration {
        let required = Set(schema.required.map { NameBytes($0) })
        var type = TypeDeclaration(title, isEmbedded: isEmbedded, [])
        var names: Set<String> = []
        for property in schema.properties {
            let field = path + property.name
            if !names.insert(property.name).inserted {
                note(
                    field,
                    "differs from another name in its bytes alone, and is the same to Swift: rename "
                        + "one in the documents too, or take it out of the schema")
            }
            if let size = Self.wrongSize(property.name, Self.nameByteCounts) {
                note(
                    field,
                    "is a name of \(size): rename the field in the documents too, or take it out of "
                        + "the schema")
            }
            var member = self.property(property, owner: title, field)
            member.isOptional =
                links[field] == nil && property.value.isSingleValue
                && !required.contains(NameBytes(property.name))
            type.properties.append(member)
        }
        return type
    }

    private static func wrongSize(_ name: String, _ allowed: ClosedRange<Int>) -> String? {
        let count = name.utf8.count
        if allowed.contains(count) { return nil }
        return "\(count) bytes, where \(allowed.lowerBound) to \(allowed.upperBound) are allowed"
    }

    // MARK: Properties

    private mutating func property(
        _ property: DocumentSchema.Property, owner: String, _ field: String
    ) -> TypeDeclaration.Property {
        func member(
            _ type: PropertyType, _ collection: CollectionKind = .none, _ target: String = ""
        ) -> TypeDeclaration.Property {
            TypeDeclaration.Property(property.name, type, collection: collection, target: target)
        }
        let collection = property.value.collectionKind
        if let link = links[field] { return member(.object, collection, link.reference) }
        switch property.value.type {
        case .scalar(let scalar): return member(scalar.propertyType)
        case .object(let schema):
            return member(.object, .none, embed(schema, owner, property.name, field))
        case .array(let element, _), .dictionary(let element):
            if collection == .set { checkSet(of: element, field) }
            switch element.type {
            case .scalar(let scalar): return member(scalar.propertyType, collection)
            case .object(let schema):
                return member(.object, collection, embed(schema, owner, property.name, field))
            case .array, .dictionary: return member(.any, collection)
            }
        }
    }

    private mutating func checkSet(of element: ValueSchema, _ field: String) {
        let name: String
        switch element.type {
        case .scalar: return
        case .object: name = "embedded objects"
        case .array: name = "arrays"
        case .dictionary: name = "dictionaries"
        }
        note(
            field,
            "is a set of \(name), which no class can have: take \"uniqueItems\" out of the schema")
    }

    /// The title of an embedded type, whose class is the same wherever it is.
    private mutating func embed(
        _ schema: DocumentSchema, _ owner: String, _ name: String, _ field: String
    ) -> String {
        let title = schema.title ?? owner + "_" + name
        if let size = Self.wrongSize(title, Self.titleByteCounts) {
            note(
                field,
                schema.title == nil
                    ? "embeds a type without title, whose name \"\(title)\" would have \(size): give "
                        + "it a \"title\""
                    : "embeds a type with a title of \(size): give it another")
        }
        if titles.contains(title) {
            note(
                field,
                "embeds \"\(title)\", which is a collection's title too: give one of them another")
        }
        if schema.properties.isEmpty {
            note(
                field,
                "embeds a type without properties: name them, or write \"additionalProperties\" in "
                    + "place of \"properties\" for a dictionary")
        }
        let type = description(of: schema, title, isEmbedded: true, path: field + ".")
        if !type.fitsRow { note(field, "has too many properties for an object") }
        guard let known = embedded[title] else {
            embedded[title] = (type, "\(self.title).\(field)")
            return title
        }
        let differing = type.differingProperties(from: known.type)
        if !differing.isEmpty {
            note(
                field,
                "has another \"\(title)\" than \(known.place), by "
                    + differing.map { "\"\($0)\"" }.joined(separator: ", ")
                    + ": give one of them another title, or both the same properties")
        }
        return title
    }
}

extension TypeDeclaration {
    /// The names of properties that are not the same in both, whatever their order.
    func differingProperties(from other: TypeDeclaration) -> [String] {
        func byName(_ type: TypeDeclaration) -> [String: Property] {
            Dictionary(
                type.properties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        }
        let (own, others) = (byName(self), byName(other))
        return Set(own.keys).union(others.keys).filter { own[$0] != others[$0] }.sorted()
    }
}

extension ValueSchema {
    /// Whether it is a collection, and which.
    var collectionKind: CollectionKind {
        switch type {
        case .scalar, .object: .none
        case .array(_, let isUnique): isUnique ? .set : .list
        case .dictionary: .map
        }
    }
}
