import TravertineStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A type with a least and a greatest value among objects: numbers, dates, and values of any type.
/// Custom types are what they are stored as, and enums their raw values.
///
/// The requirements are used by the library only.
public protocol MinMaxType {
    /// The type of a property of such values.
    static var _accumulatedType: PropertyType { get }
    /// Adds the value to an accumulator.
    func _accumulate(into accumulator: inout _AggregateAccumulator)
    /// The least or the greatest value that was added; nil if there is none, or none that the type
    /// has.
    static func _bound(_ accumulator: _AggregateAccumulator, isGreatest: Bool) -> Self?
    /// The value that another one converts to.
    static func _accumulable(_ value: Any) -> Self?
}

extension MinMaxType where Self: _Scalar {
    /// The type of a property of such values.
    public static var _accumulatedType: PropertyType { _propertyType }

    /// Adds the value to an accumulator.
    @inline(__always)
    public func _accumulate(into accumulator: inout _AggregateAccumulator) {
        _withRaw { accumulator.add($0, Self._propertyType) }
    }

    /// The least or the greatest value that was added.
    public static func _bound(_ accumulator: _AggregateAccumulator, isGreatest: Bool) -> Self? {
        accumulator.bound(isGreatest: isGreatest)
    }

    /// The value that another one converts to.
    public static func _accumulable(_ value: Any) -> Self? { value as? Self ?? _from(any: value) }
}

/// A type whose values can be added: numbers, and values of any type, of which the numbers count.
public protocol AddableType: MinMaxType {
    /// The value nearest to the sum of the values that were added.
    static func _sum(_ accumulator: _AggregateAccumulator) -> Self
    /// The value nearest to the mean of the values that were added, of which there is one at least.
    static func _mean(_ accumulator: _AggregateAccumulator) -> Self
}

extension Int: AddableType {}
extension Int8: AddableType {}
extension Int16: AddableType {}
extension Int32: AddableType {}
extension Int64: AddableType {}
extension Date: MinMaxType {}

extension AddableType where Self: FixedWidthInteger {
    /// The sum; stops where it does not fit, as `+` does.
    public static func _sum(_ accumulator: _AggregateAccumulator) -> Self {
        guard let sum = Self(exactly: accumulator.integers) else {
            misuse(
                "The sum \(accumulator.integers) is beyond \(Self.self): ask for an Int or a Double "
                    + "with sum(ofProperty:).")
        }
        return sum
    }

    /// The mean, rounded towards zero.
    public static func _mean(_ accumulator: _AggregateAccumulator) -> Self {
        if accumulator.integers != 0 {
            return Self(truncatingIfNeeded: accumulator.integers / Int128(accumulator.count))
        }
        let mean = accumulator.realMean.rounded(.towardZero)
        return Self(truncatingIfNeeded: Int64(exactly: mean) ?? 0)
    }
}

extension Float: AddableType {
    /// The number nearest to the sum, which is rounded once.
    public static func _sum(_ accumulator: _AggregateAccumulator) -> Float {
        accumulator.shortReal
    }

    /// The nearest number.
    public static func _mean(_ accumulator: _AggregateAccumulator) -> Float {
        Float(Double._mean(accumulator))
    }
}

extension Double: AddableType {
    /// The number nearest to the sum, which is rounded once: the order of the values changes
    /// nothing.
    public static func _sum(_ accumulator: _AggregateAccumulator) -> Double { accumulator.real }

    /// The mean.
    public static func _mean(_ accumulator: _AggregateAccumulator) -> Double {
        accumulator.realMean
    }
}

extension Decimal128: AddableType {
    /// The sum, rounded to 34 digits after each number.
    public static func _sum(_ accumulator: _AggregateAccumulator) -> Decimal128 {
        accumulator.decimals
    }

    /// The mean, rounded to 34 digits.
    public static func _mean(_ accumulator: _AggregateAccumulator) -> Decimal128 {
        accumulator.decimals / Decimal128(accumulator.count)
    }
}
