import Travertine

extension PropertyType {
    /// The type as schemas name it, an integer with 64 bits.
    var schemaScalar: SchemaScalar {
        switch self {
        case .int: .long
        case .bool: .bool
        case .string: .string
        case .data: .binData
        case .date: .date
        case .float, .double: .double
        case .objectId: .objectId
        case .decimal128: .decimal
        case .UUID: .uuid
        case .any, .object, .linkingObjects: .mixed
        }
    }
}
