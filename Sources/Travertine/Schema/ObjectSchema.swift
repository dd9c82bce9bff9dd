/// The types of objects that a realm has.
public struct Schema: CustomStringConvertible, Equatable {
    /// The types, by name.
    public let objectSchema: [ObjectSchema]

    init(_ types: [ObjectSchema]) {
        objectSchema = types.sorted { $0.className < $1.className }
    }

    /// Every class of objects in the process, as a realm without `objectTypes` finds them.
    public static func discoveredClasses() -> [ObjectBase.Type] { ClassDiscovery.allClasses() }

    /// The type with a class name.
    public subscript(className: String) -> ObjectSchema? {
        objectSchema.first { $0.className == className }
    }

    /// The types in one text.
    public var description: String {
        "Schema {\n" + objectSchema.map { $0.description.indented + "\n" }.joined() + "}"
    }
}

/// A type of objects: its name and its properties.
public struct ObjectSchema: CustomStringConvertible, Equatable, Sendable {
    /// The properties in declared order, those of base classes first.
    public let properties: [Property]
    /// The name of the class, or the stored name of a type without one.
    public let className: String
    /// The name that the type is stored under.
    public let objectTypeName: String
    /// The class; `DynamicObject` for a type without one.
    public let objectClass: ObjectBase.Type
    /// Whether the objects belong to others.
    public let isEmbedded: Bool
    /// Whether the objects are only written, and read by a consumer.
    public let isAsymmetric: Bool
    /// The properties with linking objects, of which nothing is stored.
    let computedProperties: [Property]
    /// The properties that the class does not declare.
    let additions: [Property]

    init(_ info: ClassInfo) {
        properties = info.properties.map { Property($0) }
        className = info.className
        objectTypeName = info.storedName
        objectClass = info.type
        isEmbedded = info.isEmbedded
        isAsymmetric = info.isAsymmetric
        computedProperties = info.inverses.map { Property($0) }
        additions = []
    }

    init(_ type: StoredObjectType) {
        properties = type.properties.map { Property($0) }
        className = type.name
        objectTypeName = type.name
        objectClass = DynamicObject.self
        isEmbedded = type.isEmbedded
        isAsymmetric = type.isAsymmetric
        computedProperties = []
        additions = []
    }

    /// The property that identifies an object.
    public var primaryKeyProperty: Property? { properties.first { $0.isPrimaryKey } }

    /// The property with a public or stored name.
    public subscript(propertyName: String) -> Property? {
        properties.first { $0.name == propertyName }
            ?? properties.first { $0.columnName == propertyName }
            ?? computedProperties.first { $0.name == propertyName }
    }

    /// The class and its properties in one text.
    public var description: String {
        "\(className) \(isEmbedded ? "(embedded) " : isAsymmetric ? "(asymmetric) " : ""){\n"
            + (properties + computedProperties).map { $0.description.indented + "\n" }.joined()
            + "}"
    }

    /// Whether both describe the same type.
    public static func == (left: ObjectSchema, right: ObjectSchema) -> Bool {
        left.objectTypeName == right.objectTypeName && left.properties == right.properties
            && left.objectClass == right.objectClass
    }
}

/// A property of a type of objects.
public struct Property: CustomStringConvertible, Equatable, Sendable {
    /// The name in Swift.
    public let name: String
    /// The name that it is stored under.
    public let columnName: String
    /// The type of the value or of the elements.
    public let type: PropertyType
    /// Whether it is a list.
    public let isArray: Bool
    /// Whether it is a set.
    public let isSet: Bool
    /// Whether it is a map.
    public let isMap: Bool
    /// Whether it has an index.
    public let isIndexed: Bool
    /// Whether it, or an element, may be nil.
    public let isOptional: Bool
    /// Whether it identifies the object.
    public let isPrimaryKey: Bool
    /// The class that it links to.
    public let objectClassName: String?
    /// What objects have that were stored before it, and new ones of a type without a class.
    let defaultValue: StoredDefault
    /// Whether a default was declared that it can't have.
    let hasUnfitDefault: Bool
    /// The property by which the objects link, of one with linking objects.
    var linkOriginPropertyName: String?
    /// Whether the words in it are indexed.
    var isFullText = false

    init(_ property: ClassInfo.Property) {
        name = property.name
        columnName = property.storedName
        type = property.type.type
        isArray = property.type.collection == .list
        isSet = property.type.collection == .set
        isMap = property.type.collection == .map
        isIndexed = property.isIndexed || property.isPrimaryKey
        isOptional = property.type.isOptional
        isPrimaryKey = property.isPrimaryKey
        objectClassName = property.type.targetClass?.className()
        defaultValue = property.defaultValue
        hasUnfitDefault = false
        isFullText = property.isFullText
    }

    init(_ property: StoredProperty) {
        name = property.name
        columnName = property.name
        type = property.isVarying ? .object : property.type
        isArray = property.collection == .list
        isSet = property.collection == .set
        isMap = property.collection == .map
        isIndexed = property.isIndexed || property.isPrimaryKey
        isOptional =
            property.isVarying
            ? property.collection == .none || property.collection == .map : property.isOptional
        isPrimaryKey = property.isPrimaryKey
        objectClassName = property.target.isEmpty ? nil : property.target
        defaultValue = property.defaultValue
        hasUnfitDefault = false
    }

    init(_ inverse: ClassInfo.Inverse) {
        name = inverse.name
        columnName = inverse.name
        type = .linkingObjects
        isArray = true
        isSet = false
        isMap = false
        isIndexed = false
        isOptional = false
        isPrimaryKey = false
        objectClassName = inverse.valueType._storedType.targetClass?.className()
        defaultValue = .null
        hasUnfitDefault = false
        linkOriginPropertyName = inverse.originProperty
    }

    /// The name and what is declared of it.
    public var description: String {
        let target =
            objectClassName.map {
                "\tobjectClassName = \($0);\n"
                    + "\tlinkOriginPropertyName = \(linkOriginPropertyName ?? "(null)");\n"
            } ?? ""
        func word(_ value: Bool) -> String { value ? "YES" : "NO" }
        return "\(name) {\n\ttype = \(type);\n\(target)\tcolumnName = \(columnName);\n"
            + "\tindexed = \(word(isIndexed));\n\tisPrimary = \(word(isPrimaryKey));\n"
            + "\tarray = \(word(isArray));\n\tset = \(word(isSet));\n"
            + "\tdictionary = \(word(isMap));\n\toptional = \(word(isOptional));\n}"
    }
}

extension String {
    /// The lines, each a tab further in.
    fileprivate var indented: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { "\t\($0)" }
            .joined(separator: "\n")
    }
}
