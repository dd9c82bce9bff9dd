/// The values of a path.
final class PathOperand: OperandReader {
    let reader: PropertyReader
    private let target: UInt32

    /// - Parameter reader: one that keeps the storage of what it finds, if values of any type are
    ///   at the path's end.
    init(_ reader: PropertyReader) {
        self.reader = reader
        target = reader.target?.stored.number ?? 0
    }

    override func any(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64,
        _ body: (QueryValue) throws -> Bool
    ) throws -> Bool {
        try reader.any(row, binding, key) {
            try body(
                QueryValue($0, reader.type.type, target: target, at: reader.storage))
        }
    }
}
