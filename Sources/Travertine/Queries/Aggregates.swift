#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A type with a least and a greatest value among objects: numbers and dates.
public protocol MinMaxType: _Scalar {}

/// A type whose values can be added: numbers.
public protocol AddableType: _Scalar {
    /// The value nearest to the sum of what was gathered.
    static func _sum(_ gathered: _Gathered) -> Self
    /// The value nearest to the mean of what was gathered, of which there is something.
    static func _mean(_ gathered: _Gathered) -> Self
}

extension Int: MinMaxType, AddableType {}
extension Int8: MinMaxType, AddableType {}
extension Int16: MinMaxType, AddableType {}
extension Int32: MinMaxType, AddableType {}
extension Int64: MinMaxType, AddableType {}
extension Date: MinMaxType {}

extension AddableType where Self: FixedWidthInteger {
    /// The sum, its low bits where it does not fit.
    public static func _sum(_ gathered: _Gathered) -> Self {
        Self(truncatingIfNeeded: gathered.integers)
    }

    /// The mean, rounded towards zero.
    public static func _mean(_ gathered: _Gathered) -> Self {
        let mean = gathered.numbers / Double(gathered.count)
        return Self(truncatingIfNeeded: Int64(exactly: mean.rounded(.towardZero)) ?? 0)
    }
}

extension Float: MinMaxType, AddableType {
    /// The nearest number.
    public static func _sum(_ gathered: _Gathered) -> Float { Float(gathered.real) }

    /// The nearest number.
    public static func _mean(_ gathered: _Gathered) -> Float { Float(Double._mean(gathered)) }
}

extension Double: MinMaxType, AddableType {
    /// The sum.
    public static func _sum(_ gathered: _Gathered) -> Double { gathered.real }

    /// The mean.
    public static func _mean(_ gathered: _Gathered) -> Double {
        gathered.real / Double(gathered.count)
    }
}

extension Decimal128: MinMaxType, AddableType {
    /// The sum, rounded to 34 digits after each number.
    public static func _sum(_ gathered: _Gathered) -> Decimal128 { gathered.decimals }

    /// The mean, rounded to 34 digits.
    public static func _mean(_ gathered: _Gathered) -> Decimal128 {
        gathered.decimals / Decimal128(gathered.count)
    }
}

extension Results {
    /// What a least or greatest value is taken from.
    func gatherBounds<Value: MinMaxType>(_ name: String, _: Value.Type) -> _Gathered {
        gather(name) { type in
            precondition(
                type == Value._propertyType,
                "Cannot take the least or greatest value of '\(name)' as \(Value.self): it is "
                    + "\(type).")
        }
    }

    /// What a sum or mean is made of. A floating-point number can be that of any numbers.
    func gatherNumbers<Value: AddableType>(_ name: String, _: Value.Type) -> _Gathered {
        let isReal = Value._propertyType == .double || Value._propertyType == .float
        return gather(name) { type in
            precondition(
                type == Value._propertyType || isReal && type != .date,
                "Cannot add up '\(name)' as \(Value.self): it is \(type).")
        }
    }

    private func gather(_ name: String, _ check: (PropertyType) -> Void) -> _Gathered {
        state.read(_Gathered()) {
            precondition(
                state.source?.element == nil,
                "Cannot aggregate '\(name)': the elements are values, which have no properties.")
            var gathered = _Gathered()
            if state.source != nil || state.descriptors.hasDistinct {
                let rows = try state.all()
                let readers = state.tables.map { AggregatedProperty(reader(name, $0, check)) }
                for row in rows where !row.isElement {
                    let binding = try state.table(of: row).binding(of: row.bytes)
                    try readers[Int(row.part)].add(row.bytes, binding, to: &gathered)
                }
                return gathered
            }
            for part in [state] + state.derived {
                let property = AggregatedProperty(reader(name, part.table, check))
                try part.forEachMatch { _, row in
                    try property.add(row, try part.table.binding(of: row), to: &gathered)
                    return true
                }
            }
            return gathered
        }
    }

    private func reader(
        _ name: String, _ table: ObjectTable, _ check: (PropertyType) -> Void
    ) -> PropertyReader {
        let reader = PropertyReader(name.split(separator: ".").map { String($0) }, table)
        let type = reader.type.type
        precondition(
            !reader.hasManyValues,
            "Cannot aggregate '\(name)': it leads through or to a collection.")
        precondition(
            type == .decimal128 || type.shape == .word && type != .object && type != .bool,
            "Cannot aggregate '\(name)': it is \(type), not a number or a date.")
        check(type)
        return reader
    }
}

/// A property whose values are gathered as reading it gives them.
private struct AggregatedProperty {
    private let reader: PropertyReader
    private let type: PropertyType
    /// The numbers of a narrow integer type: for any other one, reading gives zero, or nil.
    private let range: ClosedRange<Int64>?

    init(_ reader: PropertyReader) {
        self.reader = reader
        type = reader.type.type
        range = reader.narrowRange
    }

    @inline(__always)
    func add(
        _ row: UnsafeRawBufferPointer, _ binding: LayoutBinding, to gathered: inout _Gathered
    ) throws {
        let raw = try reader.value(row, binding)
        if let range, case .word(let word) = raw, !range.contains(word) {
            return gathered.add(reader.type.isOptional ? .null : .word(0), type)
        }
        gathered.add(raw, type)
    }
}

/// What has properties that can be added up by name: collections of objects, and maps of them.
public protocol _PropertyAggregates {
    /// The type of the elements, or of the values of a map.
    associatedtype _AggregatedElement: RealmCollectionValue
    /// The realm; nil for an unmanaged collection.
    var realm: Realm? { get }
    /// The elements of a managed collection.
    var _aggregatedResults: Results<_AggregatedElement> { get }
    /// The elements.
    var _aggregatedElements: [_AggregatedElement] { get }
}

extension _PropertyAggregates {
    private func unmanaged<Value: _Scalar>(_ name: String, _: Value.Type) -> _Gathered {
        _Gathered(
            _aggregatedElements.lazy.compactMap {
                $0._object?.value(forKeyPath: name).flatMap {
                    $0 as? Value ?? Value._from(any: $0)
                }
            })
    }

    private func bounds<Value: MinMaxType>(_ name: String, _ type: Value.Type) -> _Gathered {
        realm == nil
            ? unmanaged(name, type) : _aggregatedResults.gatherBounds(name, type)
    }

    private func numbers<Value: AddableType>(_ name: String, _ type: Value.Type) -> _Gathered {
        realm == nil
            ? unmanaged(name, type) : _aggregatedResults.gatherNumbers(name, type)
    }

    /// The least value of a property, or nil if there is none, or none that `Value` can hold. `Value`
    /// has to be its type.
    public func min<Value: MinMaxType>(ofProperty name: String) -> Value? {
        bounds(name, Value.self).least()
    }

    /// The greatest value of a property, or nil if there is none, or none that `Value` can hold. `Value`
    /// has to be its type.
    public func max<Value: MinMaxType>(ofProperty name: String) -> Value? {
        bounds(name, Value.self).greatest()
    }

    /// The sum of a property; 0 for none. `Value` has to be its type, or `Double` or `Float`.
    public func sum<Value: AddableType>(ofProperty name: String) -> Value {
        numbers(name, Value.self).sum()
    }

    /// The mean of a property, or nil if there is no value. `Value` has to be its type, or `Double`
    /// or `Float`.
    public func average<Value: AddableType>(ofProperty name: String) -> Value? {
        numbers(name, Value.self).mean()
    }
}

extension Results where Element: ObjectBase {
    /// The least value of a property, or nil if there is none.
    public func min<Value: MinMaxType>(of keyPath: KeyPath<Element, Value>) -> Value? {
        min(ofProperty: KeyPathTracer.requiredName(of: keyPath))
    }

    /// The least value of an optional property, or nil if there is none.
    public func min<Value: MinMaxType>(of keyPath: KeyPath<Element, Value?>) -> Value? {
        min(ofProperty: KeyPathTracer.requiredName(of: keyPath))
    }

    /// The greatest value of a property, or nil if there is none.
    public func max<Value: MinMaxType>(of keyPath: KeyPath<Element, Value>) -> Value? {
        max(ofProperty: KeyPathTracer.requiredName(of: keyPath))
    }

    /// The greatest value of an optional property, or nil if there is none.
    public func max<Value: MinMaxType>(of keyPath: KeyPath<Element, Value?>) -> Value? {
        max(ofProperty: KeyPathTracer.requiredName(of: keyPath))
    }

    /// The sum of a property; 0 for none.
    public func sum<Value: AddableType>(of keyPath: KeyPath<Element, Value>) -> Value {
        sum(ofProperty: KeyPathTracer.requiredName(of: keyPath))
    }

    /// The sum of an optional property, nil counting nothing; 0 for none.
    public func sum<Value: AddableType>(of keyPath: KeyPath<Element, Value?>) -> Value {
        sum(ofProperty: KeyPathTracer.requiredName(of: keyPath))
    }

    /// The mean of a property, or nil if there is no value.
    public func average<Value: AddableType>(of keyPath: KeyPath<Element, Value>) -> Double? {
        average(ofProperty: KeyPathTracer.requiredName(of: keyPath))
    }

    /// The mean of an optional property, or nil if there is no value.
    public func average<Value: AddableType>(of keyPath: KeyPath<Element, Value?>) -> Double? {
        average(ofProperty: KeyPathTracer.requiredName(of: keyPath))
    }

    /// The mean of a decimal property, or nil if there is no value.
    public func average(of keyPath: KeyPath<Element, Decimal128>) -> Decimal128? {
        average(ofProperty: KeyPathTracer.requiredName(of: keyPath))
    }

    /// The mean of an optional decimal property, or nil if there is no value.
    public func average(of keyPath: KeyPath<Element, Decimal128?>) -> Decimal128? {
        average(ofProperty: KeyPathTracer.requiredName(of: keyPath))
    }
}
