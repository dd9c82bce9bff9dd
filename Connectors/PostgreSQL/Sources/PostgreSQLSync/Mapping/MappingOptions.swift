/// What tables look like, as far as that can be chosen. It is stored with the mapping: tables that
/// are there stay as they are.
public struct MappingOptions: Codable, Hashable, Sendable {
    /// Where the elements of lists and sets go.
    public enum Collections: String, Codable, Sendable, CaseIterable {
        /// To a separate table, with their positions.
        case tables
        /// To a column of an array type.
        case arrays
        /// To a column of type `jsonb`.
        case jsonb
    }

    /// Where the values of a single embedded object go.
    public enum Embedded: String, Codable, Sendable, CaseIterable {
        /// To columns whose names begin with that of the property.
        case columns
        /// To a column of type `jsonb`.
        case jsonb
    }

    /// What an ObjectId is.
    public enum ObjectIds: String, Codable, Sendable, CaseIterable {
        /// 24 hexadecimal digits.
        case text
        /// 12 bytes.
        case bytea
    }

    /// The schema of the database that the tables are in.
    public var schema = "public"
    /// What names the realm in tables that several realms share; nil where each has its own.
    public var source: String?
    /// Where the elements of lists and sets go.
    public var collections = Collections.tables
    /// Where the values of a single embedded object go.
    public var embedded = Embedded.columns
    /// What an ObjectId is.
    public var objectIds = ObjectIds.text

    /// The defaults.
    public init() {}
}
