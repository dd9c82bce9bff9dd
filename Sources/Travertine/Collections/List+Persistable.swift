/// What `@Persisted` asks of a list.
extension List: _StoredCollection {
    /// A list of the element's type.
    public static var _collectionType: _StoredType {
        var type = Element._elementType
        type.collection = .list
        return type
    }

    /// Makes the list the stored one of an object's property.
    public func _bind(to storage: _CollectionStorage) {
        bind(CollectionAnchor(storage))
    }

    /// Notes what is asked of it on the way of a key path.
    public func _attach(_ tracer: AnyObject) {
        if let tracer = tracer as? KeyPathTracer { attach(tracer) }
    }

    /// Stores the elements of an unmanaged list with their backlinks.
    public func _store(in storage: _CollectionStorage) throws -> [UInt8]? {
        try storage.store(Self.encode(elements, at: storage))
    }

    /// Replaces the elements.
    public func _replaceAll(with other: List) { assign(other) }

    /// Replaces the elements by those of any collection; an update changes embedded objects by
    /// their positions.
    public func _replaceAll(withAny value: Any) -> Bool {
        if isSameCollection(as: value) { return true }
        guard let values = anyElements(of: value) else { return false }
        if let session, ValuesTarget.updated === session, Element.self is EmbeddedObject.Type {
            return update(by: values, session)
        }
        let made = values.compactMap { Element._makeElement(from: $0) }
        guard made.count == values.count else { return false }
        replaceSubrange(0..<count, with: made)
        return true
    }

    /// Changes the embedded objects of a stored list by their positions: by dictionaries and arrays
    /// of their values, and by unmanaged objects of their classes. False if an element has another
    /// type.
    private func update(by values: [Any], _ session: RealmSession) -> Bool {
        removeSubrange(Swift.min(values.count, count)..<count)
        for (position, value) in values.enumerated() {
            let current = position < count ? self[position]._object : nil
            if let current, let named = current.info.valuesByName(value) {
                session.fill(current, with: named)
            } else if let current, let other = value as? ObjectBase, other.session == nil,
                type(of: other) == type(of: current)
            {
                session.fill(current, with: other)
            } else {
                guard let element = Element._makeElement(from: value) else { return false }
                if current == nil {
                    append(element)
                } else if current?.isSameObject(as: element._object) != true {
                    self[position] = element
                }
            }
            // Nothing is appended after a failure: the next positions would not be there.
            if session.failure != nil { return true }
        }
        return true
    }

    /// The embedded objects that are to be stored in place of an unmanaged list's elements.
    public static func _makeEmbeddedForms(_ storage: UnsafeMutableRawPointer) -> [(
        key: String, object: ObjectBase?
    )]? {
        guard Element._hasEmbeddedForm else { return nil }
        return unmanagedValue(storage).elements.map { ("", $0._makeEmbeddedForm()) }
    }

    /// Hands the objects in an unmanaged list to `body`.
    public func _forEachObject(_ body: (ObjectBase) -> Void) {
        for element in elements {
            element._forEachObject(body)
        }
    }
}

extension List: UntypedCollection {
    /// What the list holds.
    var contents: CollectionContents { .values(allElements()) }
}
