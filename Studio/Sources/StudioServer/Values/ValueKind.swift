import Travertine

/// What values a property or an element of its collection takes.
struct ValueKind {
    let name: String
    let type: PropertyType
    let isOptional: Bool
    /// The type that is linked to or embedded.
    let target: String?
    /// Whether that type is embedded.
    let isEmbedded: Bool
    /// Whether this is a whole collection.
    let isCollection: Bool

    private init(
        name: String, type: PropertyType, isOptional: Bool, target: ObjectSchema? = nil,
        isCollection: Bool = false
    ) {
        self.name = name
        self.type = type
        self.isOptional = isOptional
        self.target = target?.objectTypeName
        isEmbedded = target?.isEmbedded ?? false
        self.isCollection = isCollection
    }

    /// The values of a property.
    /// - Parameter target: the type that it links to or embeds.
    init(_ property: Property, target: ObjectSchema?) {
        let isCollection = PropertyText.collection(property) != nil
        self.init(
            name: property.columnName, type: property.type,
            isOptional: !isCollection && (property.isOptional || property.type == .object),
            target: target, isCollection: isCollection)
    }

    /// The values in a collection.
    init(elementOf property: Property, target: ObjectSchema?) {
        self.init(
            name: property.columnName, type: property.type,
            isOptional: property.isOptional && (property.type != .object || property.isMap),
            target: target)
    }

    /// A value inside one of any type.
    static let mixed = ValueKind(name: "value", type: .any, isOptional: true)
}
