#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A type with a least and a greatest value among objects: numbers and dates.
public protocol MinMaxType: _Scalar {}

/// A type whose values can be added: numbers.
public protocol AddableType: _Scalar {
    /// The value nearest to a sum.
    static func _from(sum: Double, exactly integer: Int64) -> Self
}

extension Int: MinMaxType, AddableType {}
extension Int8: MinMaxType, AddableType {}
extension Int16: MinMaxType, AddableType {}
extension Int32: MinMaxType, AddableType {}
extension Int64: MinMaxType, AddableType {}
extension Date: MinMaxType {}

extension AddableType where Self: FixedWidthInteger {
    /// The sum, its low bits where it does not fit.
    public static func _from(sum: Double, exactly integer: Int64) -> Self {
        Self(truncatingIfNeeded: integer)
    }
}

extension Float: MinMaxType, AddableType {
    /// The nearest number.
    public static func _from(sum: Double, exactly integer: Int64) -> Float { Float(sum) }
}

extension Double: MinMaxType, AddableType {
    /// The sum.
    public static func _from(sum: Double, exactly integer: Int64) -> Double { sum }
}

/// What one pass over the values of a property gathers; nil values are passed over.
private struct Gathered {
    var count = 0
    var integers: Int64 = 0
    var numbers = 0.0
    var least: (order: UInt64, word: Int64)?
    var greatest: (order: UInt64, word: Int64)?
}

extension Results {
    private func gather(_ name: String) -> Gathered {
        state.read(Gathered()) {
            let names = name.split(separator: ".").map { String($0) }
            var gathered = Gathered()
            for part in [state] + state.derived { try gather(names, part, into: &gathered) }
            return gathered
        }
    }

    private func gather(
        _ names: [String], _ state: ResultsState, into gathered: inout Gathered
    ) throws {
        let name = names.joined(separator: ".")
        let reader = PropertyReader(names, state.table)
        let type = reader.type.type
        precondition(
            !reader.hasManyValues,
            "Cannot aggregate '\(name)': it leads through or to a collection.")
        precondition(
            type.shape == .word && type != .object
                && type != .bool,
            "Cannot aggregate '\(name)': it is \(type), not a number or a date.")
        try state.forEachMatch { _, row in
            let value = try reader.value(row, try state.table.binding(of: row))
            guard case .word(let word) = value else { return true }
            gathered.count += 1
            if reader.isReal {
                gathered.numbers += reader.number(word)
            } else {
                gathered.integers &+= word
                gathered.numbers += Double(word)
            }
            let order = IndexKey.ordered(word, type: type)
            if gathered.least.map({ order < $0.order }) ?? true {
                gathered.least = (order, word)
            }
            if gathered.greatest.map({ order > $0.order }) ?? true {
                gathered.greatest = (order, word)
            }
            return true
        }
    }

    /// The least value of a property, or nil if there is none.
    public func min<Value: MinMaxType>(ofProperty name: String) -> Value? {
        gather(name).least.flatMap { Value._from(.word($0.word)) }
    }

    /// The greatest value of a property, or nil if there is none.
    public func max<Value: MinMaxType>(ofProperty name: String) -> Value? {
        gather(name).greatest.flatMap { Value._from(.word($0.word)) }
    }

    /// The sum of a property; 0 for none.
    public func sum<Value: AddableType>(ofProperty name: String) -> Value {
        let gathered = gather(name)
        return Value._from(sum: gathered.numbers, exactly: gathered.integers)
    }

    /// The mean of a property, or nil if there is no value.
    public func average<Value: AddableType>(ofProperty name: String) -> Value? {
        let gathered = gather(name)
        if gathered.count == 0 { return nil }
        let mean = gathered.numbers / Double(gathered.count)
        return Value._from(sum: mean, exactly: Int64(exactly: mean.rounded(.towardZero)) ?? 0)
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
}
