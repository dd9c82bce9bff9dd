/// A type of one's own that is stored as another, and may not be made of every stored value.
///
/// A stored value that makes no value of the type reads as nil where the property is optional, and
/// as the type's default otherwise: what the stored type's default stands for, or the property's
/// initial value. `object[name]` has what is stored. In a collection the same holds for elements,
/// which have no initial value: where nothing is left, `for` and `Array` pass over the element, and
/// what goes by position, as subscripts and `map` do, stops. Declare such elements optional.
public protocol FailableCustomPersistable: _Scalar, RealmCollectionValue, _HasPersistedType,
    _Indexable, _PrimaryKey
{
    /// The type of what is stored.
    override associatedtype PersistedType: _Scalar
    /// The value that a stored one stands for; nil if there is none.
    init?(persistedValue: PersistedType)
    /// What is stored for the value.
    var persistableValue: PersistedType { get }
}

/// A type of one's own that is stored as another.
///
/// ```swift
/// extension URL: CustomPersistable {
///     public typealias PersistedType = String
///     public init(persistedValue: String) { self.init(fileURLWithPath: persistedValue) }
///     public var persistableValue: String { path }
/// }
/// ```
public protocol CustomPersistable: FailableCustomPersistable {
    /// The value that a stored one stands for.
    init(persistedValue: PersistedType)
}

extension FailableCustomPersistable {
    /// The type of what is stored.
    public static var _propertyType: PropertyType { PersistedType._propertyType }

    /// The value that the stored type's default stands for.
    public static func _defaultValue() -> Self {
        guard let value = Self(persistedValue: PersistedType._defaultValue()) else {
            preconditionFailure(
                "\(Self.self) can't be made of \(PersistedType._defaultValue()): give the property "
                    + "an initial value, or make it optional.")
        }
        return value
    }

    /// The value with this stored form.
    public static func _from(_ raw: _RawValue) -> Self? {
        PersistedType._from(raw).flatMap { Self(persistedValue: $0) }
    }

    /// Calls `body` with the stored form.
    public func _withRaw<Result>(_ body: (_RawValue) -> Result) -> Result {
        persistableValue._withRaw(body)
    }

    /// A value of the stored type.
    public static func _from(any value: Any) -> Self? {
        (value as? PersistedType ?? PersistedType._from(any: value)).flatMap {
            Self(persistedValue: $0)
        }
    }
}
