/// A type whose values hold those of another: an optional, a collection.
protocol HoldingType {
    /// The type of what is held.
    static var heldType: Any.Type { get }
}

extension Optional: HoldingType {
    static var heldType: Any.Type { Wrapped.self }
}

extension List: HoldingType {
    static var heldType: Any.Type { Element.self }
}

extension MutableSet: HoldingType {
    static var heldType: Any.Type { Element.self }
}

extension Map: HoldingType {
    static var heldType: Any.Type { Value.self }
}

extension _Scalar where Self: FixedWidthInteger {
    fileprivate static var range: ClosedRange<Int64> {
        Int64(clamping: Self.min)...Int64(clamping: Self.max)
    }
}

extension PersistableEnum {
    fileprivate static var rawType: Any.Type { RawValue.self }
}

extension FailableCustomPersistable {
    /// The type of what is stored.
    static var persistedType: Any.Type { PersistedType.self }
}

extension ClassInfo.Property {
    /// The numbers that the declared type of a property of integers has; nil for other types.
    var integerRange: ClosedRange<Int64>? { Self.integerRange(of: valueType) }

    /// The custom type of its values, or of those that they hold; nil for other types.
    var customType: (any FailableCustomPersistable.Type)? { Self.customType(in: valueType) }

    /// The custom type that a type is, or holds; nil for other types.
    static func customType(in type: Any.Type) -> (any FailableCustomPersistable.Type)? {
        var type = type
        while let holding = type as? any HoldingType.Type { type = holding.heldType }
        return type as? any FailableCustomPersistable.Type
    }

    /// Whether its values are stored as embedded objects that are made of them.
    var isStoredAsEmbedded: Bool { type.type == .object && customType != nil }

    /// The numbers that a type has, or what it holds or is stored as; nil for what is no integer.
    static func integerRange(of type: Any.Type) -> ClosedRange<Int64>? {
        var type = type
        while true {
            switch type {
            case let integer as any StoredInteger.Type: return integer.range
            case let holding as any HoldingType.Type: type = holding.heldType
            case let cases as any PersistableEnum.Type: type = cases.rawType
            case let own as any FailableCustomPersistable.Type: type = own.persistedType
            default: return nil
            }
        }
    }
}
