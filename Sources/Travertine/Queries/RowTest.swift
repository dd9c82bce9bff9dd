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
        _ predicate: Predicate, _ table: ObjectTable, _ element: ScannedElement? = nil
    ) -> RowTest {
        func reader(_ names: [String]) -> PropertyReader {
            PropertyReader(names, table, element: element)
        }
        func test(_ predicate: Predicate) -> RowTest { make(predicate, table, element) }
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
        _ names: [String], _ constants: [QueryConstant], _ test: (Predicate) -> RowTest,
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
        _ reader: PropertyReader, _ comparison: Predicate.Comparison, _ constant: QueryConstant
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

final class ConstantTest: RowTest {
    private let value: Bool
    init(_ value: Bool) { self.value = value }
    override func matches(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64
    ) throws -> Bool { value }
}

final class NotTest: RowTest {
    private let operand: RowTest
    init(_ operand: RowTest) { self.operand = operand }
    override func matches(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64
    ) throws -> Bool { try !operand.matches(row, binding, key) }
}

final class AndTest: RowTest {
    private let left: RowTest
    private let right: RowTest
    init(_ left: RowTest, _ right: RowTest) {
        self.left = left
        self.right = right
    }
    override func matches(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64
    ) throws -> Bool { try left.matches(row, binding, key) && right.matches(row, binding, key) }
}

final class OrTest: RowTest {
    private let left: RowTest
    private let right: RowTest
    init(_ left: RowTest, _ right: RowTest) {
        self.left = left
        self.right = right
    }
    override func matches(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64
    ) throws -> Bool { try left.matches(row, binding, key) || right.matches(row, binding, key) }
}

extension Predicate.Comparison {
    /// Whether nil compares so with nil: it is equal to itself, and so at least and at most itself.
    /// With a value it is only not equal.
    var holdsForNil: Bool {
        switch self {
        case .equal, .lessOrEqual, .greaterOrEqual: true
        case .notEqual, .less, .greater: false
        }
    }

    /// Whether the outcome of a comparison is what is asked for.
    @inline(__always)
    func holds<Value: Comparable>(_ left: Value, _ right: Value) -> Bool {
        switch self {
        case .equal: left == right
        case .notEqual: left != right
        case .less: left < right
        case .lessOrEqual: left <= right
        case .greater: left > right
        case .greaterOrEqual: left >= right
        }
    }
}

/// Compares numbers, booleans and links with a constant.
final class IntegerTest: RowTest {
    private let reader: PropertyReader
    private let comparison: Predicate.Comparison
    private let constant: Int64

    init(_ reader: PropertyReader, _ comparison: Predicate.Comparison, _ constant: Int64) {
        self.reader = reader
        self.comparison = comparison
        self.constant = constant
    }

    override func matches(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64
    ) throws -> Bool {
        try reader.any(row, binding, key) { value in
            guard case .word(let word) = value else { return comparison == .notEqual }
            return comparison.holds(word, constant)
        }
    }
}

/// Compares floating-point numbers and dates with a constant.
final class RealTest: RowTest {
    private let reader: PropertyReader
    private let comparison: Predicate.Comparison
    private let constant: Double

    init(_ reader: PropertyReader, _ comparison: Predicate.Comparison, _ word: Int64) {
        self.reader = reader
        self.comparison = comparison
        constant = reader.number(word)
    }

    override func matches(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64
    ) throws -> Bool {
        try reader.any(row, binding, key) { value in
            guard case .word(let word) = value else { return comparison == .notEqual }
            return comparison.holds(reader.number(word), constant)
        }
    }
}

/// Compares strings, data and identifiers with a constant, byte by byte.
final class BytesTest: RowTest {
    private let reader: PropertyReader
    private let comparison: Predicate.Comparison
    private let constant: [UInt8]

    init(_ reader: PropertyReader, _ comparison: Predicate.Comparison, _ constant: [UInt8]) {
        self.reader = reader
        self.comparison = comparison
        self.constant = constant
    }

    override func matches(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64
    ) throws -> Bool {
        try reader.any(row, binding, key) { value in
            guard case .bytes(let bytes) = value else { return comparison == .notEqual }
            return constant.withUnsafeBytes { constant in
                switch comparison {
                case .equal: bytes.isSame(as: constant)
                case .notEqual: !bytes.isSame(as: constant)
                default: comparison.holds(bytes.order(to: constant), 0)
                }
            }
        }
    }
}

/// Compares decimals and values of any type with a constant: by value, whatever their digits.
final class ValueTest: RowTest {
    private let reader: PropertyReader
    private let comparison: Predicate.Comparison
    private let constant: [UInt8]

    init(_ reader: PropertyReader, _ comparison: Predicate.Comparison, _ constant: [UInt8]) {
        self.reader = reader
        self.comparison = comparison
        self.constant = constant
    }

    override func matches(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64
    ) throws -> Bool {
        try reader.any(row, binding, key) { value in
            guard case .bytes(let bytes) = value else {
                // No bytes are the stored form of a value of any type that is none.
                return constant.isEmpty ? comparison.holdsForNil : comparison == .notEqual
            }
            return constant.withUnsafeBytes {
                comparison.holds(bytes.order(to: $0, type: reader.type.type), 0)
            }
        }
    }
}

/// Compares with nil.
final class NullTest: RowTest {
    private let reader: PropertyReader
    private let comparison: Predicate.Comparison

    init(_ reader: PropertyReader, _ comparison: Predicate.Comparison) {
        self.reader = reader
        self.comparison = comparison
    }

    override func matches(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64
    ) throws -> Bool {
        try reader.any(row, binding, key) { value in
            if case .null = value { comparison.holdsForNil } else { comparison == .notEqual }
        }
    }
}

/// Looks a value up among constants.
final class MembershipTest: RowTest {
    private let reader: PropertyReader
    private var words: Set<Int64> = []
    private var pieces: Set<[UInt8]> = []
    private var numbers: Set<Double> = []
    private var hasNull = false

    init(_ reader: PropertyReader, _ constants: [QueryConstant]) {
        self.reader = reader
        for constant in constants {
            switch constant {
            case .null: hasNull = true
            case .word(let word):
                if reader.isReal { numbers.insert(reader.number(word)) } else { words.insert(word) }
            case .bytes(let bytes): pieces.insert(Self.normal(bytes, reader))
            case .link(let type, let key) where reader.isVarying:
                pieces.insert(MixedCode.encode(objectOfType: type, key: key))
            case .link(_, let key): words.insert(Int64(bitPattern: key))
            case .unmanaged, .collection: break
            }
        }
    }

    /// Bytes that are the same for equal values.
    private static func normal(_ bytes: [UInt8], _ reader: PropertyReader) -> [UInt8] {
        if reader.type.type == .any {
            return bytes.withUnsafeBytes { MixedCode.normal($0) } ?? bytes
        }
        guard reader.type.type == .decimal128, bytes.count == 16 else { return bytes }
        let key = bytes.withUnsafeBytes { Decimal128(stored: $0).orderingKey }
        return withUnsafeBytes(of: key, Array.init)
    }

    override func matches(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64
    ) throws -> Bool {
        try reader.any(row, binding, key) { value in
            switch value {
            case .null: hasNull
            case .word(let word):
                reader.isReal ? numbers.contains(reader.number(word)) : words.contains(word)
            case .bytes(let bytes): pieces.contains(Self.normal(Array(bytes), reader))
            }
        }
    }
}

/// Compares two properties of an object.
final class PropertyComparisonTest: RowTest {
    private let left: PropertyReader
    private let comparison: Predicate.Comparison
    private let right: PropertyReader

    init(_ left: PropertyReader, _ comparison: Predicate.Comparison, _ right: PropertyReader) {
        self.left = left
        self.comparison = comparison
        self.right = right
    }

    override func matches(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64
    ) throws -> Bool {
        try left.any(row, binding, key) { first in
            try right.any(row, binding, key) { second in
                switch (first, second) {
                case (.null, .null):
                    return comparison.holdsForNil
                case (.word(let first), .word(let second)):
                    return left.isReal
                        ? comparison.holds(left.number(first), right.number(second))
                        : comparison.holds(first, second)
                case (.bytes(let first), .bytes(let second)):
                    return comparison.holds(first.order(to: second, type: left.type.type), 0)
                default: return comparison == .notEqual
                }
            }
        }
    }
}

/// Compares the number of elements of a collection.
final class CountTest: RowTest {
    private let reader: PropertyReader
    private let comparison: Predicate.Comparison
    private let count: Int

    init(_ reader: PropertyReader, _ comparison: Predicate.Comparison, _ count: Int) {
        self.reader = reader
        self.comparison = comparison
        self.count = count
    }

    override func matches(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64
    ) throws -> Bool {
        try reader.any(row, binding, key) {
            comparison.holds(PropertyReader.elementCount($0), count)
        }
    }
}
