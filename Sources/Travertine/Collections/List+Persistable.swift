extension List: _Persistable {
    /// A list of the element's type.
    public static var _storedType: _StoredType {
        var type = Element._elementType
        type.collection = .list
        return type
    }

    /// An empty list.
    public static func _defaultValue() -> Self { Self() }

    /// Assigning replaces the elements.
    @inlinable public static var _isCollection: Bool { true }

    /// The list of a managed object.
    public static func _read(_ object: Object, _ place: _Place) -> Self {
        preconditionFailure("lists are read by _readCold")
    }

    /// The object's one list for this property, made when first asked for.
    public static func _readCold(_ object: Object, _ offset: Int) -> Self {
        if let tracer = object.tracer {
            tracer.note(offset, in: object)
            let list = Self()
            list.attach(tracer)
            return list
        }
        let list = unmanagedValue(object._memory + offset)
        if let core = object.core, list.core == nil {
            let table = object.table
            list.bind(
                to: core, table, key: object.key, slot: Int(table.info.slotByOffset[offset / 2]))
        }
        return list
    }

    /// Replaces the elements.
    public static func _assign(_ value: List, to object: Object, at offset: Int) {
        _readCold(object, offset).assign(value)
    }

    /// Adds the elements of an unmanaged list to a row: the first call makes the piece, so that a
    /// row that is encoded twice makes one tree only.
    public static func _encode(
        _ storage: UnsafeMutableRawPointer, of object: Object, into encoder: _RowEncoder, slot: Int
    ) {
        guard let core = object.core else { return }
        if let piece = core.preparedPieces[slot] {
            piece.withUnsafeBytes { encoder.putVariable($0, at: slot) }
            return
        }
        let list = unmanagedValue(storage)
        let batch = encode(list.elements, in: core)
        do {
            let target = CollectionStorage(core, object.table, object.key, slot)
            core.preparedPieces[slot] = try target.piece(batch)
            try target.addBacklinks(batch)
        } catch {
            core.fail(error)
        }
    }

    /// Turns the object's list into the stored one; whoever holds it now changes the stored
    /// elements.
    public static func _becameManaged(
        _ storage: UnsafeMutableRawPointer, of object: Object, at offset: Int
    ) {
        guard let core = object.core else { return }
        let table = object.table
        unmanagedValue(storage).bind(
            to: core, table, key: object.key, slot: Int(table.info.slotByOffset[offset / 2]))
    }

    /// Hands the objects in an unmanaged list to `body`.
    public static func _forEachLinked(
        _ storage: UnsafeMutableRawPointer, _ body: (Object) -> Void
    ) {
        guard _storedType.type == .object else { return }
        for element in unmanagedValue(storage).elements {
            if let object = element._object { body(object) }
        }
    }

    /// The list.
    public static func _any(_ object: Object, _ offset: Int) -> Any? { _readCold(object, offset) }

    /// Replaces the elements by those of a list or an array; nil makes it empty.
    public static func _assign(any value: Any?, to object: Object, at offset: Int) -> Bool {
        let list = _readCold(object, offset)
        guard let value, !isNone(value) else {
            list.removeAll()
            return true
        }
        if let other = value as? List {
            list.assign(other)
            return true
        }
        guard let values = value as? [Any] else { return false }
        let made = values.compactMap { Element._makeElement(from: $0) }
        guard made.count == values.count else { return false }
        list.replaceSubrange(0..<list.count, with: made)
        return true
    }

    /// Rows older than the property have an empty list.
    public static func _withDefault(
        _ storage: UnsafeMutableRawPointer, _ body: (_RawValue) -> Void
    ) {
        body(.null)
    }
}
