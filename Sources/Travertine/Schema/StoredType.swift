/// Whether a property holds one value or a collection of them; the numbers are stored.
public enum CollectionKind: UInt8, Sendable {
    /// One value.
    case none = 0
    /// An ordered collection.
    case list = 1
    /// A collection without duplicates.
    case set = 2
    /// Values under string keys.
    case map = 3
}

/// A property's type as the class declares it and the schema stores it.
///
/// Public because `_Persistable` and `RealmCollectionValue` have it in their requirements.
public struct _StoredType: Equatable, Sendable {
    /// The type of the value or of the elements.
    public var type: PropertyType
    /// Whether the value, or an element, may be nil.
    public var isOptional: Bool
    /// One value or a collection.
    public var collection: CollectionKind
    /// The class that a link points to.
    public var targetClass: ObjectBase.Type?

    /// Creates a type description.
    public init(
        _ type: PropertyType, isOptional: Bool = false, collection: CollectionKind = .none,
        targetClass: ObjectBase.Type? = nil
    ) {
        self.type = type
        self.isOptional = isOptional
        self.collection = collection
        self.targetClass = targetClass
    }

    var shape: PieceShape { collection == .none ? type.shape : .variable }

    /// The type as messages name it: "int", "list of int".
    var text: String {
        switch collection {
        case .none: type.description
        case .list: "list of \(type)"
        case .set: "set of \(type)"
        case .map: "map of \(type)"
        }
    }

    /// Whether it is a date that can't be nil.
    var isDate: Bool { type == .date && !isOptional && collection == .none }

    /// Whether the property takes a null bit.
    var takesNullBit: Bool { isOptional && collection == .none }

    /// Compares the type, not the class.
    public static func == (left: Self, right: Self) -> Bool {
        left.type == right.type && left.isOptional == right.isOptional
            && left.collection == right.collection && left.targetClass == right.targetClass
    }
}
