import TravertineStore

/// An enum that can be persisted, stored as its raw value.
///
/// ```swift
/// enum Kind: String, PersistableEnum { case capital, city, village }
/// ```
/// A property without initial value has the first case. A stored raw value that no case has reads
/// as the first case, and as nil where the property or the element is optional; `object[name]` has
/// what is stored. Cases are in the order of their raw values.
public protocol PersistableEnum: _Scalar, RealmCollectionValue, RawRepresentable, CaseIterable,
    Comparable, SortableType, _HasPersistedType, _Indexable, _PrimaryKey
where RawValue: _Scalar & Comparable, PersistedType == RawValue {}

extension PersistableEnum {
    /// The type of the raw value.
    public static var _propertyType: PropertyType { RawValue._propertyType }

    /// The first case.
    public static func _defaultValue() -> Self {
        guard let first = allCases.first else {
            misuse("\(Self.self) has no case: a persisted enum needs one.")
        }
        return first
    }

    /// The case with this stored form.
    public static func _from(_ raw: _RawValue) -> Self? {
        RawValue._from(raw).flatMap { Self(rawValue: $0) }
    }

    /// Calls `body` with the stored form of the raw value.
    public func _withRaw<Result>(_ body: (_RawValue) -> Result) -> Result {
        rawValue._withRaw(body)
    }

    /// Whether the raw value of the first is before that of the second.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// The case with a raw value.
    public static func _value(ofPersisted stored: RawValue) -> Self? { Self(rawValue: stored) }

    /// The raw value.
    public var _persisted: RawValue { rawValue }

    /// A raw value.
    public static func _from(any value: Any) -> Self? {
        (value as? RawValue ?? RawValue._from(any: value)).flatMap { Self(rawValue: $0) }
    }
}

/// A type that `@Persisted(indexed: true)` takes.
public protocol _Indexable {}

/// A type that `@Persisted(primaryKey: true)` takes.
public protocol _PrimaryKey {}

extension Optional: _Indexable where Wrapped: _Indexable {}
extension Optional: _PrimaryKey where Wrapped: _PrimaryKey {}
