/// Sums, means and bounds of values of any type.
///
/// Sums and means are those of the numbers, as decimal numbers. The least and the greatest are
/// those of all values that have an order: booleans, then numbers of all types by their values,
/// strings and data by their bytes, dates, `ObjectId`s and `UUID`s.
extension AnyRealmValue: AddableType {
    /// Any type.
    public static var _accumulatedType: PropertyType { .any }

    /// Adds the value, if it is a number or has an order.
    public func _accumulate(into accumulator: inout _AggregateAccumulator) {
        number?._withRaw { accumulator.add($0, .decimal128) }
        guard rank != nil else { return }
        guard let bounds = accumulator.mixed else {
            accumulator.mixed = (self, self)
            return
        }
        if isBefore(bounds.least) { accumulator.mixed?.least = self }
        if bounds.greatest.isBefore(self) { accumulator.mixed?.greatest = self }
    }

    /// The least or the greatest of the values that have an order.
    public static func _bound(_ accumulator: _AggregateAccumulator, isGreatest: Bool)
        -> AnyRealmValue?
    {
        isGreatest ? accumulator.mixed?.greatest : accumulator.mixed?.least
    }

    /// The value of any type with another one.
    public static func _accumulable(_ value: Any) -> AnyRealmValue? { AnyRealmValue(any: value) }

    /// The sum of the numbers, a decimal number; the integer 0 where there is none.
    public static func _sum(_ accumulator: _AggregateAccumulator) -> AnyRealmValue {
        accumulator.count == 0 ? .int(0) : .decimal128(accumulator.decimals)
    }

    /// The mean of the numbers, a decimal number.
    public static func _mean(_ accumulator: _AggregateAccumulator) -> AnyRealmValue {
        .decimal128(accumulator.decimals / Decimal128(accumulator.count))
    }

    private var number: Decimal128? {
        switch self {
        case .int(let value): Decimal128(value)
        case .float(let value): Decimal128(value)
        case .double(let value): Decimal128(value)
        case .decimal128(let value): value
        default: nil
        }
    }

    /// The place of the value's type among those that have an order.
    private var rank: Int? {
        switch self {
        case .bool: 0
        case .int, .float, .double, .decimal128: 1
        case .string: 2
        case .data: 3
        case .date: 4
        case .objectId: 5
        case .uuid: 6
        case .none, .object, .dictionary, .list: nil
        }
    }

    /// Whether the value is before another; both have a rank.
    private func isBefore(_ other: AnyRealmValue) -> Bool {
        switch (self, other) {
        case (.bool(let left), .bool(let right)): return !left && right
        case (.string(let left), .string(let right)):
            return left.utf8.lexicographicallyPrecedes(right.utf8)
        case (.data(let left), .data(let right)): return left.lexicographicallyPrecedes(right)
        case (.date(let left), .date(let right)): return left < right
        case (.objectId(let left), .objectId(let right)): return left < right
        case (.uuid(let left), .uuid(let right)):
            return withUnsafeBytes(of: left.uuid) { first in
                withUnsafeBytes(of: right.uuid) { first.lexicographicallyPrecedes($0) }
            }
        default:
            if let left = number, let right = other.number {
                return left.orderingKey < right.orderingKey
            }
            return (rank ?? 0) < (other.rank ?? 0)
        }
    }
}
