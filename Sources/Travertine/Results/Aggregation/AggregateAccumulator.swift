import TravertineStore

/// Sum, mean, least and greatest of values, in one pass over them; nil values are skipped.
///
/// Public because `MinMaxType` and `AddableType` have it in their requirements; its members are
/// not.
public struct _AggregateAccumulator {
    var count = 0
    /// The sum of integers, which can be beyond each of them.
    var integers: Int128 = 0
    /// The sum of floating-point numbers.
    var numbers = DoubleSum()
    var decimals = Decimal128()
    private var isDecimal = false
    private var least = Bound()
    private var greatest = Bound()
    /// The least and the greatest of values of any type.
    var mixed: (least: AnyRealmValue, greatest: AnyRealmValue)?

    /// The least or the greatest value so far: no references, so that a pass counts none.
    private struct Bound {
        var order: UInt128 = 0
        var word: Int64 = 0
        var decimal = Decimal128()

        func value<Value: _Scalar>(_ type: Value.Type) -> Value? {
            if Value._propertyType == .decimal128 {
                return decimal._withRaw { Value._from($0) }
            }
            return Value._from(.word(word))
        }
    }

    init() {}

    init<Value: _HasPersistedType>(_ values: some Sequence<Value>)
    where Value.PersistedType: MinMaxType {
        for value in values { value._persisted._accumulate(into: &self) }
    }

    init<Value: _HasPersistedType>(_ values: some Sequence<Value?>)
    where Value.PersistedType: MinMaxType {
        self.init(values.lazy.compactMap { $0 })
    }

    /// Adds the stored form of a number or date.
    @inline(__always)
    mutating func add(_ raw: _RawValue, _ type: PropertyType) {
        switch raw {
        case .null: return
        case .word(let word):
            switch type {
            case .double: numbers.add(Double(bitPattern: UInt64(bitPattern: word)))
            case .float:
                numbers.add(Double(Float(bitPattern: UInt32(truncatingIfNeeded: word))))
            case .date: break
            default:
                integers &+= Int128(word)
            }
            let order = IndexKey.ordered(word, type: type)
            // The sign of a zero is not kept: it has no place in the order.
            let isZero = type != .int && order == 1 << 63
            compare(Bound(order: UInt128(order), word: isZero ? 0 : word))
        case .bytes(let bytes):
            guard type == .decimal128, bytes.count == 16 else { return }
            let number = Decimal128(stored: bytes)
            isDecimal = true
            decimals += number
            compare(Bound(order: number.orderingKey, decimal: number))
        }
        count += 1
    }

    /// Adds all values of a property.
    mutating func add(_ summary: PropertySummary) {
        let all = summary.summary
        if all.count == 0 { return }
        switch summary.type {
        case .double, .float: numbers.add(all.sum)
        case .date: break
        default: integers += all.sum.integer
        }
        compare(Bound(order: UInt128(all.least), word: summary.word(ofOrder: all.least)))
        if count == 0 { greatest = least }
        let last = Bound(order: UInt128(all.greatest), word: summary.word(ofOrder: all.greatest))
        if last.order > greatest.order { greatest = last }
        count += all.count
    }

    @inline(__always)
    private mutating func compare(_ value: Bound) {
        if count == 0 || value.order < least.order { least = value }
        if count == 0 || value.order > greatest.order { greatest = value }
    }

    /// The least or the greatest number or date; nil if there is none, or none that the type has.
    func bound<Value: _Scalar>(isGreatest: Bool) -> Value? {
        count == 0 ? nil : (isGreatest ? greatest : least).value(Value.self)
    }

    func least<Value: _HasPersistedType>(_ type: Value.Type = Value.self) -> Value?
    where Value.PersistedType: MinMaxType { bound(isGreatest: false) }

    func greatest<Value: _HasPersistedType>(_ type: Value.Type = Value.self) -> Value?
    where Value.PersistedType: MinMaxType { bound(isGreatest: true) }

    private func bound<Value: _HasPersistedType>(isGreatest: Bool) -> Value?
    where Value.PersistedType: MinMaxType {
        Value.PersistedType._bound(self, isGreatest: isGreatest)
            .flatMap { Value._value(ofPersisted: $0) }
    }

    /// The sum as a floating-point number.
    var real: Double {
        isDecimal ? decimals.doubleValue : numbers.rounded + Double(integers)
    }

    /// The same with less precision, rounded once.
    var shortReal: Float {
        isDecimal || integers != 0 ? Float(real) : numbers.roundedToFloat
    }

    /// The mean as a floating-point number; there is a value at least.
    var realMean: Double {
        isDecimal || integers != 0 ? real / Double(count) : numbers.mean(of: count)
    }

    func sum<Value: _HasPersistedType>(_ type: Value.Type = Value.self) -> Value
    where Value.PersistedType: AddableType {
        let sum = Value.PersistedType._sum(self)
        guard let value = Value._value(ofPersisted: sum) else {
            misuse(
                "\(Value.self) has no value for the sum \(sum): add up as "
                    + "\(Value.PersistedType.self).")
        }
        return value
    }

    func mean<Value: _HasPersistedType>(_ type: Value.Type = Value.self) -> Value?
    where Value.PersistedType: AddableType {
        count == 0 ? nil : Value._value(ofPersisted: Value.PersistedType._mean(self))
    }
}
