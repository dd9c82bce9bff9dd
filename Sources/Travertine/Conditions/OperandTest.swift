import TravertineStore

/// Compares any two operands: what the tests of one property with a constant leave.
final class OperandTest: RowTest {
    private let left: OperandReader
    private let right: OperandReader
    private let operation: Comparison.Operation
    private let options: StringOptions
    private let quantifier: Comparison.Quantifier
    private let countsBools: Bool

    /// - Parameter countsBools: whether bools are numbers, as where a number is declared.
    init(
        _ left: OperandReader, _ operation: Comparison.Operation, _ right: OperandReader,
        _ options: StringOptions, _ quantifier: Comparison.Quantifier, countsBools: Bool
    ) {
        self.left = left
        self.right = right
        self.operation = operation
        self.options = options
        self.quantifier = quantifier
        self.countsBools = countsBools
    }

    /// A number of elements that is compared with a constant, if the test is that.
    var comparedCount: (PropertyReader, Comparison.Operation, Int64)? {
        guard quantifier == .any, options.isEmpty, !operation.isOfTexts, operation != .isBetween,
            operation != .isIn
        else { return nil }
        if let counted = (left as? AggregateOperand)?.counted,
            case .int(let number)? = (right as? ConstantOperand)?.only
        {
            return (counted, operation, number)
        }
        if let counted = (right as? AggregateOperand)?.counted,
            case .int(let number)? = (left as? ConstantOperand)?.only
        {
            return (counted, operation.exchanged, number)
        }
        return nil
    }

    override func matches(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64
    ) throws -> Bool {
        let isAll = quantifier == .all
        let isFound = try left.any(row, binding, key) { value in
            try holds(value, row, binding, key) != isAll
        }
        return quantifier == .any ? isFound : !isFound
    }

    private func holds(
        _ value: QueryValue, _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding,
        _ key: UInt64
    ) throws -> Bool {
        if operation == .isBetween {
            guard !value.isNull, let bounds = right as? ConstantOperand else { return false }
            return bounds.areBounds(of: value, countsBools)
        }
        return try right.any(row, binding, key) { other in compares(value, other) }
    }

    private func compares(_ value: QueryValue, _ other: QueryValue) -> Bool {
        if !operation.isOfTexts, options.isEmpty {
            return value.compares(
                operation == .isIn ? .equal : operation, to: other, countsBools: countsBools)
        }
        guard let text = value.text, let wanted = other.text, text.isString == wanted.isString
        else {
            if operation.isOfTexts { return false }
            // Of what is no text only nil is equal to anything, to nil.
            let isEqual = value.isNull && other.isNull
            return operation == .notEqual ? !isEqual : isEqual
        }
        let options = text.isString ? options : []
        return TextFolding.withFolded(text.bytes, options) { text in
            TextFolding.withFolded(wanted.bytes, options) {
                operation.holds(text: text, $0)
            }
        }
    }
}
