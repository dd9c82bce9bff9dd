import TravertineStore

/// Gives the values of one side of a comparison, for the general evaluation.
class OperandReader {
    /// Whether `body` is true for a value of a row.
    func any(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64,
        _ body: (QueryValue) throws -> Bool
    ) throws -> Bool { false }
}

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

/// A constant that owns its bytes.
struct OwnedValue {
    private let value: QueryValue
    private let text: [UInt8]?
    private let make: (UnsafeRawBufferPointer) -> QueryValue

    /// The value, if it needs no bytes; else nil.
    var plain: QueryValue? { text == nil ? value : nil }

    init(_ value: QueryValue) {
        self.value = value
        text = nil
        make = { _ in .null }
    }

    init(_ bytes: [UInt8], _ make: @escaping (UnsafeRawBufferPointer) -> QueryValue) {
        value = .null
        text = bytes
        self.make = make
    }

    /// The value as conditions of a session compare it; `foreign` for an object that no realm of
    /// the store has.
    init(_ constant: AnyRealmValue, _ session: RealmSession) {
        guard case .object(let object) = constant else {
            self.init(plain: constant)
            return
        }
        self.init(
            session.identity(of: object).map { .object(type: $0.type, key: $0.key) } ?? .foreign)
    }

    /// A value that is no object.
    init(plain constant: AnyRealmValue) {
        switch constant {
        case .none: self.init(.null)
        case .bool(let value): self.init(.bool(value))
        case .int(let value): self.init(.int(Int64(value)))
        case .float(let value): self.init(.double(Double(value)))
        case .double(let value): self.init(.double(value))
        case .decimal128(let value): self.init(.decimal(value))
        case .string(let value): self.init(Array(value.utf8)) { .string($0) }
        case .data(let value): self.init(Array(value)) { .data($0) }
        case .date(let value): self.init(value._withRaw { QueryValue($0, .date) })
        case .objectId(let value):
            self.init(value._withRaw { RawConstant($0).bytes }) { .identifier($0) }
        case .uuid(let value):
            self.init(value._withRaw { RawConstant($0).bytes }) { .identifier($0) }
        case .object: self.init(.foreign)
        case .list, .dictionary: self.init(.collection(constant))
        }
    }

    func withValue<Result>(_ body: (QueryValue) throws -> Result) rethrows -> Result {
        guard let text else { return try body(value) }
        return try text.withUnsafeBytes { try body(make($0)) }
    }
}

extension RawConstant {
    fileprivate var bytes: [UInt8] {
        if case .bytes(let bytes) = self { bytes } else { [] }
    }
}

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
