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
