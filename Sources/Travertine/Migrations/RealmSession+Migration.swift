import TravertineStore

/// How a session that has one side of a migration changes objects, and what it refuses.
extension RealmSession {
    // MARK: Setting

    /// Sets a property of a new object; one that has the value already is not changed.
    ///
    /// - Throws: `Realm.Error` with `.invalidInput` for a value of another type.
    func setInMigration(_ object: ObjectBase, slot: Int, toAny given: Any?) throws {
        let table = object.table
        guard let migration else { return }
        migration.note(assigned: table.slots[slot].property, of: table.number)
        if let given, let constant = plainConstant(given, at: slot, in: table) {
            return try setInMigration(object, slot: slot, to: constant, migration)
        }
        let property = table.properties[slot]
        let value = given.flatMap { translatedFromOld($0) }
        let isScalar =
            property.collection == .none && property.type != .any && property.type != .object
        guard isScalar else { return try setThrowing(object, slot: slot, toAny: value) }
        try setInMigration(
            object, slot: slot, to: try constant(value, property, table), migration)
    }

    private func setInMigration(
        _ object: ObjectBase, slot: Int, to constant: RawConstant, _ migration: Migration
    ) throws {
        let table = object.table
        let row = try row(of: object)
        let current = table.value(at: slot, in: row, try table.binding(of: row))
        if constant.withRaw({ current.isSame(as: $0) }) { return }
        if table.traits(at: slot).isPrimaryKey { try migration.releasePrimaryKey(of: table) }
        constant.withRaw { set(object, slot: slot, to: $0) }
    }

    /// The stored form of a value of the type that a single property has; nil for one that must be
    /// converted, or that the property does not take.
    private func plainConstant(
        _ value: Any, at slot: Int, in table: TableState
    ) -> RawConstant? {
        let type = table.slots[slot].type
        guard type.collection == .none, let constant = RawConstant(exactly: value, of: type.type)
        else { return nil }
        if case .word(let word) = constant, type.type == .int,
            table.integerRange(at: slot)?.contains(word) == false
        {
            return nil
        }
        return constant
    }

    // MARK: Values of the old side

    /// Values by name in which old objects are replaced by what they have become.
    func translatedFromOld(_ values: [String: Any]) -> [String: Any] {
        values.mapValues { isNone($0) ? $0 : translatedFromOld($0) ?? Any?.none as Any }
    }

    /// A value in which old objects are replaced by the new ones, old embedded objects by their
    /// values, and old collections by their elements; nil for an object that was deleted.
    func translatedFromOld(_ value: Any) -> Any? {
        if value is any _Scalar { return value }
        if let object = instance(value, of: ObjectBase.self) { return translated(object) }
        if let collection = value as? any UntypedCollection { return translated(collection) }
        if let mixed = value as? AnyRealmValue {
            switch mixed {
            case .object(let object): return translated(object)
            case .list(let list): return translated(list)
            case .dictionary(let map): return translated(map)
            default: return value
            }
        }
        if let values = value as? [String: Any] { return translatedFromOld(values) }
        if let values = value as? [Any] {
            return values.compactMap { isNone($0) ? $0 : translatedFromOld($0) }
        }
        return value
    }

    private func translated(_ object: ObjectBase) -> Any? {
        guard let migration, object.session === migration.old else { return object }
        guard object.table.stored.isEmbedded else { return migration.counterpart(of: object) }
        let known = table(named: object.table.stored.name)
        var values: [String: Any] = [:]
        for (slot, property) in object.table.properties.enumerated()
        where known?.slot(named: property.name) != nil {
            let value = migration.old.value(of: object, slot: slot)
            values[property.name] = value.flatMap { translatedFromOld($0) } ?? Any?.none as Any
        }
        return values
    }

    private func translated(_ collection: any UntypedCollection) -> Any? {
        switch collection.contents {
        case .values(let values):
            return values.compactMap { isNone($0) ? $0 : translatedFromOld($0) }
        case .entries(let entries):
            let translated = entries.map { key, value in
                (key, isNone(value) ? value : translatedFromOld(value) ?? Any?.none as Any)
            }
            return Dictionary(translated, uniquingKeysWith: { $1 })
        }
    }

    // MARK: Names

    /// The slot of a property that the table has under another name; stops if there is none.
    func slotInMigration(_ name: String, _ table: TableState) -> Int {
        guard let migration else {
            NearNames.stopForProperty(name, of: table.className, table.properties.map(\.name))
        }
        let info = migration.declaration(storedAs: table.stored.name)
        let isOld = migration.old === self
        if isOld, let stored = info?.properties.first(where: { $0.name == name })?.storedName,
            let slot = table.slot(named: stored)
        {
            return slot
        }
        let names = table.properties.filter { !$0.isHidden }.map(\.name)
        if !isOld, migration.removed[table.stored.number]?[name] != nil {
            misuse(
                "The new '\(table.className)' has no property \"\(name)\" any more: read it from "
                    + "the old object." + NearNames.advice(on: name, among: names))
        }
        if isOld,
            info?.properties.contains(where: { $0.name == name || $0.storedName == name })
                == true
        {
            misuse(
                "The old '\(table.className)' has no property \"\(name)\": it is new. Ask "
                    + "`objectSchema` of the old object which properties it has."
                    + NearNames.advice(on: name, among: names))
        }
        NearNames.stopForProperty(name, of: table.className, names)
    }

    // MARK: What is refused

    func stopForChangeOfOldObject() -> Never {
        misuse(
            "The old object of a migration is only read: set the property of the new one, inside "
                + "the block.")
    }

    func stopForObjectOfMigration(_ object: ObjectBase) -> Never {
        let name = object.table.className
        if migration?.isEnded == false {
            misuse("A '\(name)' was used in a migration after it was deleted.")
        }
        misuse(
            "A '\(name)' of a migration was used after its block ended: objects of a migration "
                + "are valid inside the block only. Look it up in the realm.")
    }

    func stopForClassInMigration(_ type: ObjectBase.Type) -> Never {
        misuse(
            "A migration has objects by the names of their properties, and none of the class "
                + "'\(type.className())': use `create`, `enumerateObjects(ofType:)` and "
                + "`object[\"name\"]`.")
    }

    func stopForWrongThreadOfMigration() -> Never {
        misuse(
            "A migration and its objects belong to the thread that runs the block. Take the values "
                + "out of the objects, and pass these on.")
    }

    /// Stops while the block runs: the transaction is the migration's.
    func checkMigrationHasEnded() {
        require(
            migration?.isEnded != false,
            "The transaction of a migration is committed when its block returns, and not in it. "
                + "Throw an error in the block to leave everything as it was.")
    }
}
