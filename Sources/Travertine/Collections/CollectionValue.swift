import TravertineStore

/// A type that the elements of a `List` or of `Results` can have.
public protocol RealmCollectionValue: Hashable, _HasPersistedType {
    /// The type of an element as the schema stores it.
    static var _elementType: _StoredType { get }
    /// The element with this stored form in a collection.
    static func _element(from raw: _RawValue, at storage: _CollectionStorage) -> Self?
    /// What a stored form reads as that the type has no value for; nil if it belongs to another
    /// type, which is damage, or if there is nothing that it could read as.
    static func _substitute(for raw: _RawValue, at storage: _CollectionStorage) -> Self?
    /// Whether embedded objects are made of elements, to be stored in their place.
    static var _hasEmbeddedForm: Bool { get }
    /// The embedded object that is to be stored in place of the element, made now; nil for none.
    func _makeEmbeddedForm() -> ObjectBase?
    /// Calls `body` with the stored form for a collection; an unmanaged object is added first.
    func _withElement(at storage: _CollectionStorage, _ body: (_RawValue) -> Void)
    /// Hands the objects in the element to `body`.
    func _forEachObject(_ body: (ObjectBase) -> Void)
    /// Calls `body` with the stored form if the realm can have the element: not for an object that
    /// is not in it.
    func _withExistingElement(at storage: _CollectionStorage, _ body: (_RawValue) -> Void)
    /// The object, if the element is one.
    var _object: ObjectBase? { get }
    /// An element from `Any`.
    static func _makeElement(from value: Any) -> Self?
    /// What a list shows on the way of a key path that is traced.
    static func _traced(by tracer: AnyObject) -> Self?
    /// The class of the rows that are elements of results; `ObjectBase` if elements are values.
    static var _objectType: ObjectBase.Type { get }
    /// A handle of a stored object as an element.
    static func _make(_ object: ObjectBase) -> Self
    /// As above; nil for a stored object that makes no element, and has no default in its place.
    static func _makeIfPossible(_ object: ObjectBase) -> Self?
    /// As above; nil for a stored object that makes no element, whatever the default.
    static func _value(of object: ObjectBase) -> Self?
}

extension RealmCollectionValue {
    /// Values are no objects.
    public var _object: ObjectBase? { nil }

    /// Most types have a value for everything that is stored.
    public static func _substitute(
        for raw: _RawValue, at storage: _CollectionStorage
    ) -> Self? { nil }

    /// Most elements are stored as they are.
    public static var _hasEmbeddedForm: Bool { false }

    /// Most elements are stored as they are.
    public func _makeEmbeddedForm() -> ObjectBase? { nil }

    /// As `_withElement`, for a body that throws. Nil where there is no stored form.
    @discardableResult
    func withElement<Result>(
        at storage: CollectionStorage, _ body: (_RawValue) throws -> Result
    ) throws -> Result? {
        var outcome: Swift.Result<Result, any Error>?
        _withElement(at: storage) { raw in outcome = Swift.Result { try body(raw) } }
        return try outcome?.get()
    }

    /// As `_withExistingElement`, for a body that throws. Nil where there is no stored form.
    @discardableResult
    func withExistingElement<Result>(
        at storage: CollectionStorage, _ body: (_RawValue) throws -> Result
    ) throws -> Result? {
        var outcome: Swift.Result<Result, any Error>?
        _withExistingElement(at: storage) { raw in outcome = Swift.Result { try body(raw) } }
        return try outcome?.get()
    }

    /// The element that a stored form at its place reads as.
    static func stored(_ raw: _RawValue, at storage: _CollectionStorage) -> Self? {
        _element(from: raw, at: storage) ?? _substitute(for: raw, at: storage)
    }

    /// The object, if the element is one.
    public func _forEachObject(_ body: (ObjectBase) -> Void) {
        if let _object { body(_object) }
    }

    /// A realm can have any value.
    public func _withExistingElement(at storage: _CollectionStorage, _ body: (_RawValue) -> Void) {
        _withElement(at: storage, body)
    }

    /// Values are not traced.
    public static func _traced(by tracer: AnyObject) -> Self? { nil }

    /// Whether a collection may have an element for which the type has no value.
    static var _mayBeUnknown: Bool { Self.self is any FailableCustomPersistable.Type }

    /// Whether both are equal, or objects that are the same stored one.
    func isSame(as other: Self) -> Bool {
        if self == other { return true }
        guard let object = _object else { return false }
        return object.isSameObject(as: other._object)
    }

    /// What a damaged collection has at a position, until a call that can throw reports the damage.
    static var _blank: Self {
        if let type = Self.self as? ObjectBase.Type {
            let object = type.newInstance()
            (object as? DynamicObject)?.isVoid = true
            if let element = object as? Self { return element }
        }
        guard let type = Self.self as? any _Persistable.Type,
            let element = type._defaultValue() as? Self
        else {
            // A projection.
            if _objectType != ObjectBase.self { return _make(_objectType.newInstance()) }
            misuse("The collection is damaged. Run `travertine fsck`.")
        }
        return element
    }

    /// No conversion.
    public static func _makeElement(from value: Any) -> Self? { value as? Self }
}

extension RealmCollectionValue where Self: _Scalar {
    /// The type as the schema stores it.
    public static var _elementType: _StoredType {
        _StoredType(_propertyType, collection: .list)
    }

    /// The value with this stored form.
    public static func _element(from raw: _RawValue, at storage: _CollectionStorage) -> Self? {
        _from(raw)
    }

    /// Calls `body` with the stored form.
    public func _withElement(at storage: _CollectionStorage, _ body: (_RawValue) -> Void) {
        _withRaw(body)
    }

    /// The value, or one that it converts to.
    public static func _makeElement(from value: Any) -> Self? {
        value as? Self ?? _from(any: value)
    }
}

extension Int: RealmCollectionValue {}
extension Int8: RealmCollectionValue {}
extension Int16: RealmCollectionValue {}
extension Int32: RealmCollectionValue {}
extension Int64: RealmCollectionValue {}
extension Bool: RealmCollectionValue {}
extension Float: RealmCollectionValue {}
extension Double: RealmCollectionValue {}
extension String: RealmCollectionValue {}
extension ObjectId: RealmCollectionValue {}

extension Optional: RealmCollectionValue
where Wrapped: RealmCollectionValue & _PersistableInsideOptional {
    /// The type as the schema stores it.
    public static var _elementType: _StoredType {
        var type = Wrapped._optionalStoredType
        type.collection = .list
        return type
    }

    /// The value with this stored form.
    public static func _element(from raw: _RawValue, at storage: _CollectionStorage) -> Self? {
        if case .null = raw { return .some(nil) }
        return .some(Wrapped._element(from: raw, at: storage))
    }

    /// Whether embedded objects are made of values, to be stored in their place.
    public static var _hasEmbeddedForm: Bool { Wrapped._hasEmbeddedForm }

    /// The embedded object that is to be stored in place of the value; nil for none.
    public func _makeEmbeddedForm() -> ObjectBase? { self?._makeEmbeddedForm() }

    /// Calls `body` with the stored form.
    public func _withElement(at storage: _CollectionStorage, _ body: (_RawValue) -> Void) {
        if let value = self { value._withElement(at: storage, body) } else { body(.null) }
    }

    /// Calls `body` with the stored form if the realm can have the value.
    public func _withExistingElement(at storage: _CollectionStorage, _ body: (_RawValue) -> Void) {
        if let value = self { value._withExistingElement(at: storage, body) } else { body(.null) }
    }

    /// The object, if there is one.
    public var _object: ObjectBase? { self?._object }

    /// The value, or one that it converts to; nil as the value for what the type refuses.
    public static func _makeElement(from value: Any) -> Self? {
        if isNone(value) { return .some(nil) }
        if let element = Wrapped._makeElement(from: value) { return .some(element) }
        return Wrapped._refuses(value) ? .some(nil) : nil
    }
}

extension ObjectBase: RealmCollectionValue {
    /// Objects are stored as what they are.
    public typealias PersistedType = ObjectBase
    /// The object itself, if it is of this class.
    public static func _value(ofPersisted stored: ObjectBase) -> Self? { stored as? Self }
    /// The object itself.
    public var _persisted: ObjectBase { self }
}

extension RealmCollectionValue where Self: ObjectBase {
    /// Links to objects of the class.
    public static var _elementType: _StoredType {
        _StoredType(.object, collection: .list, targetClass: self)
    }

    /// A handle of the object with this key; a dynamic object is of the type that the property
    /// links to.
    public static func _element(from raw: _RawValue, at storage: _CollectionStorage) -> Self? {
        if case .bytes(let bytes) = raw {
            return storage.session.linkedObject(bytes, as: Self.self)
        }
        guard case .word(let word) = raw else { return nil }
        let key = UInt64(bitPattern: word)
        guard Self.self is DynamicObject.Type else {
            return storage.session.object(Self.self, key: key)
        }
        return storage.session.table(named: storage.property.target).flatMap {
            storage.session.dynamicObject(key, in: $0) as? Self
        }
    }

    /// Calls `body` with the link to the object for a place; an unmanaged object is added first.
    public func _withElement(at storage: _CollectionStorage, _ body: (_RawValue) -> Void) {
        guard let key = storage.session.keyForLink(to: self) else { return }
        if storage.property.isVarying {
            MixedCode.encode(objectOfType: table.stored.number, key: key)
                .withUnsafeBytes { body(.bytes($0)) }
        } else if storage.session.admits(self, as: Self.self, by: storage.property) {
            body(.word(Int64(bitPattern: key)))
        }
    }

    /// Calls `body` with the link to the object for a place if it is in the realm.
    public func _withExistingElement(at storage: _CollectionStorage, _ body: (_RawValue) -> Void) {
        guard storage.session.isSame(as: session) else { return }
        if storage.property.isVarying {
            MixedCode.encode(objectOfType: table.stored.number, key: key)
                .withUnsafeBytes { body(.bytes($0)) }
        } else {
            body(.word(Int64(bitPattern: key)))
        }
    }

    /// The object.
    public var _object: ObjectBase? { self }

    /// An object that notes what is read from it.
    public static func _traced(by tracer: AnyObject) -> Self? {
        guard let tracer = tracer as? KeyPathTracer else { return nil }
        let object = Self.newInstance()
        tracer.attach(to: object)
        return object
    }

    /// An object, or one made from a dictionary or array of its values.
    public static func _makeElement(from value: Any) -> Self? {
        instance(value, of: Self.self) ?? made(from: value)
    }
}
