/// A condition made ready for the rows of one table.
class RowTest {
    /// Whether an object fulfils the condition; `row` is its row in the layout of `binding`.
    func matches(_ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64) throws
        -> Bool
    { true }

    /// The test of a condition.
    static func make(_ condition: Condition) -> RowTest {
        switch condition {
        case .constant(let value): ConstantTest(value)
        case .not(let operand): NotTest(make(operand))
        case .and(let parts): chained(parts[...], ofNone: true) { AndTest($0, $1) }
        case .or(let parts): chained(parts[...], ofNone: false) { OrTest($0, $1) }
        case .comparison(let reader, let operation, let constant):
            comparisonTest(reader, operation, constant)
        case .isIn(let reader, let constants): MembershipTest(reader, constants)
        case .isBetween(let reader, let lower, let upper): RangeTest(reader, lower, upper)
        case .text(let reader, let operation, let text, let options):
            TextTest(reader, operation, text, options)
        case .words(let reader, let text): WordsTest(reader, text)
        case .isWithin(let reader, let shape): GeoTest(reader, shape.shape)
        case .other(let test): test
        }
    }

    /// The test of several conditions, asked in their order. Halves are joined: a chain of
    /// thousands would be as deep on the stack.
    private static func chained(
        _ parts: ArraySlice<Condition>, ofNone: Bool, _ join: (RowTest, RowTest) -> RowTest
    ) -> RowTest {
        guard let first = parts.first else { return ConstantTest(ofNone) }
        if parts.count == 1 { return make(first) }
        let middle = parts.startIndex + parts.count / 2
        return join(
            chained(parts[..<middle], ofNone: ofNone, join),
            chained(parts[middle...], ofNone: ofNone, join))
    }

    private static func comparisonTest(
        _ reader: PropertyReader, _ operation: Comparison.Operation, _ constant: RawConstant
    ) -> RowTest {
        switch constant {
        case .null: return NullTest(reader, operation)
        case .word(let word):
            switch reader.type.type {
            case .double, .date, .float: return RealTest(reader, operation, word)
            default: return IntegerTest(reader, operation, word)
            }
        case .bytes(let bytes):
            switch reader.type.type {
            case .any where bytes.isEmpty: return NullTest(reader, operation)
            case .any where !reader.isVarying:
                return MixedValueTest(reader, operation, bytes)
            case .decimal128, .any: return ValueTest(reader, operation, bytes)
            default: return BytesTest(reader, operation, bytes)
            }
        }
    }
}
