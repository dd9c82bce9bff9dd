#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Types that are declared without a class, and properties that a class doesn't have.
///
/// ```swift
/// let note = ObjectSchema(
///     "Note", kind: .object,
///     properties: [
///         Property("id", .int, isPrimaryKey: true),
///         Property("text", .string, defaultValue: "empty", storedName: "body", index: .general),
///         Property("tags", .string, collection: .list),
///         Property("author", .object, objectType: "Person"),
///     ])
/// var configuration = Realm.Configuration.defaultConfiguration
/// configuration.objectSchemas = [note, ObjectSchema(extending: Dog.self, adding: [
///     Property("chip", .string, isOptional: true)
/// ])]
/// ```
/// Objects of a type without a class are `DynamicObject`s; values that a class doesn't declare are
/// read and set by subscript: `dog["chip"]`.
extension ObjectSchema {
    /// What the objects of a type are.
    public enum Kind: Sendable {
        /// Separate objects, not embedded ones.
        case object
        /// Objects that belong to others.
        case embedded
        /// Objects that are only written, and wait for a consumer of `realm.outbox`.
        case asymmetric
    }

    /// A type without a class, by the name that it is stored under.
    public init(_ name: String, kind: Kind = .object, properties: [Property]) {
        self.properties = properties
        className = name
        objectTypeName = name
        objectClass = DynamicObject.self
        isEmbedded = kind == .embedded
        isAsymmetric = kind == .asymmetric
        computedProperties = []
        additions = []
    }

    /// The type of a class with properties that the class does not declare.
    ///
    /// New objects of the class have the defaults of these, and updating one keeps its values.
    public init(extending type: ObjectBase.Type, adding additions: [Property]) {
        let info = ClassInfo.of(type)
        properties = info.properties.map { Property($0) } + additions
        className = info.className
        objectTypeName = info.storedName
        objectClass = type
        isEmbedded = info.isEmbedded
        isAsymmetric = info.isAsymmetric
        computedProperties = info.inverses.map { Property($0) }
        self.additions = additions
    }

    /// Whether the type has no class.
    var isWithoutClass: Bool { objectClass == DynamicObject.self }
}

extension Property {
    /// How a property is looked up.
    public enum Index: Sendable {
        /// It has no index.
        case none
        /// By its values.
        case general
        /// By the words in it: a string's.
        case fullText
        /// By the place of the point that it links to: a single embedded object's.
        case geo
        /// By every three characters in it: a string's.
        case fullTextOfTrigrams
        /// By the letters and digits in it: a string's.
        case fullTextOfCodePoints

        /// By what a tokenizer finds in it: a string's.
        public static func fullText(_ tokenizer: FullTextTokenizer) -> Index {
            switch tokenizer {
            case .words: .fullText
            case .trigrams: .fullTextOfTrigrams
            case .codePoints: .fullTextOfCodePoints
            }
        }

        /// Nil for no full-text index.
        var tokenizer: FullTextTokenizer? {
            switch self {
            case .none, .general, .geo: nil
            case .fullText: .words
            case .fullTextOfTrigrams: .trigrams
            case .fullTextOfCodePoints: .codePoints
            }
        }
    }

    /// A property of a type without a class, or one more of a class.
    ///
    /// - Parameters:
    ///   - name: the name by which the program knows it.
    ///   - type: the type of the value, or of the elements.
    ///   - isOptional: whether the value, or an element of a list or map of values, can be nil;
    ///     links and the values of maps of links always can.
    ///   - collection: whether it is a list, a set or a map.
    ///   - objectType: the stored name of the type that a link leads to.
    ///   - defaultValue: what new objects have, and those that were stored before the property
    ///     came.
    ///   - storedName: the name that it is stored under, if that is another.
    ///   - index: how it is looked up.
    ///   - isPrimaryKey: whether it identifies the object.
    public init(
        _ name: String, _ type: PropertyType, isOptional: Bool = false,
        collection: CollectionKind = .none, objectType: String? = nil, defaultValue: Any? = nil,
        storedName: String? = nil, index: Index = .none, isPrimaryKey: Bool = false
    ) {
        self.name = name
        columnName = storedName ?? name
        self.type = type
        isArray = collection == .list
        isSet = collection == .set
        isMap = collection == .map
        isIndexed = index == .general || isPrimaryKey
        isFullText = index.tokenizer != nil
        tokenizer = index.tokenizer ?? .words
        isGeo = index == .geo
        self.isOptional =
            type == .object ? collection == .none || collection == .map : isOptional
        self.isPrimaryKey = isPrimaryKey
        objectClassName = objectType
        let value = defaultValue.map { RawConstant($0, of: type) } ?? .some(.null)
        self.defaultValue = value ?? .null
        let needsValue = defaultValue != nil && (collection != .none || type == .object)
        hasUnfitDefault = value == nil || needsValue
    }

    var collection: CollectionKind { isArray ? .list : isSet ? .set : isMap ? .map : .none }
}

extension RawConstant {
    /// The stored form of a value as a property of a type has it, converted if need be; nil if it
    /// has another type.
    init?(_ value: Any, of type: PropertyType) {
        if let scalar = value as? any _Scalar, Swift.type(of: scalar)._propertyType == type {
            // Enums among them.
            self = scalar.stored
            return
        }
        if let own = value as? any FailableCustomPersistable {
            self.init(own.persistableValue, of: type)
            return
        }
        switch type {
        case .bool: self.init(value as? Bool)
        case .int: self.init(Int64._makeElement(from: value))
        case .string: self.init(String._makeElement(from: value))
        case .data: self.init(Data._makeElement(from: value))
        case .date: self.init(Date._makeElement(from: value))
        case .float: self.init(Float._makeElement(from: value))
        case .double: self.init(Double._makeElement(from: value))
        case .objectId: self.init(ObjectId._makeElement(from: value))
        case .decimal128: self.init(Decimal128._makeElement(from: value))
        case .UUID: self.init(UUID._makeElement(from: value))
        case .any:
            guard let mixed = AnyRealmValue(any: value),
                let bytes = MixedCode.encode(plain: mixed)
            else { return nil }
            self = bytes.isEmpty ? .null : .bytes(bytes)
        case .object, .linkingObjects: return nil
        }
    }

    private init?(_ value: (some _Scalar)?) {
        guard let value else { return nil }
        self = value.stored
    }
}

extension _Scalar {
    fileprivate var stored: RawConstant { _withRaw { RawConstant($0) } }
}

extension ClassInfo {
    /// What a configuration declares: its classes, with the properties that it adds to them, and
    /// its types without a class.
    static func declarations(
        _ classes: [ClassInfo], _ schemas: [ObjectSchema]
    ) -> [ClassInfo] {
        if schemas.isEmpty { return classes }
        let extended = classes.map { info in
            let schemas = schemas.filter { $0.objectClass == info.type }
            return schemas.isEmpty ? info : ClassInfo(info, adding: schemas.flatMap(\.additions))
        }
        return extended + schemas.filter(\.isWithoutClass).map { ClassInfo($0) }
    }
}

extension ClassInfo.Property {
    /// A declaration without a wrapper: of it, only what is stored matters.
    init(_ property: Property) {
        let type = _StoredType(
            property.type, isOptional: property.isOptional, collection: property.collection)
        self.init(
            name: property.name, storedName: property.columnName, offset: 0, valueType: Int.self,
            wrapper: Persisted<Int>.self, type: type,
            isPrimaryKey: property.isPrimaryKey,
            isIndexed: property.isIndexed && !property.isPrimaryKey,
            isFullText: property.isFullText, isGeo: property.isGeo, tokenizer: property.tokenizer,
            deleteRule: .nullify,
            isRequired: false,
            defaultValue: property.defaultValue == .null
                ? RawConstant(undeclaredOf: type) : property.defaultValue,
            declaredTarget: property.objectClassName,
            hasUnfitDefault: property.hasUnfitDefault)
    }

    /// The stored name of the type that a link leads to; empty for what is no link.
    var target: String {
        declaredTarget ?? type.targetClass.map { ClassInfo.of($0).storedName } ?? ""
    }
}
