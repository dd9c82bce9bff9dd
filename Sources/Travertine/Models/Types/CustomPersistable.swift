import TravertineStore

/// A custom type that is stored as another, and may not be made of every stored value.
///
/// A stored value that makes no value of the type reads as nil where the property is optional, and
/// as the type's default otherwise: the value of the stored type's default, or the property's
/// initial value. `object[name]` has what is stored. In a collection the same holds for elements,
/// which have no initial value: where nothing is left, `for` and `Array` skip the element, and
/// access by position, as by subscripts and `map`, stops. Declare such elements optional.
///
/// In values by name a stored value that makes none is nil in an optional place, and an error in
/// another one; nil and `NSNull` are the property's default there. A type that makes no value of
/// the stored type's default has none: give a property that can't be nil an initial value, or one
/// for each object.
public protocol FailableCustomPersistable: _SingleValue, _HasPersistedType, _Indexable,
    _PrimaryKey
{
    /// The type of what is stored: a single value, or a class of embedded objects.
    override associatedtype PersistedType: _CustomStorage
    /// The value that is made of a stored one; nil if there is none.
    init?(persistedValue: PersistedType)
    /// What is stored for the value; an embedded object is a new one for each call.
    var persistableValue: PersistedType { get }
}

/// A custom type that is stored as another.
///
/// ```swift
/// extension URL: CustomPersistable {
///     public typealias PersistedType = String
///     public init(persistedValue: String) { self.init(fileURLWithPath: persistedValue) }
///     public var persistableValue: String { path }
/// }
/// ```
/// What is stored may be a class of embedded objects. Each property, and each element of a list or
/// a value in a map, then has its own object, which is made anew when it is set, and deleted when
/// it is overwritten:
///
/// ```swift
/// class Location: EmbeddedObject {
///     @Persisted var latitude: Double
///     @Persisted var longitude: Double
/// }
/// extension Coordinate: CustomPersistable {
///     public typealias PersistedType = Location
///     public init(persistedValue: Location) {
///         self.init(latitude: persistedValue.latitude, longitude: persistedValue.longitude)
///     }
///     public var persistableValue: Location { Location(value: [latitude, longitude]) }
/// }
/// ```
/// A non-optional property without stored object, as those of objects older than it are, reads as
/// its initial value, or else as the value that is made of a new embedded object.
public protocol CustomPersistable: FailableCustomPersistable {
    /// The value that is made of a stored one.
    init(persistedValue: PersistedType)
}

extension FailableCustomPersistable {
    /// The value that is made of a stored one; nil if there is none.
    public static func _value(ofPersisted stored: PersistedType) -> Self? {
        Self(persistedValue: stored)
    }

    /// What is stored for the value.
    public var _persisted: PersistedType { persistableValue }

    /// Hashes what is stored, for types that do not say how they are hashed.
    public func hash(into hasher: inout Hasher) {
        guard Self._hasEmbeddedForm else { return hasher.combine(persistableValue) }
        // Each value has its own object: what counts are the object's values.
        form?.hashValues(into: &hasher)
    }

    /// The value that is made of the stored type's default.
    public static func _defaultValue() -> Self {
        guard let value = storageDefaultValue else {
            misuse(
                "\(Self.self) can't be made of \(PersistedType._storageDefault()): give the "
                    + "property an initial value, or make it optional.")
        }
        return value
    }

    /// The value that is made of the stored type's default, if there is one.
    static var storageDefaultValue: Self? {
        Self(persistedValue: PersistedType._storageDefault())
    }

    /// The embedded object that is stored for the value, if it is one.
    public var _storedObject: ObjectBase? { persistableValue._storedObject }

    /// The embedded object of the value, which may be a managed one that the value holds;
    /// nil for a single value.
    var form: ObjectBase? {
        guard Self._hasEmbeddedForm else { return nil }
        let stored: Any = persistableValue
        return stored as? ObjectBase ?? (stored as? any FailableCustomPersistable)?.form
    }
}

extension ObjectBase {
    /// Hashes the single values of the properties; nothing of a stored object that was deleted.
    fileprivate final func hashValues(into hasher: inout Hasher) {
        if session != nil, isInvalidated { return }
        for property in info.properties where property.type.collection == .none {
            guard property.type.type != .object,
                let value = property.valueType._any(self, property.offset) as? AnyHashable
            else { continue }
            hasher.combine(value)
        }
    }
}

extension EmbeddedObject: _CustomStorage {}

extension _CustomStorage where Self: EmbeddedObject {
    /// A new object.
    public static func _storageDefault() -> Self { Self.newInstance() }

    /// The object, or a copy of one that has its owner already.
    public var _storedObject: ObjectBase? {
        session == nil ? self : copyForOtherOwner()
    }
}
