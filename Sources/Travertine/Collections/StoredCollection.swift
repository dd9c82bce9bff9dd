/// A collection as a property of an object: `List`, `MutableSet`, `Map`.
///
/// What the three have in common as properties: an object has one instance for each, made when it
/// is first asked for; assigning replaces the contents. Public because their conformances to
/// `_Persistable` are made of it.
public protocol _StoredCollection: AnyObject, _Persistable {
    /// An empty unmanaged collection.
    init()
    /// The type of the property.
    static var _collectionType: _StoredType { get }
    /// The realm; nil for an unmanaged collection.
    var realm: Realm? { get }
    /// Makes the collection the stored one of an object's property.
    func _bind(to storage: _CollectionStorage)
    /// Records what is read of it on the way of a key path.
    func _attach(_ tracer: AnyObject)
    /// Stores the elements of an unmanaged collection with their backlinks. Returns what the
    /// object's row holds of them, or nil after a failure.
    func _store(in storage: _CollectionStorage) throws -> [UInt8]?
    /// Replaces the elements by those of another collection of the type.
    func _replaceAll(with other: Self)
    /// Replaces the elements by those in `Any`; false if they have other types.
    func _replaceAll(withAny value: Any) -> Bool
    /// The number of elements.
    var count: Int { get }
    /// Removes every element.
    func removeAll()
    /// Hands the objects in an unmanaged collection to `body`.
    func _forEachObject(_ body: (ObjectBase) -> Void)
}

extension _StoredCollection {
    /// The session of the realm; nil for an unmanaged collection.
    var session: RealmSession? { realm?.session }

    /// Whether the elements are embedded objects.
    static var _holdsEmbedded: Bool { _collectionType.targetClass is EmbeddedObject.Type }

    /// The type as the schema stores it.
    public static var _storedType: _StoredType { _collectionType }

    /// An empty collection.
    public static func _defaultValue() -> Self { Self() }

    /// Assigning replaces the elements.
    @inlinable public static var _isCollection: Bool { true }

    /// Not used: collections are read by `_readCold`.
    public static func _read(_ object: ObjectBase, _ fieldOffset: _FieldOffset) -> Self {
        preconditionFailure("collections are read by _readCold")
    }

    /// The object's one collection for this property, made when first asked for.
    public static func _readCold(_ object: ObjectBase, _ offset: Int) -> Self {
        if let tracer = object.tracer {
            tracer.note(offset, in: object)
            let collection = Self()
            collection._attach(tracer)
            return collection
        }
        if let other = object.elsewhere { return unsharedValue(other, offset) }
        return unsharedValue(object, offset)
    }

    private static func unsharedValue(_ object: ObjectBase, _ offset: Int) -> Self {
        let collection = unmanagedValue(object._memory + offset)
        guard let session = object.session else { return collection }
        if session.tracker != nil, let slot = object.table.info.slot(atOffset: offset) {
            session.trackProperty(object, slot)
        }
        if collection.session == nil, let slot = object.table.info.slot(atOffset: offset) {
            collection._bind(to: CollectionStorage(session, of: object, slot))
        }
        return collection
    }

    /// Replaces the elements.
    public static func _assign(_ value: Self, to object: ObjectBase, at offset: Int) {
        _readCold(object, offset)._replaceAll(with: value)
    }

    /// Adds the elements of an unmanaged collection to a row: the first call makes the piece, so
    /// that a row that is encoded twice makes one tree only.
    public static func _encode(
        _ storage: UnsafeMutableRawPointer, of object: ObjectBase, into encoder: _RowEncoder,
        slot: Int
    ) {
        guard let session = object.session else { return }
        let target = CollectionStorage(session, object.table, object.key, slot)
        encoder.putPiece(of: target) {
            if let forms = session.insertion.embeddedForms?[slot] {
                try target.store(forms.encoded(at: target))
            } else {
                try unmanagedValue(storage)._store(in: target)
            }
        }
    }

    /// Turns the object's collection into the stored one; code that holds it now changes the stored
    /// elements.
    public static func _becameManaged(
        _ storage: UnsafeMutableRawPointer, of object: ObjectBase, at offset: Int
    ) {
        guard let session = object.session else { return }
        let slot = object.table.info.requiredSlot(atOffset: offset)
        unmanagedValue(storage)._bind(to: CollectionStorage(session, of: object, slot))
    }

    /// Hands the objects in an unmanaged collection to `body`.
    public static func _forEachLinked(
        _ storage: UnsafeMutableRawPointer, _ body: (ObjectBase) -> Void
    ) {
        if _collectionType.mayLink { unmanagedValue(storage)._forEachObject(body) }
    }

    /// The collection.
    public static func _any(_ object: ObjectBase, _ offset: Int) -> Any? {
        _readCold(object, offset)
    }

    /// Replaces the elements; nil makes the collection empty.
    public static func _assign(any value: Any?, to object: ObjectBase, at offset: Int) -> Bool {
        let collection = _readCold(object, offset)
        guard let value, !isNone(value) else {
            collection.removeAll()
            return true
        }
        if let other = instance(value, of: Self.self) {
            collection._replaceAll(with: other)
            return true
        }
        return collection._replaceAll(withAny: value)
    }

    /// Rows older than the property have an empty collection.
    public static func _withDefault(
        _ storage: UnsafeMutableRawPointer, _ body: (_RawValue) -> Void
    ) {
        body(.null)
    }
}

extension _RowEncoder {
    /// Adds what a row holds of a collection, or of a value that may have one. `make` is called for
    /// the first of several encodings of an object, which stores the elements.
    func putPiece(of storage: CollectionStorage, _ make: () throws -> [UInt8]?) {
        let (session, slot) = (storage.session, storage.slot)
        if let piece = session.insertion.preparedPieces[slot] {
            return piece.withUnsafeBytes { putVariable($0, at: slot) }
        }
        do {
            session.insertion.preparedPieces[slot] = try make()
        } catch {
            session.fail(error)
        }
    }
}

extension CollectionStorage {
    /// Stores the elements of a new collection with their backlinks. Returns what the object's row
    /// holds of them, or nil after a failure.
    func store(_ batch: ElementBatch) throws -> [UInt8]? {
        if session.failure != nil { return nil }
        let piece = try piece(batch)
        try addBacklinks(batch)
        return piece
    }
}

extension _StoredType {
    /// Whether values can be links to objects.
    var mayLink: Bool { type == .object || type == .any }
}
