/// Custom types as properties: what is stored is read and written as an optional of the stored
/// type is, and converted. Values that are stored as embedded objects are links.
extension FailableCustomPersistable {
    /// That of the stored type; links can be nil.
    public static var _storedType: _StoredType {
        var type = PersistedType._optionalStoredType
        type.isOptional = type.type == .object
        return type
    }

    /// That of the stored type's optional.
    public static var _optionalStoredType: _StoredType { PersistedType._optionalStoredType }

    /// The value of what is stored, if it makes one.
    private static func made(of stored: PersistedType?) -> Self? {
        stored.flatMap { Self(persistedValue: $0) }
    }

    // MARK: Reading

    /// Reads a managed property; a stored value that makes none reads as the default, which is the
    /// property's initial value where the stored type's own makes none either. Where no embedded
    /// object is stored it is the initial value.
    public static func _read(_ object: ObjectBase, _ fieldOffset: _FieldOffset) -> Self {
        let stored = PersistedType._readOptional(object, fieldOffset)
        if let value = made(of: stored) { return value }
        return substitute(object, object.offset(of: fieldOffset), isStored: stored != nil)
    }

    /// Reads a managed optional property; nil for a stored value that makes none.
    public static func _readOptional(_ object: ObjectBase, _ fieldOffset: _FieldOffset) -> Self? {
        made(of: PersistedType._readOptional(object, fieldOffset))
    }

    /// Reads a property in every other case.
    public static func _readCold(_ object: ObjectBase, _ offset: Int) -> Self {
        if object.tracer != nil {
            // What the value is made of is no part of the path.
            _ = object._source(at: offset)
            return substitute(object, offset, isStored: true)
        }
        if object.session == nil { return unmanagedValue(object._memory + offset) }
        let stored = PersistedType._readOptionalCold(object, offset)
        return made(of: stored) ?? substitute(object, offset, isStored: stored != nil)
    }

    /// Reads an optional property in every other case.
    public static func _readOptionalCold(_ object: ObjectBase, _ offset: Int) -> Self? {
        if object.tracer != nil {
            _ = object._source(at: offset)
            return nil
        }
        if object.session == nil { return Self?.unmanagedValue(object._memory + offset) }
        return made(of: PersistedType._readOptionalCold(object, offset))
    }

    /// What a property reads as that has no value: of links that are nil, which are those of
    /// objects older than the property, the initial value, as other properties have it stored.
    private static func substitute(
        _ object: ObjectBase, _ offset: Int?, isStored: Bool
    ) -> Self {
        if isStored || !_hasEmbeddedForm, let value = storageDefaultValue { return value }
        return offset.flatMap { declaredValue(object, $0) } ?? _defaultValue()
    }

    /// The value of a property as `Any`.
    public static func _any(_ object: ObjectBase, _ offset: Int) -> Any? {
        _readCold(object, offset)
    }

    /// The value; what is stored if it makes none, and always if it is an embedded object.
    public static func _shown(_ object: ObjectBase, _ offset: Int) -> Any? {
        if object.session == nil {
            let value = unmanagedValue(object._memory + offset)
            return value._makeEmbeddedForm() ?? value
        }
        return shownStored(object, offset) ?? (_hasEmbeddedForm ? nil : _readCold(object, offset))
    }

    /// As above, of an optional property.
    public static func _shownOptional(_ object: ObjectBase, _ offset: Int) -> Any? {
        if object.session == nil {
            guard let value = Self?.unmanagedValue(object._memory + offset) else { return nil }
            return value._makeEmbeddedForm() ?? value
        }
        return shownStored(object, offset)
    }

    private static func shownStored(_ object: ObjectBase, _ offset: Int) -> Any? {
        let stored = PersistedType._shownOptional(object, offset)
        if _hasEmbeddedForm { return stored }
        return made(of: stored as? PersistedType) ?? stored
    }

    // MARK: Setting

    /// Sets a managed property.
    public static func _assign(_ value: Self, to object: ObjectBase, at offset: Int) {
        _assignOptional(value, to: object, at: offset)
    }

    /// Sets a managed property; an embedded object is made anew, and the former one deleted.
    public static func _assignOptional(_ value: Self?, to object: ObjectBase, at offset: Int) {
        guard let value else { return object._set(.null, at: offset) }
        guard _hasEmbeddedForm else {
            return PersistedType._assignOptional(value.persistableValue, to: object, at: offset)
        }
        guard let session = object.session, let link = value._makeEmbeddedForm(),
            session.keyForLink(to: link) != nil
        else { return }
        session.set(object, offset: offset, toLink: link, as: EmbeddedObject.self)
    }

    /// Sets a property from a value, or from what a value is made of; nil is the value that it has
    /// in a new object.
    public static func _assign(any value: Any?, to object: ObjectBase, at offset: Int) -> Bool {
        guard let value, !isNone(value) else {
            guard let initial = declaredValue(object, offset) ?? storageDefaultValue else {
                return false
            }
            object._setValue(initial, at: offset)
            return true
        }
        if changesStored(value, of: object, at: offset) { return true }
        guard let converted = _makeElement(from: value) else { return false }
        object._setValue(converted, at: offset)
        return true
    }

    /// Sets an optional property from a value, or from what a value is made of; nil for what makes
    /// none.
    public static func _assignOptional(any value: Any?, to object: ObjectBase, at offset: Int)
        -> Bool
    {
        guard let value, !isNone(value) else {
            object._setValue(Self?.none, at: offset)
            return true
        }
        if changesStored(value, of: object, at: offset) { return true }
        let converted = _makeElement(from: value)
        if converted == nil, !_refuses(value) { return false }
        object._setValue(converted, at: offset)
        return true
    }

    /// Whether a value is stored, or converts to what is, and makes none of the type.
    public static func _refuses(_ value: Any) -> Bool {
        if value is Self { return false }
        guard let stored = PersistedType._makeElement(from: value) else {
            return PersistedType._refuses(value)
        }
        return Self(persistedValue: stored) == nil
    }

    /// Changes the embedded object that is stored by a dictionary, where an update does so.
    private static func changesStored(_ value: Any, of object: ObjectBase, at offset: Int) -> Bool {
        guard _hasEmbeddedForm, let session = ValuesTarget.updated, object.session === session,
            let current = PersistedType._shownOptional(object, offset) as? ObjectBase,
            let values = current.info.valuesByName(value)
        else { return false }
        session.fill(current, with: values)
        return true
    }

    // MARK: Adding

    /// Adds the value of an unmanaged object's property to a row.
    public static func _encode(
        _ storage: UnsafeMutableRawPointer, of object: ObjectBase, into encoder: _RowEncoder,
        slot: Int
    ) {
        if _hasEmbeddedForm { return encodeLink(of: object, into: encoder, slot: slot) }
        withStored(unmanagedValue(storage)) {
            PersistedType._encodeOptional($0, of: object, into: encoder, slot: slot)
        }
    }

    /// Adds the value of an unmanaged object's optional property to a row.
    public static func _encodeOptional(
        _ storage: UnsafeMutableRawPointer, of object: ObjectBase, into encoder: _RowEncoder,
        slot: Int
    ) {
        if _hasEmbeddedForm { return encodeLink(of: object, into: encoder, slot: slot) }
        withStored(Self?.unmanagedValue(storage)) {
            PersistedType._encodeOptional($0, of: object, into: encoder, slot: slot)
        }
    }

    private static func encodeLink(
        of object: ObjectBase, into encoder: _RowEncoder, slot: Int
    ) {
        guard let session = object.session,
            let link = session.insertion.embeddedForms?[slot]?.objects.first ?? nil,
            session.admits(link, ofOtherClass: object.table.properties[slot])
        else { return encoder.put(.null, at: slot) }
        encoder.putLink(to: link, at: slot)
    }

    /// Calls `body` with the address of a wrapper that has what is stored for a value.
    private static func withStored<Result>(
        _ value: Self?, _ body: (UnsafeMutableRawPointer) -> Result
    ) -> Result {
        var wrapper = Persisted<PersistedType?>(wrappedValue: value?.persistableValue)
        return withUnsafeMutablePointer(to: &wrapper) { body(UnsafeMutableRawPointer($0)) }
    }

    /// The embedded object that is to be stored in place of an unmanaged property's value.
    public static func _makeEmbeddedForms(_ storage: UnsafeMutableRawPointer) -> [(
        key: String, object: ObjectBase?
    )]? {
        _hasEmbeddedForm ? [("", unmanagedValue(storage)._makeEmbeddedForm())] : nil
    }

    /// The embedded object that is to be stored in place of an unmanaged optional property's value.
    public static func _makeOptionalEmbeddedForms(_ storage: UnsafeMutableRawPointer) -> [(
        key: String, object: ObjectBase?
    )]? {
        _hasEmbeddedForm ? [("", Self?.unmanagedValue(storage)?._makeEmbeddedForm())] : nil
    }

    /// Nothing to do for values.
    public static func _optionalBecameManaged(_ storage: UnsafeMutableRawPointer) {}

    /// Values link to nothing before they are stored.
    public static func _forEachLinkedOptional(
        _ storage: UnsafeMutableRawPointer, _ body: (ObjectBase) -> Void
    ) {}

    /// The stored form of the value that a fresh instance has; null for links, and for a type that
    /// makes no value of the stored type's default.
    public static func _withDefault(
        _ storage: UnsafeMutableRawPointer, _ body: (_RawValue) -> Void
    ) {
        if _hasEmbeddedForm { return body(.null) }
        let wrapper = storage.assumingMemoryBound(to: Persisted<Self>.self)
        if wrapper.pointee.storage == nil {
            guard let value = storageDefaultValue else { return body(.null) }
            wrapper.pointee.storage = value
        }
        withStored(unmanagedValue(storage)) { PersistedType._withOptionalDefault($0, body) }
    }

    /// The stored form of the value that a fresh instance has; null for links.
    public static func _withOptionalDefault(
        _ storage: UnsafeMutableRawPointer, _ body: (_RawValue) -> Void
    ) {
        if _hasEmbeddedForm { return body(.null) }
        withStored(Self?.unmanagedValue(storage)) { PersistedType._withOptionalDefault($0, body) }
    }
}

extension ObjectBase {
    /// The byte offset of the wrapper whose property has a place in the object's row.
    fileprivate final func offset(of fieldOffset: _FieldOffset) -> Int? {
        guard let places = _fieldOffsets else { return nil }
        return info.properties.first {
            let other = places[$0.offset / 2]
            return other.offset == fieldOffset.offset && other.shift == fieldOffset.shift
                && other.nullBit == fieldOffset.nullBit && other.start == fieldOffset.start
        }?.offset
    }
}
