/// Adding, deleting and finding objects.
extension Realm {
    /// What `add` and `create` do with an object whose primary key exists.
    public enum UpdatePolicy: Int, Sendable {
        /// It is an error: the transaction fails with `.duplicatePrimaryKey`.
        case error = 1
        /// The existing object takes the values that differ.
        case modified = 3
        /// The existing object takes all values.
        case all = 2
    }

    /// Adds an object, and every object that it links to; they become managed.
    public func add(_ object: Object, update: UpdatePolicy = .error) {
        session.add(object, update: update)
    }

    /// Adds objects, and every object that they link to.
    public func add<Objects: Sequence>(_ objects: Objects, update: UpdatePolicy = .error)
    where Objects.Element: Object {
        for object in objects { session.add(object, update: update) }
    }

    /// Makes an object from a dictionary by name, an array for the first properties in declared
    /// order or another object, and adds it. Updating changes only the properties that a dictionary
    /// or an array has values for, also of embedded objects and of those with primary keys that are
    /// linked to; one without the primary key is one with the key that a new object has. The
    /// embedded objects of a list are changed by their positions; those of a map are made anew.
    ///
    /// Unmanaged objects among the values are copied, with what they link to.
    /// Names that are no properties are ignored; of a public and a stored name of one property the
    /// public one counts. A value that does not fit fails the transaction (`.invalidInput`).
    /// Objects of other realms in it, and objects that lead to such, are copied.
    @discardableResult
    public func create<Model: Object>(
        _ type: Model.Type, value: Any = [String: Any](), update: UpdatePolicy = .error
    ) -> Model {
        session.requireWriting()
        let info = ClassInfo.of(type)
        let given = value
        let value = session.localized(given, for: info)
        if let original = instance(given, of: ObjectBase.self),
            let copy = instance(value, of: Model.self), copy !== original,
            Swift.type(of: copy) == type
        {
            session.add(copy, update: update)
            return copy
        }
        if update == .error { return session.make(type.newInstance(), of: value, update) }
        return ValuesTarget.with(session, isChanging: true, isUpdating: true) {
            if let values = info.valuesByName(value),
                let existing = session.existing(info, values) as? Model
            {
                session.fill(existing, with: values, except: info.primaryKeySlot)
                return existing
            }
            return session.make(type.newInstance(), of: value, update)
        }
    }

    /// Deletes an object; links to it become nil, and it leaves the lists that it is in.
    public func delete(_ object: ObjectBase) { session.delete(object) }

    /// Deletes objects.
    public func delete<Objects: Sequence>(_ objects: Objects) where Objects.Element: ObjectBase {
        session.delete(Array(objects))
    }

    /// Deletes the objects of results.
    public func delete<Model: ObjectBase>(_ objects: Results<Model>) { objects.deleteAll() }

    /// Deletes the objects that a list links to.
    public func delete<Model: ObjectBase>(_ objects: List<Model>) { session.delete(Array(objects)) }

    /// Deletes every object of the realm's types, except asymmetric ones.
    public func deleteAll() { session.deleteAll() }

    /// The object with a primary key, or nil. Costs one look-up.
    public func object<Model: Object, Key>(
        ofType type: Model.Type, forPrimaryKey key: Key
    ) -> Model? {
        // On the realm's own thread no reference to its session is counted.
        if Key.self == Int.self, session.isHere {
            let reference = session.tableReference(of: type)
            if reference._withUnsafeGuaranteedRef({ $0.hasIntegerKeys }) {
                let word = Int64(unsafeBitCast(key, to: Int.self))
                return reference._withUnsafeGuaranteedRef {
                    session.object(
                        type, key: StoredObjectType.objectKey(ofPrimaryKey: word), in: $0)
                }
            }
        }
        return object(type, key, session.here)
    }

    @inline(never)
    private func object<Model: Object, Key>(
        _ type: Model.Type, _ key: Key, _ session: RealmSession
    ) -> Model? {
        let table = session.table(of: type)
        let constant = session.constant(ofPrimaryKey: key, in: table)
        do {
            if table.stored.keyKind == .integerPrimaryKey, case .word(let word) = constant {
                return session.object(type, key: StoredObjectType.objectKey(ofPrimaryKey: word))
            }
            return try session.key(forPrimaryKey: constant, in: table).flatMap {
                session.object(type, key: $0)
            }
        } catch {
            session.damage = error
            return nil
        }
    }

    /// All objects of a type, or a projection of all its objects; live and lazy.
    ///
    /// Objects of derived classes have their own types and are not among them.
    public func objects<Element: RealmFetchable>(_ type: Element.Type) -> Results<Element> {
        let session = session.here
        let table = session.table(of: type._objectType)
        session.checkIsReadable(table)
        return Results(session, table)
    }

    /// All objects of a type and of the classes derived from it; live and lazy.
    ///
    /// Each object has its actual class, so that `as?` distinguishes them. Without sorting those of
    /// the type come first, then those of the derived classes in the order of their names.
    public func objects<Element: RealmFetchable>(
        _ type: Element.Type, includingSubclasses: Bool
    ) -> Results<Element> {
        let session = session.here
        let base = type._objectType
        let table = session.table(of: base)
        session.checkIsReadable(table)
        let derived = includingSubclasses ? session.tables(ofClassesFrom: base).dropFirst() : []
        return Results(session, table, derived: Array(derived))
    }
}
