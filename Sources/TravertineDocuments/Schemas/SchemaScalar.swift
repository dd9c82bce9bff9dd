/// The types of single values, by the names that `bsonType` has for them.
public enum SchemaScalar: String, Sendable, Hashable, CaseIterable {
    /// 64-bit integers.
    case long
    /// 32-bit integers.
    case int
    /// Floating-point numbers.
    case double
    /// Bytes.
    case binData
    /// Decimal floating-point numbers.
    case decimal
    /// Values of any type.
    case mixed
    /// Truth values.
    case bool
    /// Points in time.
    case date
    /// 12-byte identifiers.
    case objectId
    /// 16-byte identifiers.
    case uuid
    /// Texts.
    case string
}
