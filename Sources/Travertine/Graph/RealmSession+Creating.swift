import TravertineStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Making and changing objects by values of named properties, without their class.
extension RealmSession {
    /// Makes an object of values by name; those that are not named have their defaults.
    func create(
        _ values: [String: Any], in table: TableState, update: Realm.UpdatePolicy
    ) throws -> UInt64 {
        let outer = insertion.linkedUpdate
        insertion.linkedUpdate = update
        defer { insertion.linkedUpdate = outer }
        let given = try given(isOfMigration ? translatedFromOld(values) : values, table)
        try checkPrimaryKey(given, table)
        var constants = table.properties.indices.map { defaultConstant(at: $0, in: table) }
        var later: [Int] = []
        for (slot, value) in given.sorted(by: { $0.key < $1.key }) {
            let property = table.properties[slot]
            if property.collection != .none || property.type == .any || property.type == .object {
                later.append(slot)
            } else {
                constants[slot] = try constant(value, property, table)
            }
        }
        let (key, exists) = try self.key(for: constants, in: table, update)
        if exists {
            later = given.keys.filter { !table.properties[$0].isPrimaryKey }.sorted()
        } else {
            try rowWriter(table, requireTransaction()).store(
                ConstantSource(constants: constants), key: key, exists: false)
            advance()
        }
        guard let object = dynamicObject(key, in: table) else { throw table.damagedRow() }
        for slot in later {
            let value = given[slot] ?? nil
            if exists, try changeEmbedded(of: object, slot: slot, by: value) { continue }
            try setThrowing(object, slot: slot, toAny: value)
        }
        if let failure { throw failure }
        return key
    }

    /// Changes what a dictionary names of an embedded object; false where there is none yet, or the
    /// value is something else.
    private func changeEmbedded(
        of object: ObjectBase, slot: Int, by value: Any?
    ) throws -> Bool {
        let property = object.table.properties[slot]
        guard property.type == .object || property.isVarying else { return false }
        if property.collection == .list {
            return try changeEmbeddedElements(of: object, slot: slot, by: value)
        }
        guard property.collection == .none, let value,
            let current = self.value(of: object, slot: slot) as? DynamicObject,
            current.table.stored.isEmbedded, let values = current.table.valuesByName(value)
        else { return false }
        try change(current, by: values)
        return true
    }

    /// Changes the embedded objects of a list by their positions; false where the list has others,
    /// or the value is something else.
    private func changeEmbeddedElements(
        of object: ObjectBase, slot: Int, by value: Any?
    ) throws -> Bool {
        let property = object.table.properties[slot]
        guard let value, let values = anyElements(of: value),
            table(named: property.target)?.stored.isEmbedded == true,
            let list = self.value(of: object, slot: slot) as? List<DynamicObject>,
            !list.isSameCollection(as: value)
        else { return false }
        let kept = min(list.count, values.count)
        list.removeSubrange(kept..<list.count)
        for (position, value) in values.enumerated() {
            if position < kept, let named = list[position].table.valuesByName(value) {
                try change(list[position], by: named)
                continue
            }
            guard let element = try target(value, property),
                let made = withoutClass(element)
            else { throw mismatch(value, property, object.table) }
            if position == list.count {
                list.append(made)
            } else if !list[position].isSameObject(as: made) {
                list[position] = made
            }
        }
        return true
    }

    /// Changes what is named of an embedded object.
    private func change(_ object: DynamicObject, by values: [String: Any]) throws {
        for (slot, value) in try given(values, object.table).sorted(by: { $0.key < $1.key }) {
            if try changeEmbedded(of: object, slot: slot, by: value) { continue }
            try setThrowing(object, slot: slot, toAny: value)
        }
    }

    /// Values by slot, which are named by public or stored names.
    private func given(_ values: [String: Any], _ table: TableState) throws -> [Int: Any?] {
        var given: [Int: Any?] = [:]
        for (name, value) in values {
            guard let slot = table.slot(named: name) else {
                throw Realm.Error(
                    .invalidInput,
                    "'\(table.stored.name)' has no property '\(name)'."
                        + NearNames.advice(on: name, among: table.properties.map(\.name)),
                    fileURL: shared.fileURL)
            }
            // Of a public name and a stored one for one property, the public one counts.
            if given[slot] != nil, name == table.properties[slot].name { continue }
            given[slot] = .some(isNone(value) ? nil : value)
        }
        return given
    }

    /// An object to which no key was given would be one with the key 0 or "", and change it.
    private func checkPrimaryKey(_ given: [Int: Any?], _ table: TableState) throws {
        guard let slot = table.properties.firstIndex(where: \.isPrimaryKey), given[slot] == nil
        else { return }
        let property = table.properties[slot]
        if !property.isOptional, property.type == .objectId || property.type == .UUID { return }
        throw Realm.Error(
            .invalidInput,
            "Missing value for primary key '\(table.stored.name).\(property.name)'.",
            fileURL: shared.fileURL)
    }

    /// What a property has that is given no value.
    func defaultConstant(at slot: Int, in table: TableState) -> RawConstant {
        let property = table.properties[slot]
        if property.collection == .none, !property.isOptional {
            if property.type == .objectId { return .of(ObjectId.generate()) }
            if property.type == .UUID { return .of(UUID()) }
            if property.type == .date, slot < table.visibleCount,
                table.classInfo?.properties[slot].startsAsNow == true
            {
                return .of(Date())
            }
        }
        switch table.defaultValue(at: slot) {
        case .null: return property.collection == .none ? .null : .bytes([])
        case .word(let word): return .word(word)
        case .bytes(let bytes): return .bytes(Array(bytes))
        }
    }

    private func key(
        for constants: [RawConstant], in table: TableState, _ update: Realm.UpdatePolicy
    ) throws -> (key: UInt64, exists: Bool) {
        guard let slot = table.properties.firstIndex(where: \.isPrimaryKey) else {
            return (try nextKey(table), false)
        }
        if let found = try self.key(forPrimaryKey: constants[slot], in: table) {
            guard update != .error else {
                let place = CollectionStorage(self, table, found, slot)
                let value = constants[slot].withRaw {
                    dynamicValue($0, table.properties[slot], place)
                }
                throw duplicateKey(ofType: table.stored.name, value)
            }
            return (found, true)
        }
        if table.stored.keyKind == .integerPrimaryKey, case .word(let word) = constants[slot] {
            return (StoredObjectType.objectKey(ofPrimaryKey: word), false)
        }
        return (try nextKey(table), false)
    }
}
