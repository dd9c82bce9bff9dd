/// The types of objects that a realm has.
public struct Schema: CustomStringConvertible {
    /// The types, by name.
    public let objectSchema: [ObjectSchema]

    init(_ classes: [ClassInfo]) {
        objectSchema = classes.sorted { $0.className < $1.className }.map { ObjectSchema($0) }
    }

    /// Every class of objects in the process, as a realm without `objectTypes` finds them.
    public static func discoveredClasses() -> [ObjectBase.Type] { ClassDiscovery.allClasses() }

    /// The type with a class name.
    public subscript(className: String) -> ObjectSchema? {
        objectSchema.first { $0.className == className }
    }

    /// The types in one text.
    public var description: String {
        "Schema {\n" + objectSchema.map { "\t\($0.className)\n" }.joined() + "}"
    }
}

/// A type of objects: its name and its properties.
public struct ObjectSchema: CustomStringConvertible, Equatable {
    let info: ClassInfo

    init(_ info: ClassInfo) { self.info = info }

    /// The properties in declared order, those of base classes first.
    public var properties: [Property] { info.properties.map { Property($0) } }
    /// The name of the class.
    public var className: String { info.className }
    /// The class.
    public var objectClass: ObjectBase.Type { info.type }
    /// The property that identifies an object.
    public var primaryKeyProperty: Property? { properties.first { $0.isPrimaryKey } }

    /// The property with a name.
    public subscript(propertyName: String) -> Property? {
        info.slot(named: propertyName).map { Property(info.properties[$0]) }
    }

    /// The class and its properties in one text.
    public var description: String {
        "\(className) {\n" + properties.map { "\t\($0.description)\n" }.joined() + "}"
    }

    /// Whether both describe the same class.
    public static func == (left: ObjectSchema, right: ObjectSchema) -> Bool {
        left.info === right.info
    }
}

/// A property of a type of objects.
public struct Property: CustomStringConvertible {
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
    }

    /// The name and the type.
    public var description: String {
        let base = objectClassName ?? type.description
        return "\(name): \(isArray ? "array<\(base)>" : base)\(isOptional ? "?" : "")"
            + (isPrimaryKey ? ", primary key" : isIndexed ? ", indexed" : "")
    }
}
