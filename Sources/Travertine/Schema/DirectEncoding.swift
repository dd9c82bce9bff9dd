/// The types whose wrappers the encoder reads in place.
enum DirectEncoding: Sendable {
    case int
    case optionalInt
    case string
    case optionalString
    case double
    case bool
    /// Through the type's own `_encode`.
    case other

    init(_ type: any _Persistable.Type) {
        self =
            switch ObjectIdentifier(type) {
            case ObjectIdentifier(Int.self), ObjectIdentifier(Int64.self): .int
            case ObjectIdentifier(Int?.self): .optionalInt
            case ObjectIdentifier(String.self): .string
            case ObjectIdentifier(String?.self): .optionalString
            case ObjectIdentifier(Double.self): .double
            case ObjectIdentifier(Bool.self): .bool
            default: .other
            }
    }
}
