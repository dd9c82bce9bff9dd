/// A condition that compares values of a property. Subclasses have what they are compared with.
///
/// They are classes for each kind of stored form, and not one generic class: its methods would be
/// called unspecialised for each row.
class ComparisonTest: RowTest {
    final let reader: PropertyReader
    final let comparison: Comparison.Operation

    init(_ reader: PropertyReader, _ comparison: Comparison.Operation) {
        self.reader = reader
        self.comparison = comparison
    }

    /// Whether a comparison holds for one of the values; one without number only differs.
    @inline(__always)
    final func anyWord(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64,
        _ holds: (Int64) -> Bool
    ) throws -> Bool {
        try reader.any(row, binding, key) { value in
            guard case .word(let word) = value else { return comparison == .notEqual }
            return holds(word)
        }
    }

    /// As `anyWord`, for values that are bytes.
    @inline(__always)
    final func anyBytes(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64,
        _ holds: (UnsafeRawBufferPointer) -> Bool
    ) throws -> Bool {
        try reader.any(row, binding, key) { value in
            guard case .bytes(let bytes) = value else { return comparison == .notEqual }
            return holds(bytes)
        }
    }
}

/// A comparison with the stored form of a constant.
class BytesComparisonTest: ComparisonTest {
    final let constant: [UInt8]

    init(_ reader: PropertyReader, _ comparison: Comparison.Operation, _ constant: [UInt8]) {
        self.constant = constant
        super.init(reader, comparison)
    }
}

/// Compares numbers, booleans and links with a constant.
final class IntegerTest: ComparisonTest {
    private let constant: Int64

    init(_ reader: PropertyReader, _ comparison: Comparison.Operation, _ constant: Int64) {
        self.constant = constant
        super.init(reader, comparison)
    }

    override func matches(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64
    ) throws -> Bool {
        try anyWord(row, binding, key) { comparison.holds($0, constant) }
    }
}

/// Compares floating-point numbers and dates with a constant.
final class RealTest: ComparisonTest {
    private let constant: Double

    init(_ reader: PropertyReader, _ comparison: Comparison.Operation, _ word: Int64) {
        constant = reader.number(word)
        super.init(reader, comparison)
    }

    override func matches(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64
    ) throws -> Bool {
        try anyWord(row, binding, key) { comparison.holds(reader.number($0), constant) }
    }
}

/// Compares strings, data and identifiers with a constant, byte by byte.
final class BytesTest: BytesComparisonTest {
    override func matches(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64
    ) throws -> Bool {
        try anyBytes(row, binding, key) { bytes in
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
final class ValueTest: BytesComparisonTest {
    override func matches(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64
    ) throws -> Bool {
        try anyBytes(row, binding, key) { bytes in
            // NaN has a place in sorting, but compares with nothing (Q4).
            if reader.type.type == .decimal128, bytes.count == 16,
                Decimal128(stored: bytes).isNaN
            {
                return comparison == .notEqual
            }
            return constant.withUnsafeBytes {
                comparison.holds(bytes.order(to: $0, type: reader.type.type), 0)
            }
        }
    }
}

/// Looks for values of any type that are equal to one, or not: a number has several stored forms
/// (Q6).
final class MixedValueTest: ComparisonTest {
    private let forms: [[UInt8]]

    init(_ reader: PropertyReader, _ operation: Comparison.Operation, _ constant: [UInt8]) {
        forms = MixedCode.equalForms(constant, reader.session)
        super.init(reader, operation)
    }

    override func matches(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64
    ) throws -> Bool {
        try anyBytes(row, binding, key) { bytes in
            let isEqual = MixedCode.withNormal(bytes) { bytes in
                forms.contains { form in form.withUnsafeBytes { bytes.isSame(as: $0) } }
            }
            return isEqual == (comparison == .equal)
        }
    }
}

/// Compares with nil; a value of any type that is none has no bytes.
final class NullTest: ComparisonTest {
    override func matches(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64
    ) throws -> Bool {
        try reader.any(row, binding, key) { value in
            switch value {
            case .null: return comparison.holdsForNil
            case .bytes(let bytes) where reader.type.type == .any && bytes.isEmpty:
                return comparison.holdsForNil
            case .word, .bytes: return comparison == .notEqual
            }
        }
    }
}

/// Looks for values that are at least one constant and at most another.
final class RangeTest: RowTest {
    private let reader: PropertyReader
    private let lower: RowTestBound
    private let upper: RowTestBound

    init(_ reader: PropertyReader, _ lower: RawConstant, _ upper: RawConstant) {
        self.reader = reader
        self.lower = RowTestBound(lower, reader)
        self.upper = RowTestBound(upper, reader)
    }

    override func matches(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64
    ) throws -> Bool {
        try reader.any(row, binding, key) {
            lower.isHeld(by: $0, .greaterOrEqual) && upper.isHeld(by: $0, .lessOrEqual)
        }
    }
}

/// One end of a range.
private enum RowTestBound {
    case integer(Int64)
    case real(Double, PropertyReader)
    case bytes([UInt8], PropertyType)

    init(_ constant: RawConstant, _ reader: PropertyReader) {
        switch constant {
        case .null: self = .bytes([], .string)
        case .word(let word):
            self = reader.isReal ? .real(reader.number(word), reader) : .integer(word)
        case .bytes(let bytes): self = .bytes(bytes, reader.type.type)
        }
    }

    @inline(__always)
    func isHeld(by value: _RawValue, _ operation: Comparison.Operation) -> Bool {
        switch (self, value) {
        case (.integer(let bound), .word(let word)): operation.holds(word, bound)
        case (.real(let bound, let reader), .word(let word)):
            operation.holds(reader.number(word), bound)
        case (.bytes(_, .decimal128), .bytes(let bytes))
        where bytes.count == 16 && Decimal128(stored: bytes).isNaN:
            false
        case (.bytes(let bound, let type), .bytes(let bytes)):
            bound.withUnsafeBytes { operation.holds(bytes.order(to: $0, type: type), 0) }
        default: false
        }
    }
}
