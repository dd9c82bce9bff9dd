extension AnyRealmValue: RealmCollectionValue {
    /// Values of any type.
    public static var _elementType: _StoredType { _StoredType(.any, collection: .list) }

    /// The value with this stored form.
    public static func _element(from raw: _RawValue, at storage: _CollectionStorage)
        -> AnyRealmValue?
    {
        guard case .bytes(let bytes) = raw else { return AnyRealmValue.none }
        return MixedCode.decode(bytes, at: storage)
    }

    /// Calls `body` with the stored form; unmanaged objects are added, collections are made.
    public func _withElement(at storage: _CollectionStorage, _ body: (_RawValue) -> Void) {
        do {
            if let bytes = try storage.encode(self) { bytes.withUnsafeBytes { body(.bytes($0)) } }
        } catch {
            storage.session.fail(error)
        }
    }

    /// Calls `body` with the stored form if the realm can have the value; no list or dictionary is
    /// equal to a stored one.
    public func _withExistingElement(at storage: _CollectionStorage, _ body: (_RawValue) -> Void) {
        let bytes: [UInt8]?
        if case .object(let object) = self {
            guard storage.session.isSame(as: object.session) else { return }
            bytes = MixedCode.encode(objectOfType: object.table.stored.number, key: object.key)
        } else {
            bytes = MixedCode.encode(plain: self)
        }
        bytes?.withUnsafeBytes { body(.bytes($0)) }
    }

    /// The value, or one made of anything that one can hold.
    public static func _makeElement(from value: Any) -> AnyRealmValue? {
        AnyRealmValue(any: value)
    }

    /// Hands every object in the value to `body`; unmanaged collections that hold themselves, which
    /// storing refuses, are visited once.
    public func _forEachObject(_ body: (ObjectBase) -> Void) {
        if case .object(let object) = self { return body(object) }
        var pending = [self]
        var seen: Set<ObjectIdentifier> = []
        while let value = pending.popLast() {
            switch value {
            case .object(let object): body(object)
            case .list(let list) where list.session == nil:
                if seen.insert(ObjectIdentifier(list)).inserted {
                    pending += list.elements.reversed()
                }
            case .dictionary(let map) where map.session == nil:
                if seen.insert(ObjectIdentifier(map)).inserted {
                    pending += map.entries.values
                }
            default: break
            }
        }
    }
}

extension AnyRealmValue: _Persistable, _Indexable {
    /// Values of any type, never optional: `none` is one.
    public static var _storedType: _StoredType { _StoredType(.any) }

    /// None.
    public static func _defaultValue() -> AnyRealmValue { .none }

    /// A value may be a collection, which knows its place: always read by `_readCold`.
    @inlinable public static var _isCollection: Bool { true }

    /// Not used: values of any type are read by `_readCold`.
    public static func _read(_ object: ObjectBase, _ fieldOffset: _FieldOffset) -> AnyRealmValue {
        preconditionFailure("values of any type are read by _readCold")
    }

    /// Reads a property.
    public static func _readCold(_ object: ObjectBase, _ offset: Int) -> AnyRealmValue {
        switch object._source(at: offset) {
        case .unmanaged: return unmanagedValue(object._memory + offset)
        case .value(.bytes(let bytes)):
            guard let target = storage(object, offset) else { return .none }
            return MixedCode.decode(bytes, at: target)
        case .value, .nothing: return .none
        }
    }

    private static func storage(_ object: ObjectBase, _ offset: Int) -> CollectionStorage? {
        object.session.map {
            let slot = object.table.info.requiredSlot(atOffset: offset)
            return CollectionStorage($0, of: object, slot).here
        }
    }

    /// Sets a property.
    public static func _assign(_ value: AnyRealmValue, to object: ObjectBase, at offset: Int) {
        guard let session = object.session, let target = storage(object, offset) else {
            (object._memory + offset).assumingMemoryBound(to: Persisted<Self>.self).pointee
                .storage =
                value
            return
        }
        guard session.mayChange() else { return }
        value._withElement(at: target) { raw in
            if session.failure == nil { object._set(raw, at: offset) }
        }
    }

    /// Adds the value of an unmanaged object's property to a row: the first call makes the bytes,
    /// so that a row that is encoded twice makes one collection only.
    public static func _encode(
        _ storage: UnsafeMutableRawPointer, of object: ObjectBase, into encoder: _RowEncoder,
        slot: Int
    ) {
        guard let session = object.session else { return }
        let target = CollectionStorage(session, object.table, object.key, slot)
        encoder.putPiece(of: target) { try target.encode(unmanagedValue(storage)) ?? [] }
    }

    /// Releases the value: from now on it is read from the row.
    public static func _becameManaged(
        _ storage: UnsafeMutableRawPointer, of object: ObjectBase, at offset: Int
    ) {
        storage.assumingMemoryBound(to: Persisted<Self>.self).pointee.storage = nil
    }

    /// Hands the objects that an unmanaged property links to, to `body`.
    public static func _forEachLinked(
        _ storage: UnsafeMutableRawPointer, _ body: (ObjectBase) -> Void
    ) {
        unmanagedValue(storage)._forEachObject(body)
    }

    /// The value itself.
    public static func _any(_ object: ObjectBase, _ offset: Int) -> Any? {
        _readCold(object, offset).plain
    }

    /// Sets a property from anything that a value can hold.
    public static func _assign(any value: Any?, to object: ObjectBase, at offset: Int) -> Bool {
        guard let value = AnyRealmValue(any: value) else { return false }
        _assign(value, to: object, at: offset)
        return true
    }

    /// The stored form of a plain default; nothing for links and collections.
    public static func _withDefault(
        _ storage: UnsafeMutableRawPointer, _ body: (_RawValue) -> Void
    ) {
        (MixedCode.encode(plain: unmanagedValue(storage)) ?? []).withUnsafeBytes {
            body($0.isEmpty ? .null : .bytes($0))
        }
    }
}

extension AnyRealmValue {
    /// The value with unmanaged copies of managed collections; nil if it has none. Unmanaged ones
    /// that hold such get copies in their place, down to the level that can be stored.
    ///
    /// - Throws: `Realm.Error` with `.invalidInput`, while a realm makes or changes an object, for
    ///   a dictionary with keys that are different in a managed one only: what is stored would lose
    ///   one.
    func copyingStoredCollections(
        isForStoring: Bool = ValuesTarget.realm != nil, depth: Int = 0
    ) throws(Realm.Error) -> AnyRealmValue? {
        if depth > MixedCode.depthMax { return nil }
        func copy(_ value: AnyRealmValue) throws(Realm.Error) -> AnyRealmValue? {
            try value.copyingStoredCollections(isForStoring: isForStoring, depth: depth + 1)
        }
        switch self {
        case .list(let list) where list.session != nil:
            return .fromArray(
                try list.allElements().map { (value) throws(Realm.Error) in
                    try copy(value) ?? value
                })
        case .list(let list):
            for position in list.indices {
                if let copied = try copy(list[position]) { list[position] = copied }
            }
        case .dictionary(let map) where map.session != nil:
            var entries: [String: AnyRealmValue] = [:]
            for (key, value) in map.allEntries() {
                let copied = try copy(value) ?? value
                guard entries.updateValue(copied, forKey: key) != nil, isForStoring else {
                    continue
                }
                throw Realm.Error(
                    .invalidInput,
                    "A dictionary has two keys that are equal to '\(key)' as strings and differ in "
                        + "their bytes: it can't be copied. Change it in place.")
            }
            return .fromDictionary(entries)
        case .dictionary(let map):
            for entry in map.allEntries() {
                if let copied = try copy(entry.value) { map[entry.key] = copied }
            }
        default: break
        }
        return nil
    }
}
