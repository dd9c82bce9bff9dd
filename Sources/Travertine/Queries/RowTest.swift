/// A condition made ready for the rows of one table.
class RowTest {
    /// Whether an object fulfils the condition; `row` is its row in the layout of `binding`.
    func matches(_ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64) throws
        -> Bool
    { true }

    /// Makes a condition ready; stops with a message for names that the table does not have.
    ///
    /// With `element` the condition is on that, whatever the row.
    static func make(
        _ predicate: FormerPredicate, _ table: TableState, _ element: ScannedElement? = nil
    ) -> RowTest {
        func reader(_ names: [String]) -> PropertyReader {
            PropertyReader(names, table, element: element)
        }
        func test(_ predicate: FormerPredicate) -> RowTest { make(predicate, table, element) }
        return switch predicate {
        case .constant(let value): ConstantTest(value)
        case .not(let operand): NotTest(test(operand))
        case .and(let left, let right): AndTest(test(left), test(right))
        case .or(let left, let right): OrTest(test(left), test(right))
        case .compare(let names, let comparison, .collection(let value)):
            MixedCollectionTest(
                PropertyReader(names, table, element: element, keepsStorage: true), comparison,
                value)
        case .compare(let names, let comparison, let constant):
            comparisonTest(reader(names), comparison, constant)
        case .compareProperties(let left, let comparison, let right):
            PropertyComparisonTest(reader(left), comparison, reader(right))
        case .isIn(let names, let constants): membershipTest(names, constants, test, reader)
        case .text(let names, let comparison, let text, let options):
            TextTest(reader(names), comparison, text, options)
        case .words(let names, let text): WordsTest(reader(names), text)
        case .isWithin(let names, let shape): GeoTest(names, shape, table)
        case .count(let names, let comparison, let count):
            CountTest(PropertyReader(names, table, readsPieces: true), comparison, count)
        }
    }

    /// Collections among the constants are compared one by one.
    private static func membershipTest(
        _ names: [String], _ constants: [QueryConstant], _ test: (FormerPredicate) -> RowTest,
        _ reader: ([String]) -> PropertyReader
    ) -> RowTest {
        var plain: [QueryConstant] = []
        var collections: [RowTest] = []
        for constant in constants {
            if case .collection = constant {
                collections.append(test(.compare(names, .equal, constant)))
            } else {
                plain.append(constant)
            }
        }
        return collections.reduce(MembershipTest(reader(names), plain)) { OrTest($0, $1) }
    }

    private static func comparisonTest(
        _ reader: PropertyReader, _ comparison: FormerPredicate.Comparison, _ constant: QueryConstant
    ) -> RowTest {
        switch constant {
        case .unmanaged, .collection: return ConstantTest(comparison == .notEqual)
        case .null: return NullTest(reader, comparison)
        case .word(let word):
            switch reader.type.type {
            case .double, .date, .float: return RealTest(reader, comparison, word)
            default: return IntegerTest(reader, comparison, word)
            }
        case .bytes(let bytes):
            switch reader.type.type {
            case .decimal128, .any: return ValueTest(reader, comparison, bytes)
            default: return BytesTest(reader, comparison, bytes)
            }
        case .link(let type, let key):
            return reader.isVarying
                ? BytesTest(reader, comparison, MixedCode.encode(objectOfType: type, key: key))
                : IntegerTest(reader, comparison, Int64(bitPattern: key))
        }
    }
}
