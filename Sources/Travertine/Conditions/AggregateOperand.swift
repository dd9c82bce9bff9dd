import TravertineStore

/// One value made of all values at the end of a path (Q12).
final class AggregateOperand: OperandReader {
    private let aggregate: Aggregate
    private let reader: PropertyReader
    /// Whether dates are among the values that are compared.
    private let isOfDates: Bool

    /// - Parameter reader: for `count` one that counts elements.
    init(_ aggregate: Aggregate, _ reader: PropertyReader) {
        self.aggregate = aggregate
        self.reader = reader
        isOfDates = reader.type.type == .date
    }

    /// The reader of what is counted; nil for another aggregate.
    var counted: PropertyReader? { aggregate == .count ? reader : nil }

    override func any(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64,
        _ body: (QueryValue) throws -> Bool
    ) throws -> Bool {
        if aggregate == .count {
            return try body(.int(try elementCount(row, binding, key)))
        }
        var total = QueryAggregate()
        _ = try reader.any(row, binding, key) {
            let value = QueryValue($0, reader.type.type)
            switch value {
            case .int, .double, .decimal: total.add(value)
            case .date where isOfDates: total.add(value)
            default: break
            }
            return false
        }
        return try body(total.result(aggregate))
    }

    private func elementCount(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, _ key: UInt64
    ) throws -> Int64 {
        var count: Int64 = 0
        _ = try reader.any(row, binding, key) {
            if case .word(let part) = $0 { count += part }
            return false
        }
        return count
    }
}

/// A count or sum in the making. Integers are added up exactly, in 128 bits.
struct QueryAggregate {
    private var count = 0
    private var integers: Int128 = 0
    private var doubles = DoubleSum()
    private var decimals = Decimal128()
    private var hasDouble = false
    private var hasDecimal = false
    private var least: QueryValue?
    private var greatest: QueryValue?

    /// Adds a number or a date.
    mutating func add(_ value: QueryValue) {
        count += 1
        switch value {
        case .int(let number): integers += Int128(number)
        case .double(let number):
            doubles.add(number)
            hasDouble = true
        case .decimal(let number):
            decimals += number
            hasDecimal = true
        default: break
        }
        // NaN is neither least nor greatest.
        if value.isNaN { return }
        if least.map({ (value.order(to: $0) ?? 0) < 0 }) ?? true { least = value }
        if greatest.map({ (value.order(to: $0) ?? 0) > 0 }) ?? true { greatest = value }
    }

    func result(_ aggregate: Aggregate) -> QueryValue {
        switch aggregate {
        case .count: .int(Int64(count))
        case .least: least ?? .null
        case .greatest: greatest ?? .null
        case .sum: sum
        case .mean: count == 0 ? .null : mean
        }
    }

    private var sum: QueryValue {
        if hasDecimal { return .decimal(decimalSum) }
        if hasDouble { return .double(doubles.rounded + Double(integers)) }
        return Int64(exactly: integers).map { .int($0) } ?? .double(Double(integers))
    }

    private var decimalSum: Decimal128 {
        let integers = Decimal128(integers)
        return decimals + integers + (hasDouble ? Decimal128(doubles.rounded) : Decimal128())
    }

    private var mean: QueryValue {
        hasDecimal
            ? .decimal(decimalSum / Decimal128(count))
            : .double(
                hasDouble && integers == 0
                    ? doubles.mean(of: count)
                    : (doubles.rounded + Double(integers)) / Double(count))
    }
}

extension QueryValue {
    fileprivate var isNaN: Bool {
        switch self {
        case .double(let number), .date(let number): number.isNaN
        case .decimal(let number): number.isNaN
        default: false
        }
    }
}
