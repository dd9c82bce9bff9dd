import Travertine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A value of any type that documents may hold.
///
/// Every BSON document decodes to these and encodes to the same bytes again (the names of array
/// elements apart, which say nothing).
public enum AnyBSON: Sendable, Hashable {
    /// No value.
    case null
    /// A 32-bit integer.
    case int32(Int32)
    /// A 64-bit integer.
    case int64(Int64)
    /// A 64-bit floating-point number.
    case double(Double)
    /// A decimal floating-point number.
    case decimal128(Decimal128)
    /// A truth value.
    case bool(Bool)
    /// A text.
    case string(String)
    /// Bytes.
    case binary(BSONBinary)
    /// Sixteen bytes of subtype 4.
    case uuid(UUID)
    /// An identifier.
    case objectId(ObjectId)
    /// A point in time.
    case datetime(BSONDateTime)
    /// A replication timestamp.
    case timestamp(BSONTimestamp)
    /// Values under names.
    case document(Document)
    /// Values in order.
    case array([AnyBSON])
    /// A regular expression.
    indirect case regex(BSONRegularExpression)
    /// A program.
    case javascript(String)
    /// A program with values of its free names.
    indirect case javascriptWithScope(BSONCode)
    /// A text of the deprecated type symbol.
    case symbol(String)
    /// A reference of the deprecated type DBPointer.
    indirect case pointer(BSONPointer)
    /// The deprecated type undefined.
    case undefined
    /// Less than all other values.
    case minKey
    /// Greater than all other values.
    case maxKey

    /// A point in time, to the millisecond.
    public static func datetime(_ date: Date) -> AnyBSON { .datetime(BSONDateTime(date)) }

    /// Bytes of the generic subtype.
    public static func binary(_ data: Data) -> AnyBSON { .binary(BSONBinary(data)) }

    /// The integer in the type that it fits.
    public static func int(_ integer: Int) -> AnyBSON {
        Int32(exactly: integer).map { .int32($0) } ?? .int64(Int64(integer))
    }
}

extension AnyBSON {
    /// The integer, of 32 or 64 bits; nil for all else.
    public var intValue: Int? {
        switch self {
        case .int32(let value): Int(value)
        case .int64(let value): Int(exactly: value)
        default: nil
        }
    }

    /// The 32-bit integer; nil for all else.
    public var int32Value: Int32? {
        if case .int32(let value) = self { return value }
        return nil
    }

    /// The integer, of 32 or 64 bits; nil for all else.
    public var int64Value: Int64? {
        switch self {
        case .int32(let value): Int64(value)
        case .int64(let value): value
        default: nil
        }
    }

    /// The floating-point number; nil for all else.
    public var doubleValue: Double? {
        if case .double(let value) = self { return value }
        return nil
    }

    /// The decimal; nil for all else.
    public var decimal128Value: Decimal128? {
        if case .decimal128(let value) = self { return value }
        return nil
    }

    /// The truth value; nil for all else.
    public var boolValue: Bool? {
        if case .bool(let value) = self { return value }
        return nil
    }

    /// The text; nil for all else.
    public var stringValue: String? {
        if case .string(let value) = self { return value }
        return nil
    }

    /// The bytes of any subtype but a UUID's; nil for all else.
    public var binaryValue: Data? {
        if case .binary(let value) = self { return value.data }
        return nil
    }

    /// The UUID; nil for all else.
    public var uuidValue: UUID? {
        if case .uuid(let value) = self { return value }
        return nil
    }

    /// The identifier; nil for all else.
    public var objectIdValue: ObjectId? {
        if case .objectId(let value) = self { return value }
        return nil
    }

    /// The point in time as a date; nil for all else.
    public var dateValue: Date? {
        if case .datetime(let value) = self { return value.date }
        return nil
    }

    /// The document; nil for all else.
    public var documentValue: Document? {
        if case .document(let value) = self { return value }
        return nil
    }

    /// The array; nil for all else.
    public var arrayValue: [AnyBSON]? {
        if case .array(let value) = self { return value }
        return nil
    }

    /// Whether there is no value.
    public var isNull: Bool { self == .null }
}

// There is no literal for null: `nil` could then mean it where `AnyBSON?` is meant to be empty.
extension AnyBSON: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// A truth value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }

    /// An integer in the type that it fits.
    public init(integerLiteral value: Int) { self = .int(value) }

    /// A floating-point number.
    public init(floatLiteral value: Double) { self = .double(value) }

    /// A text.
    public init(stringLiteral value: String) { self = .string(value) }

    /// An array.
    public init(arrayLiteral elements: AnyBSON...) { self = .array(elements) }

    /// A document.
    public init(dictionaryLiteral elements: (String, AnyBSON)...) {
        self = .document(Document(elements))
    }
}

extension AnyBSON: CustomStringConvertible {
    /// Relaxed Extended JSON, to be looked at: `extendedJSON` refuses what would not be read back.
    public var description: String { ExtendedJSONWriter.text(of: self, mode: .relaxed) }
}
