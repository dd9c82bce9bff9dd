/// The result of arithmetic (Q14).
final class ArithmeticOperand: OperandReader {
    private let operation: ArithmeticOperation
    private let left: OperandReader
    private let right: OperandReader

    init(_ operation: ArithmeticOperation, _ left: OperandReader, _ right: OperandReader) {
        self.operation = operation
        self.left = left
        self.right = right
    }

    override func any(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64,
        _ body: (QueryValue) throws -> Bool
    ) throws -> Bool {
        try left.any(row, binding, key) { first in
            try right.any(row, binding, key) { second in
                try body(operation.result(first, second))
            }
        }
    }
}

extension ArithmeticOperation {
    fileprivate func result(_ left: QueryValue, _ right: QueryValue) -> QueryValue {
        switch (left, right) {
        case (.int(let left), .int(let right)): return integer(left, right)
        case (.decimal(let left), .decimal(let right)): return .decimal(number(left, right))
        case (.decimal(let left), .int(let right)):
            return .decimal(number(left, Decimal128(right)))
        case (.int(let left), .decimal(let right)):
            return .decimal(number(Decimal128(left), right))
        case (.decimal(let left), .double(let right)):
            return .decimal(number(left, Decimal128(right)))
        case (.double(let left), .decimal(let right)):
            return .decimal(number(Decimal128(left), right))
        case (.double(let left), .double(let right)): return .double(number(left, right))
        case (.int(let left), .double(let right)): return .double(number(Double(left), right))
        case (.double(let left), .int(let right)): return .double(number(left, Double(right)))
        default: return .null
        }
    }

    private func integer(_ left: Int64, _ right: Int64) -> QueryValue {
        let (value, overflows) =
            switch self {
            case .add: left.addingReportingOverflow(right)
            case .subtract: left.subtractingReportingOverflow(right)
            case .multiply: left.multipliedReportingOverflow(by: right)
            case .divide: left.dividedReportingOverflow(by: right)
            }
        if !overflows { return .int(value) }
        if self == .divide, right == 0 { return .null }
        return .double(number(Double(left), Double(right)))
    }

    private func number(_ left: Double, _ right: Double) -> Double {
        switch self {
        case .add: left + right
        case .subtract: left - right
        case .multiply: left * right
        case .divide: left / right
        }
    }

    private func number(_ left: Decimal128, _ right: Decimal128) -> Decimal128 {
        switch self {
        case .add: left + right
        case .subtract: left - right
        case .multiply: left * right
        case .divide: left / right
        }
    }
}
