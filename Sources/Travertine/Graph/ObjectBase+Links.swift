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
