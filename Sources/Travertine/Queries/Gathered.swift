/// What one pass over values gathers for a sum, a mean, or the least and greatest of them; nil
/// values are passed over.
public struct _Gathered {
    var count = 0
    var integers: Int64 = 0
    var numbers = 0.0
    var decimals = Decimal128()
    private var isDecimal = false
    private var least = Bound()
    private var greatest = Bound()

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

    init<Value: _Scalar>(_ values: some Sequence<Value>) {
        for value in values { value._withRaw { add($0, Value._propertyType) } }
    }

    init<Value: _Scalar>(_ values: some Sequence<Value?>) {
        self.init(values.lazy.compactMap { $0 })
    }

    /// Takes the stored form of a number or date in.
    @inline(__always)
    mutating func add(_ raw: _RawValue, _ type: PropertyType) {
        switch raw {
        case .null: return
        case .word(let word):
            switch type {
            case .double, .date: numbers += Double(bitPattern: UInt64(bitPattern: word))
            case .float:
                numbers += Double(Float(bitPattern: UInt32(truncatingIfNeeded: word)))
            default:
                integers &+= word
                numbers += Double(word)
            }
            let order = UInt128(IndexKey.ordered(word, type: type))
            compare(Bound(order: order, word: word))
        case .bytes(let bytes):
            guard type == .decimal128, bytes.count == 16 else { return }
            let number = Decimal128(stored: bytes)
            isDecimal = true
            decimals += number
            compare(Bound(order: number.orderingKey, decimal: number))
        }
        count += 1
    }

    @inline(__always)
    private mutating func compare(_ value: Bound) {
        if count == 0 || value.order < least.order { least = value }
        if count == 0 || value.order > greatest.order { greatest = value }
    }

    func least<Value: _Scalar>(_ type: Value.Type = Value.self) -> Value? {
        count == 0 ? nil : least.value(type)
    }

    func greatest<Value: _Scalar>(_ type: Value.Type = Value.self) -> Value? {
        count == 0 ? nil : greatest.value(type)
    }

    /// The sum as a floating-point number.
    var real: Double { isDecimal ? decimals.doubleValue : numbers }

    func sum<Value: AddableType>(_ type: Value.Type = Value.self) -> Value { Value._sum(self) }

    func mean<Value: AddableType>(_ type: Value.Type = Value.self) -> Value? {
        count == 0 ? nil : Value._mean(self)
    }
}
