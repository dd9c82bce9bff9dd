/// Custom types as elements of collections and results: what is stored is an element of the
/// stored type, and converted.
extension FailableCustomPersistable {
    /// That of the stored type.
    public static var _elementType: _StoredType { PersistedType._elementType }

    /// Whether what is stored are embedded objects.
    public static var _hasEmbeddedForm: Bool { _objectType != ObjectBase.self }

    /// The embedded object that is to be stored in place of the value, made now; nil if it is a
    /// single value.
    public func _makeEmbeddedForm() -> ObjectBase? { Self._hasEmbeddedForm ? _storedObject : nil }

    /// The class of the embedded objects that values are made of.
    public static var _objectType: ObjectBase.Type { PersistedType._objectType }

    /// The value of a stored embedded object; the default for one that makes none.
    public static func _make(_ object: ObjectBase) -> Self {
        _value(of: object) ?? _defaultValue()
    }

    /// As above; nil without a default.
    public static func _makeIfPossible(_ object: ObjectBase) -> Self? {
        _value(of: object) ?? storageDefaultValue
    }

    /// The value of a stored embedded object, if it makes one.
    public static func _value(of object: ObjectBase) -> Self? {
        PersistedType._value(of: object).flatMap { Self(persistedValue: $0) }
    }

    /// The value with this stored form.
    public static func _element(from raw: _RawValue, at storage: _CollectionStorage) -> Self? {
        PersistedType._element(from: raw, at: storage).flatMap { Self(persistedValue: $0) }
    }

    /// The value of the stored type's default; nil if that makes no value either.
    public static func _substitute(
        for raw: _RawValue, at storage: _CollectionStorage
    ) -> Self? {
        PersistedType.stored(raw, at: storage) == nil ? nil : storageDefaultValue
    }

    /// Calls `body` with the stored form for a collection; an embedded object is made and added
    /// first.
    public func _withElement(at storage: _CollectionStorage, _ body: (_RawValue) -> Void) {
        if let link = _makeEmbeddedForm() {
            link._withElement(at: storage, body)
        } else {
            persistableValue._withElement(at: storage, body)
        }
    }

    /// Calls `body` with the stored form of a single value; no stored object is that of a value.
    public func _withExistingElement(at storage: _CollectionStorage, _ body: (_RawValue) -> Void) {
        if !Self._hasEmbeddedForm { persistableValue._withExistingElement(at: storage, body) }
    }

    /// The value, or one of what is stored, or of what that converts from. Values inside of values
    /// can't wait for what they are made of: there are none that are nested without end.
    public static func _makeElement(from value: Any) -> Self? {
        if let own = value as? Self { return own }
        guard _hasEmbeddedForm else {
            return PersistedType._makeElement(from: value).flatMap { Self(persistedValue: $0) }
        }
        if PendingFillings.areNeeded { return nil }
        return PendingFillings.fillingAll { PersistedType._makeElement(from: value) }
            .flatMap { Self(persistedValue: $0) }
    }
}
