/// The kind of the value at the scanner's position.
///
/// `null`, `true` and `false` were read with this and are complete. Of the others nothing was read.
public enum JSONBeginning: Sendable {
    case object
    case array
    case text
    case number
    case null
    case bool(Bool)
}
