import Travertine

/// The type of a column.
struct SQLType: Codable, Hashable {
    /// The type of a value, or of the elements of an array, by its name in SQL.
    enum Base: String, Codable {
        case bigint
        case boolean
        case text
        case bytea
        case timestamptz
        case real
        case double = "double precision"
        case numeric
        case uuid
        case jsonb
    }

    var base: Base
    var isArray = false

    /// As `CREATE TABLE` has it.
    var name: String { base.rawValue + (isArray ? "[]" : "") }
}

extension SQLType.Base {
    /// The type for values of a property that are no objects; nil for links.
    init?(_ type: PropertyType, _ options: MappingOptions) {
        switch type {
        case .int: self = .bigint
        case .bool: self = .boolean
        case .string: self = .text
        case .data: self = .bytea
        case .date: self = .timestamptz
        case .float: self = .real
        case .double: self = .double
        case .decimal128: self = .numeric
        case .UUID: self = .uuid
        case .objectId: self = options.objectIds == .text ? .text : .bytea
        case .any: self = .jsonb
        case .object, .linkingObjects: return nil
        }
    }
}
