import TravertineStore

/// A type of objects as a feed shows it: the stored one, whether or not the process has its class.
public final class FeedType: Sendable {
    /// Its number, which no other type of the realm ever has.
    public let number: UInt32
    /// The name that it is stored under.
    public let name: String
    /// Whether its objects are shown inside of those that own them, and never by themselves.
    public let isEmbedded: Bool
    /// Whether its objects are only added: what became of them later is not shown.
    public let isAsymmetric: Bool
    /// The properties, in the order of the fields of documents.
    public let properties: [FeedProperty]
    /// Whether `FeedObject.key` follows from the primary key: an object that is deleted and added
    /// again under the same primary key has the same key.
    public let hasIntegerKeys: Bool

    let rows: KeyspaceID
    let pieces: KeyspaceID

    init(_ type: TypeDescription) {
        let stored = type.stored
        number = stored.number
        name = stored.name
        isEmbedded = stored.isEmbedded
        isAsymmetric = stored.isAsymmetric
        hasIntegerKeys = stored.keyKind == .integerPrimaryKey
        properties = type.properties.map { FeedProperty($0) }
        (rows, pieces) = (stored.rows, stored.pieces)
    }

    /// The property that identifies an object, if there is one.
    public var primaryKey: FeedProperty? { properties.first(where: \.isPrimaryKey) }
}

extension FeedType: Equatable {
    /// Whether both are the same type, with the same properties.
    public static func == (left: FeedType, right: FeedType) -> Bool {
        left === right
            || left.number == right.number && left.name == right.name
                && left.isEmbedded == right.isEmbedded && left.isAsymmetric == right.isAsymmetric
                && left.properties == right.properties
                && left.hasIntegerKeys == right.hasIntegerKeys
                && left.rows == right.rows && left.pieces == right.pieces
    }
}

/// A property of a type as a feed shows it.
public struct FeedProperty: Sendable, Hashable {
    /// What a property holds.
    public enum Shape: Sendable, Hashable {
        /// One value.
        case single
        /// A list of values.
        case list
        /// A set of values.
        case set
        /// Values by keys, which are strings.
        case map
    }

    /// Its number, which no other property of the type ever has: a renamed property keeps it, and
    /// one that changed its type has another one.
    public let number: UInt32
    /// The name that it is stored under.
    public let name: String
    /// The type of its value, or of its elements.
    public let type: PropertyType
    /// What it holds.
    public let shape: Shape
    /// Whether the value, or an element, may be null.
    public let isOptional: Bool
    /// Whether it identifies the object.
    public let isPrimaryKey: Bool
    /// The stored name of the type that it links to.
    public let target: String?
    /// Whether what it links to belongs to the object, and is shown inside of it.
    public let isEmbedding: Bool
    /// Whether it links to objects of classes derived from the target's too: then each value names
    /// the type.
    public let isVarying: Bool
    /// What objects have that were stored before the property: they are not shown again when it
    /// comes. Null where there is none.
    public let defaultValue: StoredValue

    init(_ property: StoredProperty) {
        number = property.number
        name = property.name
        type = property.isVarying ? .object : property.type
        shape =
            switch property.collection {
            case .none: .single
            case .list: .list
            case .set: .set
            case .map: .map
            }
        isOptional = property.isOptional || property.isVarying && property.collection != .list
        isPrimaryKey = property.isPrimaryKey
        target = property.target.isEmpty ? nil : property.target
        isEmbedding = property.isOwning
        isVarying = property.isVarying
        defaultValue =
            property.collection == .none
            ? property.defaultValue.withRaw { StoredValue(defaultOf: property, $0) } : .null
    }
}

extension StoredValue {
    /// What rows have that lack a property.
    fileprivate init(defaultOf property: StoredProperty, _ raw: _RawValue) {
        switch (property.type, raw) {
        case (.any, .bytes(let bytes)): self = StoredValue(mixed: bytes) ?? .null
        case (.any, _), (.object, _): self = .null
        case (_, .null) where !property.isOptional:
            self = StoredValue(.zero(property.storedType.shape), property.type) ?? .null
        default: self = StoredValue(raw, property.type) ?? .null
        }
    }
}
