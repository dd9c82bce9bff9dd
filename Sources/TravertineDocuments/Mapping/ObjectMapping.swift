import Travertine

/// The documents of object types: what `schema.json` and `relationships.json` say of classes.
///
/// ```swift
/// let types = try ObjectMapping(realm.schema).objectTypes { title in
///     CollectionPlace(source: "mongodb-atlas", database: "Pets", collection: title)
/// }
/// print(types[0].schema.jsonSchema)
/// ```
///
/// Properties have their stored names. Required are the key and what is a single value that cannot
/// be nil; links have the type of their target's key, and linking objects are left out.
public struct ObjectMapping {
    private let schema: Schema
    /// Embedded types are nested at most so deep; a cycle would have no end.
    private static let depthMax = 100

    /// A mapping of types, which must be all that they link to.
    ///
    /// - Throws: `MappingError` with every link to a type without primary key, or to none.
    public init(_ schema: Schema) throws(MappingError) {
        try self.init(schema, checking: schema.objectSchema)
    }

    /// A mapping of one type and those that it embeds; the others may have no documents.
    init(_ schema: Schema, of type: ObjectSchema) throws(MappingError) {
        var reached: [ObjectSchema] = []
        var pending = [type]
        while let type = pending.popLast() {
            if reached.contains(where: { $0.objectTypeName == type.objectTypeName }) { continue }
            reached.append(type)
            pending += type.properties.compactMap { Self.target(of: $0, in: schema) }
                .filter(\.isEmbedded)
        }
        try self.init(schema, checking: reached)
    }

    private init(
        _ schema: Schema, checking types: [ObjectSchema]
    ) throws(MappingError) {
        self.schema = schema
        var unknown: [String] = []
        var keyless: [String] = []
        for type in types {
            for property in type.properties where property.objectClassName != nil {
                let path = type.objectTypeName + "." + property.columnName
                guard let target = Self.target(of: property, in: schema) else {
                    unknown.append(path)
                    continue
                }
                if !target.isEmbedded, target.primaryKeyProperty == nil { keyless.append(path) }
            }
        }
        if !unknown.isEmpty { throw .unknownTargets(unknown) }
        if !keyless.isEmpty { throw .keylessTargets(keyless) }
    }

    /// The type that a property links to.
    static func target(of property: Property, in schema: Schema) -> ObjectSchema? {
        guard let name = property.objectClassName else { return nil }
        return schema[name] ?? schema.objectSchema.first { $0.objectTypeName == name }
    }

    /// The object types that are not embedded, with their links, by name.
    ///
    /// - Parameter locate: says where the documents of a type are, which links name.
    /// - Throws: `MappingError.embeddedCycle`.
    public func objectTypes(
        _ locate: (_ title: String) -> CollectionPlace
    ) throws(MappingError) -> [DataSource.ObjectType] {
        var types: [DataSource.ObjectType] = []
        for type in schema.objectSchema where !type.isEmbedded {
            var links: [Relationships.Relationship] = []
            let schema = try documentSchema(of: type, path: [], &links, locate)
            types.append(
                DataSource.ObjectType(
                    schema, relationships: Relationships(links),
                    keyName: type.primaryKeyProperty?.columnName))
        }
        return types.sorted { ($0.schema.title ?? "") < ($1.schema.title ?? "") }
    }

    /// The schema of the documents of one type; nil if there is none, or if it is embedded.
    ///
    /// - Throws: `MappingError` for what the type or one that it embeds cannot have.
    public static func documentSchema(
        of name: String, in schema: Schema
    ) throws(MappingError) -> DocumentSchema? {
        guard
            let type = schema.objectSchema.first(where: {
                $0.objectTypeName == name && !$0.isEmbedded
            })
        else { return nil }
        var links: [Relationships.Relationship] = []
        return try ObjectMapping(schema, of: type).documentSchema(of: type, path: [], &links) {
            CollectionPlace(source: "", database: "", collection: $0)
        }
    }

    private func documentSchema(
        of type: ObjectSchema, path: [String], _ links: inout [Relationships.Relationship],
        _ locate: (String) -> CollectionPlace
    ) throws(MappingError) -> DocumentSchema {
        guard path.count < Self.depthMax else { throw .embeddedCycle(type.objectTypeName) }
        var result = DocumentSchema(title: type.objectTypeName)
        for property in type.properties where property.type != .linkingObjects {
            let value = try valueSchema(
                of: property, of: type, path: path + [property.columnName], &links, locate)
            result.properties.append(DocumentSchema.Property(property.columnName, value))
            if property.isRequiredInDocuments { result.required.append(property.columnName) }
        }
        return result
    }

    private func valueSchema(
        of property: Property, of type: ObjectSchema, path: [String],
        _ links: inout [Relationships.Relationship], _ locate: (String) -> CollectionPlace
    ) throws(MappingError) -> ValueSchema {
        let element: ValueSchema
        if property.type == .object {
            guard let target = Self.target(of: property, in: schema) else {
                throw .unknownTargets([path.joined(separator: ".")])
            }
            if target.isEmbedded {
                element = ValueSchema(
                    .object(try documentSchema(of: target, path: path, &links, locate)))
            } else {
                let key = target.primaryKeyProperty
                element = .scalar(key.map { target.scalar(of: $0) } ?? .objectId)
                let place = locate(target.objectTypeName)
                links.append(
                    Relationships.Relationship(
                        field: path.joined(separator: "."), source: place.source,
                        database: place.database, collection: place.collection,
                        foreignKey: key?.columnName ?? "_id", isList: property.isCollection))
            }
        } else {
            element = .scalar(type.scalar(of: property))
        }
        if property.isArray || property.isSet {
            return ValueSchema(.array(of: element, isUnique: property.isSet))
        }
        return property.isMap ? ValueSchema(.dictionary(of: element)) : element
    }
}

extension Property {
    /// Whether it holds several values.
    var isCollection: Bool { isArray || isSet || isMap }

    /// Whether every document has the field, and not null.
    var isRequiredInDocuments: Bool {
        if isPrimaryKey { return true }
        return !isOptional && !isCollection && type != .object && type != .any
    }
}

extension ObjectSchema {
    /// The type of a property's value, or of its elements, that is no link.
    func scalar(of property: Property) -> SchemaScalar {
        if property.type == .int, integerRange(property) != nil { return .int }
        return property.type.schemaScalar
    }
}
