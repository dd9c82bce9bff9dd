#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A value in a `StoredDocument`.
public enum StoredValue: Sendable, Hashable {
    /// No value.
    case null
    /// An integer of any width.
    case int(Int64)
    /// A truth value.
    case bool(Bool)
    /// A 32-bit floating-point number.
    case float(Float)
    /// A 64-bit floating-point number.
    case double(Double)
    /// A text.
    case string(String)
    /// Bytes.
    case data(Data)
    /// A point in time.
    case date(Date)
    /// An object identifier.
    case objectId(ObjectId)
    /// A decimal number.
    case decimal128(Decimal128)
    /// A universally unique identifier.
    case uuid(UUID)
    /// The elements of a list or set.
    case array([StoredValue])
    /// An embedded object, or a map. One of a class derived from the property's has the stored name
    /// of its class before its values, as `_t`, unless it has a property of this name.
    case document(StoredDocument)
    /// A link in a value of any type, or to an object of a class derived from the property's: the
    /// stored name of the target's type, and its key. A link whose type the property says is the
    /// key alone.
    ///
    /// Any link to an object of a type without primary key is one of these, too. The key is then
    /// the number that the object has in its type as long as it is there: it shows which links lead
    /// to one object, and nothing can be looked up by it.
    indirect case link(type: String, key: StoredValue)
}

extension StoredValue: ExpressibleByNilLiteral, ExpressibleByStringLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral, ExpressibleByFloatLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// No value.
    public init(nilLiteral: ()) { self = .null }
    /// A text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// An integer.
    public init(integerLiteral value: Int64) { self = .int(value) }
    /// A truth value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// A 64-bit floating-point number.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// The elements of a list or set.
    public init(arrayLiteral elements: StoredValue...) { self = .array(elements) }
    /// A document.
    public init(dictionaryLiteral elements: (String, StoredValue)...) {
        self = .document(
            StoredDocument(elements.map { StoredDocument.Field(name: $0, value: $1) }))
    }
}

extension StoredValue: CustomStringConvertible {
    /// The value as a text; strings are in quotation marks.
    public var description: String {
        switch self {
        case .null: "null"
        case .int(let value): "\(value)"
        case .bool(let value): "\(value)"
        case .float(let value): "\(value)"
        case .double(let value): "\(value)"
        case .string(let value): value.debugDescription
        case .data(let value): "\(value.count) bytes"
        case .date(let value): "\(value)"
        case .objectId(let value): "\(value)"
        case .decimal128(let value): "\(value)"
        case .uuid(let value): "\(value)"
        case .array(let values): "[" + values.map(\.description).joined(separator: ", ") + "]"
        case .document(let document): document.description
        case .link(let type, let key): "\(type) \(key)"
        }
    }
}
