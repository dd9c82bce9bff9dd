/// What a value begins with.
public enum JSONBeginning: Sendable {
    case object
    case array
    case text
    case number
    /// Null, which was taken.
    case null
    /// A truth value, which was taken.
    case bool(Bool)
}
