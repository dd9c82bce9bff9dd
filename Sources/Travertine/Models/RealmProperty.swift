/// A type that `RealmProperty` can hold: `AnyRealmValue`, and optionals of every single value.
public protocol RealmPropertyType: _Persistable {}

extension AnyRealmValue: RealmPropertyType {}
extension Optional: RealmPropertyType where Wrapped: _SingleValue {}

/// A single value in a class that declares its properties without `@Persisted`.
///
/// ```swift
/// class Person: Object {
///     let age = RealmProperty<Int?>()
///     let dogs = List<Dog>()
///     override class func indexedProperties() -> [String] { ["age"] }
/// }
/// person.age.value = 38
/// ```
/// It must be declared with `let`, in a class level without any `@Persisted`. New code has
/// `@Persisted var age: Int?`, which reads faster and stores the same.
public final class RealmProperty<Value: RealmPropertyType> {
    /// The value while the object is unmanaged; in separate memory, so that its address stays.
    private let wrapper: UnsafeMutablePointer<Persisted<Value>>
    private var owner: Owner?
    private var tracer: KeyPathTracer?
    /// A handle of the object that the property belongs to; the program's own may be released.
    private var cachedHandle: DynamicObject?

    /// A property with nil, or with `.none`.
    public convenience init() { self.init(Value._defaultValue()) }

    /// A property with an initial value.
    public init(_ value: Value) {
        wrapper = .allocate(capacity: 1)
        wrapper.initialize(to: Persisted(wrappedValue: value))
    }

    deinit {
        wrapper.deinitialize(count: 1)
        wrapper.deallocate()
    }

    /// The value: the property's own if its object is unmanaged, else the stored one. Setting that
    /// needs a write transaction; the realm's thread only.
    public var value: Value {
        get {
            if let tracer {
                tracer.noteField()
                return Value._defaultValue()
            }
            if let owner { return Value._readCold(handle(owner), owner.offset) }
            return Value.unmanagedValue(memory)
        }
        set {
            if let owner {
                Value._assign(newValue, to: handle(owner), at: owner.offset)
            } else {
                wrapper.pointee.storage = newValue
            }
        }
    }

    fileprivate var memory: UnsafeMutableRawPointer { UnsafeMutableRawPointer(wrapper) }

    /// The stored object that the property belongs to, and the offset of its field.
    fileprivate struct Owner {
        var session: RealmSession
        var table: TableState
        var key: UInt64
        var offset: Int
        /// How often the realm had been invalidated when the object was taken from it.
        var invalidationCount: UInt32
    }

    fileprivate func bind(to owner: Owner) {
        self.owner = owner
        cachedHandle = nil
    }

    private func handle(_ owner: Owner) -> DynamicObject {
        let isElsewhere = owner.session.isFrozenElsewhere
        if !isElsewhere, let cachedHandle { return cachedHandle }
        let handle = DynamicObject()
        handle.bind(to: owner.session, owner.table, key: owner.key)
        if isElsewhere { return unsafeDowncast(handle.elsewhere ?? handle, to: DynamicObject.self) }
        handle.invalidationCount = owner.invalidationCount
        cachedHandle = handle
        return handle
    }
}

/// Another spelling of `RealmProperty` with an optional: `RealmOptional<Int>` is
/// `RealmProperty<Int?>`.
public typealias RealmOptional<Value: _SingleValue> = RealmProperty<Value?>

extension RealmProperty: Equatable where Value: Equatable {
    /// Whether both have the same value.
    public static func == (left: RealmProperty, right: RealmProperty) -> Bool {
        left.value == right.value
    }
}

extension RealmProperty: CustomStringConvertible {
    /// The value.
    public var description: String { "\(value)" }
}

extension RealmProperty: Encodable where Value: Encodable {
    /// Encodes the value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

extension RealmProperty: Decodable where Value: Decodable {
    /// Decodes an unmanaged property.
    public convenience init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(Value.self))
    }
}

extension RealmProperty: PersistedWrapper, UnwrappedProperty {
    static var valueType: any _Persistable.Type { BareValue<Value>.self }

    static func attach(_ tracer: KeyPathTracer, at storage: UnsafeMutableRawPointer) {
        BareValue<Value>.unmanagedValue(storage).property.tracer = tracer
    }

    static func holds(_ value: Any, at storage: UnsafeMutableRawPointer) -> Bool {
        (value as? RealmProperty) === BareValue<Value>.unmanagedValue(storage).property
    }
}

/// A `RealmProperty` as the type of a property: what is stored is its value.
///
/// Calls for unmanaged objects go on with where the value is instead of where the field is.
private struct BareValue<Value: RealmPropertyType>: _Persistable {
    let property: RealmProperty<Value>

    static var _storedType: _StoredType { Value._storedType }

    static func _defaultValue() -> Self { Self(property: RealmProperty()) }

    static func _read(_ object: ObjectBase, _ fieldOffset: _FieldOffset) -> Self {
        preconditionFailure("the field itself is read")
    }

    static func _readCold(_ object: ObjectBase, _ offset: Int) -> Self {
        unmanagedValue(object._memory + offset)
    }

    static func _assign(_ value: Self, to object: ObjectBase, at offset: Int) {
        unmanagedValue(object._memory + offset).property.value = value.property.value
    }

    static func _encode(
        _ storage: UnsafeMutableRawPointer, of object: ObjectBase, into encoder: _RowEncoder,
        slot: Int
    ) {
        Value._encode(memory(storage), of: object, into: encoder, slot: slot)
    }

    static func _becameManaged(
        _ storage: UnsafeMutableRawPointer, of object: ObjectBase, at offset: Int
    ) {
        guard let session = object.session else { return }
        unmanagedValue(storage).property.bind(
            to: .init(
                session: session, table: object.table, key: object.key, offset: offset,
                invalidationCount: object.invalidationCount))
        Value._becameManaged(memory(storage), of: object, at: offset)
    }

    static func _forEachLinked(
        _ storage: UnsafeMutableRawPointer, _ body: (ObjectBase) -> Void
    ) {
        Value._forEachLinked(memory(storage), body)
    }

    static func _any(_ object: ObjectBase, _ offset: Int) -> Any? {
        Value._any(object, valueOffset(object, offset))
    }

    static func _shown(_ object: ObjectBase, _ offset: Int) -> Any? {
        Value._shown(object, valueOffset(object, offset))
    }

    static func _makeEmbeddedForms(_ storage: UnsafeMutableRawPointer) -> [(
        key: String, object: ObjectBase?
    )]? {
        Value._makeEmbeddedForms(memory(storage))
    }

    static func _assign(any value: Any?, to object: ObjectBase, at offset: Int) -> Bool {
        let value = (value as? RealmProperty<Value>).map { $0.value as Any } ?? value
        return Value._assign(any: value, to: object, at: valueOffset(object, offset))
    }

    static func _withDefault(
        _ storage: UnsafeMutableRawPointer, _ body: (_RawValue) -> Void
    ) {
        Value._withDefault(memory(storage), body)
    }

    private static func memory(_ storage: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
        unmanagedValue(storage).property.memory
    }

    /// The offset from the object's memory to its value: the field's, which means the row's,
    /// if the object is managed.
    private static func valueOffset(_ object: ObjectBase, _ offset: Int) -> Int {
        if object.session != nil { return offset }
        return memory(object._memory + offset) - object._memory
    }
}

extension BareValue: HoldingType {
    static var heldType: Any.Type { Value.self }
}
