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
    /// What deleting its owner does with objects that it links to.
    public internal(set) var deleteRule = DeleteRule.nullify
    /// What objects have that were stored before it, and new ones of a type without a class.
    let defaultValue: RawConstant
    /// Whether a default was declared that it can't have.
    let hasUnfitDefault: Bool
    /// The property by which the objects link, of one with linking objects.
    var linkOriginPropertyName: String?
    /// Whether the words in it are indexed.
    var isFullText = false
    /// Whether the point that it links to is indexed.
    var isGeo = false
    /// What is indexed of it then.
    var tokenizer = FullTextTokenizer.words

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
        isGeo = property.isGeo
        tokenizer = property.tokenizer
        deleteRule = property.deleteRule
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
        deleteRule = property.deleteRule
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
