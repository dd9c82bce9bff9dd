/// Projections as elements of results.
extension Projection {
    /// The class of the objects that are seen.
    public static var _objectType: ObjectBase.Type { Root.self }

    /// A view of a stored object.
    public static func _make(_ object: ObjectBase) -> Self {
        self.init(projecting: unsafeDowncast(object, to: Root.self))
    }

    /// Links to the objects that are seen.
    public static var _elementType: _StoredType { Root._elementType }

    /// A view of the object with this stored form.
    public static func _element(from raw: _RawValue, at storage: _CollectionStorage) -> Self? {
        Root._element(from: raw, at: storage).map { self.init(projecting: $0) }
    }

    /// Calls `body` with the stored form of the object.
    public func _withElement(at storage: _CollectionStorage, _ body: (_RawValue) -> Void) {
        rootObject._withElement(at: storage, body)
    }

    /// Calls `body` with the stored form of the object if it is in the realm.
    public func _withExistingElement(at storage: _CollectionStorage, _ body: (_RawValue) -> Void) {
        rootObject._withExistingElement(at: storage, body)
    }

    /// The object that is seen.
    public var _object: ObjectBase? { rootObject }
}
