extension List: _StoredCollection {
    /// A list of the element's type.
    public static var _collectionType: _StoredType {
        var type = Element._elementType
        type.collection = .list
        return type
    }

    /// What the list holds.
    public var _contents: _CollectionContents { .values(allElements()) }

    /// The realm, if the list is managed.
    public var _core: _RealmCore? { core }

    /// Makes the list the stored one of an object's property.
    public func _bind(to realm: _RealmCore, _ object: ObjectBase, slot: Int) {
        bind(CollectionAnchor(CollectionStorage(realm, object.table, object.key, slot)))
    }

    /// Notes what is asked of it on the way of a key path.
    public func _attach(_ tracer: AnyObject) {
        if let tracer = tracer as? KeyPathTracer { attach(tracer) }
    }

    /// The stored form of the elements of an unmanaged list.
    public func _encoded(at place: _CollectionStorage) -> _ElementBatch {
        Self.encode(elements, at: place)
    }

    /// Replaces the elements.
    public func _replaceAll(with other: List) { assign(other) }

    /// Replaces the elements by those of an array.
    public func _replaceAll(withAny value: Any) -> Bool {
        guard let values = value as? [Any] else { return false }
        let made = values.compactMap { Element._makeElement(from: $0) }
        guard made.count == values.count else { return false }
        replaceSubrange(0..<count, with: made)
        return true
    }

    /// The embedded objects that are to be stored in place of an unmanaged list's elements.
    public static func _makeLinks(_ storage: UnsafeMutableRawPointer) -> _MadeLinks? {
        guard Element._makesLinks else { return nil }
        return _MadeLinks(unmanagedValue(storage).elements.map { $0._makeLink() })
    }

    /// Hands the objects in an unmanaged list to `body`.
    public func _forEachObject(_ body: (ObjectBase) -> Void) {
        for element in elements {
            element._forEachObject(body)
        }
    }
}
