import Travertine

/// The object types that schemas describe, by the rules of `SwiftModels`, to be stored without
/// classes.
struct SchemaTypes {
    private let collections: [DataSource.Collection]
    private var types: [TypeDeclaration] = []

    /// The types of collections and of what is embedded in them.
    ///
    /// - Throws: `ModelError`, which names the type and the field.
    static func types(
        of collections: [DataSource.Collection]
    ) throws(ModelError) -> [TypeDeclaration] {
        try ModelRules.check(collections)
        var types = SchemaTypes(collections: collections)
        for collection in collections {
            let title = collection.schema.title ?? ""
            let key = collection.schema[collection.keyName]?.type
            guard case .scalar(let scalar)? = key, scalar.isKey else {
                throw ModelError(title, collection.keyName, "is no primary key")
            }
            try types.add(
                collection.schema, title, keyName: collection.keyName, "",
                collection.relationships)
        }
        return types.types
    }

    private init(collections: [DataSource.Collection]) { self.collections = collections }

    private mutating func add(
        _ schema: DocumentSchema, _ title: String, keyName: String?, _ path: String,
        _ links: Relationships
    ) throws(ModelError) {
        let place = types.count
        // Embedded types have no key.
        types.append(TypeDeclaration(title, isEmbedded: keyName == nil, []))
        for property in schema.properties {
            let isKey = property.name == keyName
            let isRequired = isKey || schema.required.containsName(property.name)
            let field = path.isEmpty ? property.name : path + "." + property.name
            var description = try self.property(property, title, field, links)
            if description.collection == .none, description.type != .object {
                description.isOptional = !isRequired && description.type != .any
            }
            description.isPrimaryKey = isKey
            types[place].properties.append(description)
        }
    }

    private mutating func property(
        _ property: DocumentSchema.Property, _ owner: String, _ field: String,
        _ links: Relationships
    ) throws(ModelError) -> TypeDeclaration.Property {
        let name = property.name
        if let link = links[field] {
            let target = collections.first {
                link.target?.database == $0.database && link.target?.collection == $0.name
            }
            guard let target, let title = target.schema.title, link.foreignKey == target.keyName
            else {
                throw ModelError(
                    owner, name,
                    "links to \(link.reference) by \"\(link.foreignKey)\", which is "
                        + "not the key of one of the collections")
            }
            let collection = property.value.collectionKind
            guard (collection != .none) == link.isList else {
                throw ModelError(
                    owner, name,
                    "is \(property.value.text), and a \(link.isList ? "list of links" : "link") in "
                        + "the relationships")
            }
            return TypeDeclaration.Property(
                name, .object, isOptional: collection == .none || collection == .map,
                collection: collection, target: title)
        }
        switch property.value.type {
        case .scalar(let scalar): return TypeDeclaration.Property(name, scalar.propertyType)
        case .object(let schema):
            let target = try embedded(schema, owner, name, field, links)
            return TypeDeclaration.Property(name, .object, isOptional: true, target: target)
        case .array(let element, _), .dictionary(let element):
            let collection = property.value.collectionKind
            switch element.type {
            case .scalar(let scalar):
                return TypeDeclaration.Property(
                    name, scalar.propertyType, collection: collection)
            case .object(let schema):
                if collection == .set {
                    throw ModelError(
                        owner, name, "is a set of embedded objects, which no class can have")
                }
                let target = try embedded(schema, owner, name, field, links)
                return TypeDeclaration.Property(
                    name, .object, isOptional: collection == .map, collection: collection,
                    target: target)
            case .array, .dictionary:
                return TypeDeclaration.Property(name, .any, collection: collection)
            }
        }
    }

    /// The name of an embedded type, which is added when it is found first.
    private mutating func embedded(
        _ schema: DocumentSchema, _ owner: String, _ name: String, _ field: String,
        _ links: Relationships
    ) throws(ModelError) -> String {
        let title = schema.title ?? owner + "_" + name
        if collections.contains(where: { $0.schema.title == title }) {
            throw ModelError(owner, name, "embeds \"\(title)\", which is a collection's title too")
        }
        let known = types.firstIndex { $0.name == title }
        let count = types.count
        try add(schema, title, keyName: nil, field, links)
        guard let known else { return title }
        let same = types[count]
        types.removeSubrange(count...)
        if !same.differingProperties(from: types[known]).isEmpty {
            throw ModelError(owner, name, "has another \"\(title)\" than another field")
        }
        return title
    }
}

extension Realm {
    /// Stores the object types of schemas that are not there yet, as `SwiftModels` would write
    /// their classes; types that are there stay as they are.
    ///
    /// A realm that has its types from classes needs no such call. Classes with which it is opened
    /// later must fit the types.
    ///
    /// - Throws: `ModelError` for what no object type can express, `DataSourceError.badLinks` for
    ///   relationships that do not fit the schemas, `Realm.Error`.
    public func addTypes(of collections: [DataSource.Collection]) throws {
        try ModelRules.check(collections)
        let problems = DataSource.linkProblems(of: collections)
        if !problems.isEmpty { throw DataSourceError.badLinks(problems) }
        try addTypes(SchemaTypes.types(of: collections))
    }
}

extension SchemaScalar {
    /// Whether a primary key can have the type.
    var isKey: Bool { [.long, .int, .string, .objectId, .uuid, .binData].contains(self) }

    /// The type of a property.
    var propertyType: PropertyType {
        switch self {
        case .long, .int: .int
        case .double: .double
        case .binData: .data
        case .decimal: .decimal128
        case .mixed: .any
        case .bool: .bool
        case .date: .date
        case .objectId: .objectId
        case .uuid: .UUID
        case .string: .string
        }
    }
}
