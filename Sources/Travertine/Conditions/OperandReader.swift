/// Gives the values of one side of a comparison, for the general evaluation.
class OperandReader {
    /// Whether `body` is true for a value of a row.
    func any(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64,
        _ body: (QueryValue) throws -> Bool
    ) throws -> Bool { false }
}
