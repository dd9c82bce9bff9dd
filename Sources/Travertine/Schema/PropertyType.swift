/// The type of a property's value, or of the elements of a collection.
///
/// The numbers are those of RealmSwift and are part of the stored schema.
public enum PropertyType: Int, Sendable, CaseIterable, CustomStringConvertible {
    /// Integers: Int, Int8, Int16, Int32, Int64.
    case int = 0
    /// Booleans.
    case bool = 1
    /// Strings, stored as UTF-8.
    case string = 2
    /// Bytes.
    case data = 3
    /// Points in time.
    case date = 4
    /// 32-bit floating-point numbers.
    case float = 5
    /// 64-bit floating-point numbers.
    case double = 6
    /// Links to objects.
    case object = 7
    /// Objects that link to an object.
    case linkingObjects = 8
    /// Values of any type.
    case any = 9
    /// 12-byte object identifiers.
    case objectId = 10
    /// 128-bit decimal numbers.
    case decimal128 = 11
    /// Universally unique identifiers.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case UUID = 12

    /// The name as error messages and descriptions print it.
    public var description: String {
        switch self {
        case .int: "int"
        case .bool: "bool"
        case .string: "string"
        case .data: "data"
        case .date: "date"
        case .float: "float"
        case .double: "double"
        case .object: "object"
        case .linkingObjects: "linking objects"
        case .any: "mixed"
        case .objectId: "object id"
        case .decimal128: "decimal128"
        case .UUID: "uuid"
        }
    }

    /// How a single value of the type is stored in a row.
    var shape: PieceShape {
        switch self {
        case .int, .bool, .object, .float, .double, .date: .word
        case .objectId: .fixed(12)
        case .decimal128, .UUID: .fixed(16)
        case .string, .data, .any, .linkingObjects: .variable
        }
    }

    /// The widths in bytes that a number of this type may have in a layout.
    var narrowestWidth: Int {
        switch self {
        case .float: 4
        case .double, .date: 8
        default: 1
        }
    }

    /// The bytes that an element of this type takes in a collection; nil if that varies.
    var elementByteCount: Int? {
        switch self {
        case .int, .object, .double, .date: 8
        case .float: 4
        case .bool: 1
        case .objectId: 12
        case .decimal128, .UUID: 16
        case .string, .data, .any, .linkingObjects: nil
        }
    }
}

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
