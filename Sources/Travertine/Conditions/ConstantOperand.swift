/// Constants: one, or those of `IN` and `BETWEEN`.
final class ConstantOperand: OperandReader {
    private let constants: [OwnedValue]

    init(_ constants: [OwnedValue]) { self.constants = constants }

    /// The constant, if there is one and it needs no bytes; else nil.
    var only: QueryValue? { constants.count == 1 ? constants[0].plain : nil }

    override func any(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64,
        _ body: (QueryValue) throws -> Bool
    ) throws -> Bool {
        try constants.contains { try $0.withValue(body) }
    }

    /// Whether a value lies between the two constants.
    func areBounds(of value: QueryValue, _ countsBools: Bool) -> Bool {
        constants.count == 2
            && constants[0].withValue {
                !$0.isNull
                    && value.compares(.greaterOrEqual, to: $0, countsBools: countsBools)
            }
            && constants[1].withValue {
                !$0.isNull && value.compares(.lessOrEqual, to: $0, countsBools: countsBools)
            }
    }
}
