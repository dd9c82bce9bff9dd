import TravertineStore

/// A link: a property of type `T?` for a class `T` of objects.
extension ObjectBase: _PersistableInsideOptional {}

extension _PersistableInsideOptional where Self: ObjectBase {
    /// A link to the class.
    public static var _optionalStoredType: _StoredType {
        _StoredType(.object, isOptional: true, targetClass: self)
    }

    /// Reads a managed property from a row that is known to have it.
    public static func _readOptional(_ object: ObjectBase, _ place: _FieldOffset) -> Self? {
        // Nothing is counted: the handle keeps the realm, and the realm its tables.
        guard let row = object._row, object.session != nil, let table = object.tableReference else {
            return nil
        }
        return table._withUnsafeGuaranteedRef { table in
            table.followed.count &+= 1
            if place.isNull(in: row) { return nil }
            return table.coreReference._withUnsafeGuaranteedRef { session in
                if place.isVarying {
                    return session.linkedObject(
                        place.variable(in: row, byteCount: object._rowByteCount), as: Self.self)
                }
                let target = session.tableReference(of: Self.self)
                table.followed.fieldOffset = place
                table.followed.target = target
                return target._withUnsafeGuaranteedRef {
                    session.object(Self.self, key: UInt64(bitPattern: place.word(in: row)), in: $0)
                }
            }
        }
    }

    /// Reads a property in every other case.
    public static func _readOptionalCold(_ object: ObjectBase, _ offset: Int) -> Self? {
        switch object._source(at: offset) {
        case .unmanaged: return Self?.unmanagedValue(object._memory + offset)
        case .value(.word(let key)):
            return object.session?.here.object(Self.self, key: UInt64(bitPattern: key))
        case .value(.bytes(let bytes)):
            return object.session?.here.linkedObject(bytes, as: Self.self)
        case .value: return nil
        case .nothing:
            guard let tracer = object.tracer else { return nil }
            let traced = Self.newInstance()
            tracer.attach(to: traced)
            return traced
        }
    }

    /// Sets a managed property; an unmanaged target is added to the realm first. Nothing happens to
    /// an embedded object that the property has already.
    public static func _assignOptional(_ value: Self?, to object: ObjectBase, at offset: Int) {
        guard let session = object.session else { return }
        guard let value else {
            object._set(.null, at: offset)
            return
        }
        if value.session === session, value.table.stored.isEmbedded, session.mayChange(),
            _readOptionalCold(object, offset)?.isSameObject(as: value) == true
        {
            // It is set where it is.
            return
        }
        guard session.keyForLink(to: value) != nil else { return }
        session.set(object, offset: offset, toLink: value, as: Self.self)
    }

    /// Adds the link of an unmanaged object's property to a row; the target has its key already.
    public static func _encodeOptional(
        _ storage: UnsafeMutableRawPointer, of object: ObjectBase, into encoder: _RowEncoder,
        slot: Int
    ) {
        if let target = Self?.unmanagedValue(storage) {
            if type(of: target) != Self.self,
                object.session?.admits(target, ofOtherClass: object.table.properties[slot]) == false
            {
                return encoder.put(.null, at: slot)
            }
            encoder.putLink(to: target, at: slot)
        } else {
            encoder.put(.null, at: slot)
        }
    }

    /// Lets go of the target: from now on it is read from the row.
    public static func _optionalBecameManaged(_ storage: UnsafeMutableRawPointer) {
        storage.assumingMemoryBound(to: Persisted<Self?>.self).pointee.storage = nil
    }

    /// Hands the target to `body`.
    public static func _forEachLinkedOptional(
        _ storage: UnsafeMutableRawPointer, _ body: (ObjectBase) -> Void
    ) {
        if let target = Self?.unmanagedValue(storage) { body(target) }
    }

    /// Sets a link from an object, or from a dictionary or array of its values.
    public static func _assignOptional(any value: Any?, to object: ObjectBase, at offset: Int)
        -> Bool
    {
        guard let value, !isNone(value) else {
            object._setValue(Self?.none, at: offset)
            return true
        }
        if let session = ValuesTarget.updated, object.session === session,
            Self.self is EmbeddedObject.Type, let current = _readOptionalCold(object, offset),
            let values = current.info.valuesByName(value)
        {
            session.fill(current, with: values)
            return true
        }
        guard let target = instance(value, of: Self.self) ?? made(from: value) else { return false }
        object._setValue(Optional(target), at: offset)
        return true
    }

    /// Links have no default but nil.
    public static func _withOptionalDefault(
        _ storage: UnsafeMutableRawPointer, _ body: (_RawValue) -> Void
    ) {
        body(.null)
    }
}

extension ObjectBase {
    /// Sets properties from a dictionary by name, or from an array, the first ones in declared
    /// order; names that are no properties are ignored.
    ///
    /// - Throws: `Realm.Error` with `.invalidInput` for a value that does not fit.
    final func setValues(_ value: Any, except key: Int? = nil) throws(Realm.Error) {
        let properties = info.properties
        switch value {
        case let values as [String: Any?]:
            for (slot, property) in properties.enumerated() where slot != key {
                // The public name counts before the stored one.
                if let value = values[property.name] {
                    try assign(value, to: property)
                } else if property.storedName != property.name,
                    let value = values[property.storedName]
                {
                    try assign(value, to: property)
                }
            }
            setHiddenValues(values)
        case let values as [Any?]:
            guard values.count <= properties.count else {
                throw Realm.Error(
                    .invalidInput,
                    "An array of \(values.count) values can't make a \(info.className): it has "
                        + "\(properties.count) properties, and takes a value for each in order.")
            }
            for (property, value) in zip(properties, values) { try assign(value, to: property) }
        case let other as ObjectBase: try setValues(of: other)
        default:
            throw Realm.Error(
                .invalidInput,
                "A \(info.className) is made from a dictionary, an array or another object, not "
                    + "from \(type(of: value)).")
        }
    }

    private func setValues(
        of other: ObjectBase, isForOtherOwner: Bool = false
    ) throws(Realm.Error) {
        try PendingFillings.filling { () throws(Realm.Error) in
            for property in info.properties {
                let value = other.typedValue(property.name)
                try assign(Self.copied(value, isForOtherOwner: isForOtherOwner), to: property)
            }
        }
    }

    /// An unmanaged copy of an embedded object with copies of those that it owns; what it links to
    /// is the same.
    final func copyForOtherOwner() -> ObjectBase {
        let copy = type(of: self).newInstance()
        PendingFillings.fillingAll {
            copy.stoppingOrFailing(nil) { () throws(Realm.Error) in
                try copy.setValues(of: self, isForOtherOwner: true)
            }
        }
        return copy
    }

    /// Sets what a dictionary names of the stored properties that the class of a managed object
    /// leaves out.
    final func setHiddenValues(_ values: [String: Any?]) {
        guard let session, table.hasHiddenSlots else { return }
        for (name, value) in values.sorted(by: { $0.key < $1.key })
        where info.slot(named: name) == nil {
            if let slot = table.hiddenSlot(named: name) {
                session.set(self, slot: slot, toAny: value)
            }
        }
    }

    /// Sets properties as `setValues` does; a value that does not fit fails the transaction of the
    /// realm that the object is made for, and stops where there is none.
    final func fill(with value: Any, _ realm: RealmSession? = nil) {
        stoppingOrFailing(realm) { () throws(Realm.Error) in try setValues(value) }
    }

    private func stoppingOrFailing(
        _ realm: RealmSession?, _ body: () throws(Realm.Error) -> Void
    ) {
        do {
            try body()
        } catch {
            guard let realm else { misuse(error.message) }
            realm.fail(error)
        }
    }

    /// A value with copies in place of managed embedded objects, and of managed lists and
    /// dictionaries in values of any type, which have their owner already.
    ///
    /// - Parameter isForOtherOwner: whether unmanaged embedded objects are copied as well.
    private static func copied(
        _ value: Any?, isForOtherOwner: Bool = false
    ) throws(Realm.Error) -> Any? {
        func isCopied(_ session: RealmSession?) -> Bool { isForOtherOwner || session != nil }
        switch value {
        case let embedded as EmbeddedObject where isCopied(embedded.session):
            let copy = type(of: embedded).newInstance()
            if PendingFillings.areNeeded {
                let realm = ValuesTarget.realm
                PendingFillings.later {
                    copy.stoppingOrFailing(realm) { () throws(Realm.Error) in
                        try copy.setValues(of: embedded, isForOtherOwner: isForOtherOwner)
                    }
                }
            } else {
                try copy.setValues(of: embedded, isForOtherOwner: isForOtherOwner)
            }
            return copy
        case let list as List<AnyRealmValue> where list.session != nil:
            return try AnyRealmValue.list(list).copyingStoredCollections()?.listValue
        case let map as Map<String, AnyRealmValue> where map.session != nil:
            return try AnyRealmValue.dictionary(map).copyingStoredCollections()?.dictionaryValue
        case let collection as any UntypedCollection
        where isCopied(collection.session) && type(of: collection)._holdsEmbedded:
            switch collection.contents {
            case .values(let values):
                return try values.map { (value) throws(Realm.Error) in
                    try copied(value, isForOtherOwner: isForOtherOwner) ?? value
                }
            case .entries(let entries):
                var values: [String: Any] = [:]
                for (key, value) in entries {
                    values[key] = try copied(value, isForOtherOwner: isForOtherOwner) ?? value
                }
                return values
            }
        case let own as any FailableCustomPersistable:
            guard let form = own.form, isCopied(form.session) else { return own }
            let copy = try PendingFillings.fillingAll { () throws(Realm.Error) in
                try copied(form, isForOtherOwner: isForOtherOwner) as? ObjectBase
            }
            return copy.flatMap { type(of: own)._value(of: $0) } ?? own
        default: return value
        }
    }

    /// An unmanaged object with values from a dictionary by name, or an array in declared order,
    /// which may end before the properties do; the rest have their defaults.
    ///
    /// Names that are no properties are ignored. Stops for a value of another type than its
    /// property's: `Realm.create` makes an object of values that may be wrong.
    public convenience init(value: Any) {
        self.init()
        fill(with: value)
    }
}
