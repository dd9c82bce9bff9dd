/// A number of JSON: an integer of 64 bits if it is written as one and fits, else the nearest
/// floating-point number.
public enum JSONNumber: Sendable, Equatable {
    case integer(Int64)
    case double(Double)
    /// An integer that neither 64 bits nor a double hold, or a number beyond all doubles.
    case tooLarge
}
