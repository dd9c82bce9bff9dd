/// A condition that compares values of a property. Subclasses have what they are compared with.
///
/// They are classes for each kind of stored form, and not one generic class: its methods would be
/// called unspecialised for each row.
class ComparisonTest: RowTest {
    final let reader: PropertyReader
    final let comparison: FormerPredicate.Comparison

    init(_ reader: PropertyReader, _ comparison: FormerPredicate.Comparison) {
        self.reader = reader
        self.comparison = comparison
    }
}

extension FormerPredicate.Comparison {
    /// Whether nil compares so with nil: it is equal to itself, and so at least and at most itself.
    /// With a value it is only not equal.
    var holdsForNil: Bool {
        switch self {
        case .equal, .lessOrEqual, .greaterOrEqual: true
        case .notEqual, .less, .greater: false
        }
    }

    /// Whether two values compare so.
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
final class IntegerTest: ComparisonTest {
    private let constant: Int64

    init(_ reader: PropertyReader, _ comparison: FormerPredicate.Comparison, _ constant: Int64) {
        self.constant = constant
        super.init(reader, comparison)
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
final class RealTest: ComparisonTest {
    private let constant: Double

    init(_ reader: PropertyReader, _ comparison: FormerPredicate.Comparison, _ word: Int64) {
        constant = reader.number(word)
        super.init(reader, comparison)
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
final class BytesTest: ComparisonTest {
    private let constant: [UInt8]

    init(_ reader: PropertyReader, _ comparison: FormerPredicate.Comparison, _ constant: [UInt8]) {
        self.constant = constant
        super.init(reader, comparison)
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
final class ValueTest: ComparisonTest {
    private let constant: [UInt8]

    init(_ reader: PropertyReader, _ comparison: FormerPredicate.Comparison, _ constant: [UInt8]) {
        self.constant = constant
        super.init(reader, comparison)
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
final class NullTest: ComparisonTest {
    override func matches(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64
    ) throws -> Bool {
        try reader.any(row, binding, key) { value in
            if case .null = value { comparison.holdsForNil } else { comparison == .notEqual }
        }
    }
}

/// Compares two properties of an object.
final class PropertyComparisonTest: ComparisonTest {
    private let other: PropertyReader

    init(_ reader: PropertyReader, _ comparison: FormerPredicate.Comparison, _ other: PropertyReader) {
        self.other = other
        super.init(reader, comparison)
    }

    override func matches(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64
    ) throws -> Bool {
        try reader.any(row, binding, key) { first in
            try other.any(row, binding, key) { second in
                switch (first, second) {
                case (.null, .null):
                    return comparison.holdsForNil
                case (.word(let first), .word(let second)):
                    return reader.isReal
                        ? comparison.holds(reader.number(first), other.number(second))
                        : comparison.holds(first, second)
                case (.bytes(let first), .bytes(let second)):
                    return comparison.holds(first.order(to: second, type: reader.type.type), 0)
                default: return comparison == .notEqual
                }
            }
        }
    }
}

/// Compares the number of elements of a collection.
final class CountTest: ComparisonTest {
    private let count: Int

    init(_ reader: PropertyReader, _ comparison: FormerPredicate.Comparison, _ count: Int) {
        self.count = count
        super.init(reader, comparison)
    }

    override func matches(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64
    ) throws -> Bool {
        try reader.any(row, binding, key) {
            comparison.holds(PropertyReader.elementCount($0), count)
        }
    }
}
