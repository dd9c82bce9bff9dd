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
    Comparable, SortableType, _Indexable, _PrimaryKey
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
        rawValue(any: value).flatMap { Self(rawValue: $0) }
    }

    private static func rawValue(any value: Any) -> RawValue? {
        value as? RawValue ?? RawValue._from(any: value)
    }

    /// Whether a value is a raw value that no case has.
    public static func _refuses(_ value: Any) -> Bool {
        !(value is Self) && rawValue(any: value).map { Self(rawValue: $0) == nil } ?? false
    }

    /// Sets a property from a case or a raw value; nil is the value that it has in a new object.
    public static func _assign(any value: Any?, to object: ObjectBase, at offset: Int) -> Bool {
        let converted =
            if let value, !isNone(value) {
                value as? Self ?? _from(any: value)
            } else {
                declaredValue(object, offset) ?? allCases.first
            }
        guard let converted else { return false }
        object._setValue(converted, at: offset)
        return true
    }
}

/// A type that `@Persisted(indexed: true)` takes.
public protocol _Indexable {}

/// A type that `@Persisted(primaryKey: true)` takes.
public protocol _PrimaryKey {}

extension Optional: _Indexable where Wrapped: _Indexable {}
extension Optional: _PrimaryKey where Wrapped: _PrimaryKey {}
