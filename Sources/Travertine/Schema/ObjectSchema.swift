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

extension String {
    /// The lines, each a tab further in.
    var indented: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { "\t\($0)" }
            .joined(separator: "\n")
    }
}
