import TravertineStore

/// The realm in which dictionaries that stand for objects change those that exist.
struct ValuesTarget: @unchecked Sendable {
    // Unchecked: a task-local value is seen by the code that runs inside `changing` alone, on the
    // thread of the realm.
    private let core: RealmCore

    @TaskLocal private static var current: ValuesTarget?

    /// Runs `body`; dictionaries with the primary keys of stored objects change these in it.
    static func changing<Result>(_ core: RealmCore, _ body: () throws -> Result) rethrows -> Result
    {
        try $current.withValue(ValuesTarget(core: core), operation: body)
    }

    /// The realm, inside `changing`.
    static var core: RealmCore? { current?.core }
}

extension RealmCore {
    /// The stored object whose primary key is among values by name.
    func existing(_ info: ClassInfo, _ values: [String: Any]) -> ObjectBase? {
        guard let slot = info.primaryKeySlot else { return nil }
        let property = info.properties[slot]
        guard let value = values[property.name] ?? values[property.storedName],
            let constant = QueryConstant(value, property.type.type)
        else { return nil }
        let table = table(of: info.type)
        do {
            let key = try constant.withRaw { raw in
                Result { try self.key(forPrimaryKey: raw, in: table) }
            }.get()
            return key.flatMap { object($0, in: table) }
        } catch {
            fail(error)
            return nil
        }
    }
}

extension ObjectBase {
    /// An object made of a dictionary or array of its values; nil for anything else.
    ///
    /// Inside `ValuesTarget.changing` it is the stored one with the primary key, if there is one, of
    /// which only the values that are named change.
    static func made(from value: Any) -> Self? {
        guard value is [String: Any] || value is [Any] else { return nil }
        let info = ClassInfo.of(self)
        guard let core = ValuesTarget.core, info.primaryKeySlot != nil else {
            let object = Self.init()
            object.setValues(value)
            return object
        }
        if let values = value as? [String: Any],
            let existing = core.existing(info, values) as? Self
        {
            existing.setValues(values, except: info.primaryKeySlot)
            return existing
        }
        let object = Self.init()
        object.setValues(value)
        core.add(object, update: .modified)
        return object
    }

    /// Sets properties from a dictionary by name, except one.
    func setValues(_ values: [String: Any], except slot: Int?) {
        setValues(values.filter { info.slot(named: $0.key) != slot })
    }
}
