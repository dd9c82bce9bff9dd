import TravertineStore

/// The realm that values by name are meant for while objects are made of them.
struct ValuesTarget: @unchecked Sendable {
    // Unchecked: a task-local value is seen by the code that runs inside `with` alone, on the
    // thread of the realm.
    private let realm: RealmSession
    private let isChanging: Bool
    private let isUpdating: Bool

    @TaskLocal private static var current: ValuesTarget?

    /// Runs `body`; a value in a dictionary in it that does not fit fails the realm's transaction.
    ///
    /// - Parameter isChanging: whether dictionaries with the primary keys of stored objects change
    ///   these.
    /// - Parameter isUpdating: whether dictionaries change embedded objects, too, in place of
    ///   making others; nil for what holds around it.
    static func with<Result>(
        _ realm: RealmSession, isChanging: Bool, isUpdating: Bool? = nil,
        _ body: () throws -> Result
    ) rethrows -> Result {
        let target = ValuesTarget(
            realm: realm, isChanging: isChanging,
            isUpdating: isUpdating ?? current?.isUpdating ?? false)
        return try $current.withValue(target, operation: body)
    }

    /// The realm, inside `with`.
    static var realm: RealmSession? { current?.realm }

    /// The realm whose stored objects dictionaries change, inside `with`.
    static var changed: RealmSession? { current.flatMap { $0.isChanging ? $0.realm : nil } }

    /// The realm whose embedded objects dictionaries change, inside `with`.
    static var updated: RealmSession? { current.flatMap { $0.isUpdating ? $0.realm : nil } }
}

extension RealmSession {
    /// The stored object whose primary key is among values by name; where it is not, the one with
    /// the key that a new object has.
    func existing(_ info: ClassInfo, _ values: [String: Any]) -> ObjectBase? {
        guard let slot = info.primaryKeySlot else { return nil }
        let property = info.properties[slot]
        let constant: RawConstant?
        if let value = values[property.name] ?? values[property.storedName] {
            constant = RawConstant(value, of: property)
        } else if !property.type.isOptional,
            property.type.type == .objectId || property.type.type == .UUID
        {
            // Each new object has another.
            return nil
        } else {
            constant = property.defaultValue
        }
        guard let constant else { return nil }
        let table = table(of: info.type)
        do {
            return try key(forPrimaryKey: constant, in: table).flatMap { object($0, in: table) }
        } catch {
            fail(error)
            return nil
        }
    }
}

extension RealmSession {
    /// Sets properties of an object; a value that does not fit fails the transaction.
    func fill(_ object: ObjectBase, with value: Any, except slot: Int? = nil) {
        do {
            try object.setValues(value, except: slot)
        } catch {
            fail(error)
        }
    }

    /// Fills a new object with values and adds it.
    func make<Model: ObjectBase>(
        _ object: Model, of value: Any, _ update: Realm.UpdatePolicy
    ) -> Model {
        if ValuesTarget.realm == nil, !ClassInfo.of(type(of: object)).referenceSlots.isEmpty {
            ValuesTarget.with(self, isChanging: false) { fill(object, with: value) }
        } else {
            fill(object, with: value)
        }
        add(object, update: update)
        if object.session === self, object.table.hasHiddenSlots,
            let values = value as? [String: Any?]
        {
            object.setHiddenValues(values)
        }
        return object
    }
}

extension ObjectBase {
    /// An object made of a dictionary or array of its values; nil for anything else.
    ///
    /// Inside `ValuesTarget.with` it may be the stored one with the primary key, if there is one,
    /// of which only the values that are named change.
    static func made(from value: Any) -> Self? {
        guard value is [String: Any] || value is [Any] else { return nil }
        return PendingFillings.filling { madeInside(from: value) }
    }

    private static func madeInside(from value: Any) -> Self? {
        let info = ClassInfo.of(self)
        if let session = ValuesTarget.changed, let slot = info.primaryKeySlot {
            let isUpdating = ValuesTarget.updated === session
            let named = isUpdating ? info.valuesByName(value) : value as? [String: Any]
            guard let values = named, let existing = session.existing(info, values) as? Self else {
                return added(from: value, slot, session, isUpdating ? .modified : .error)
            }
            if PendingFillings.areNeeded {
                PendingFillings.later { session.fill(existing, with: values, except: slot) }
            } else {
                session.fill(existing, with: values, except: slot)
            }
            return existing
        }
        let (object, realm) = (Self.newInstance(), ValuesTarget.realm)
        if PendingFillings.areNeeded {
            PendingFillings.later { object.fill(with: value, realm) }
        } else {
            object.fill(with: value, realm)
        }
        return object
    }

    /// A new object that is added. Where the stack is short it has only its primary key at first.
    private static func added(
        from value: Any, _ slot: Int, _ session: RealmSession, _ update: Realm.UpdatePolicy
    ) -> Self {
        let info = ClassInfo.of(self)
        guard PendingFillings.areNeeded, let values = info.valuesByName(value) else {
            return session.make(Self.newInstance(), of: value, update)
        }
        let names = [info.properties[slot].name, info.properties[slot].storedName]
        let object = session.make(
            Self.newInstance(), of: values.filter { names.contains($0.key) }, update)
        PendingFillings.later { session.fill(object, with: values, except: slot) }
        return object
    }
}
