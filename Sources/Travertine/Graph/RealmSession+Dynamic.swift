import TravertineStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Properties by name: reading and setting. `RealmSession+Creating` makes objects of values.
extension RealmSession {
    // MARK: Reading

    /// The value of a property of a managed object.
    func value(of object: ObjectBase, slot: Int) -> Any? {
        if let elsewhere = object.elsewhere {
            return elsewhere.session?.value(of: elsewhere, slot: slot)
        }
        checkThread()
        if tracker != nil { trackProperty(object, slot) }
        let table = object.table
        do {
            let row = try row(of: object)
            if let plain = try plainValue(at: slot, in: row, table) { return plain }
            let place = CollectionStorage(self, of: object, slot)
            let property = table.properties[slot]
            if property.collection != .none {
                return DynamicCollection.make(property, CollectionAnchor(place))
            }
            return dynamicValue(
                table.value(at: slot, in: row, try table.binding(of: row)), property, place)
        } catch {
            damage = error
            return nil
        }
    }

    /// A value that is all in its field, and is not nil; nothing of the property is copied.
    private func plainValue(
        at slot: Int, in row: UnsafeRawBufferPointer, _ table: TableState
    ) throws -> Any? {
        let properties = table.properties
        guard properties[slot].collection == .none else { return nil }
        let type = properties[slot].type
        switch type {
        case .int, .bool, .string, .double, .date:
            let raw = table.value(at: slot, in: row, try table.binding(of: row))
            if case .null = raw, properties[slot].isOptional { return nil }
            return StoredProperty.plainValue(raw, of: type)
        default: return nil
        }
    }

    func dynamicValue(
        _ raw: _RawValue, _ property: StoredProperty, _ place: CollectionStorage
    ) -> Any? {
        if case .null = raw, property.isOptional { return nil }
        if property.isVarying { return DynamicObject._element(from: raw, at: place) }
        return switch property.type {
        case .object: DynamicObject._element(from: raw, at: place)
        case .any: AnyRealmValue._element(from: raw, at: place)?.plain
        default: property.plainValue(raw)
        }
    }

    /// A dynamic object of a table, or nil if there is none with the key.
    func dynamicObject(_ key: UInt64, in table: TableState) -> DynamicObject? {
        do {
            guard let row = try access.value(forKey: key, in: table.rows) else { return nil }
            let object = DynamicObject()
            object.bind(to: self, table, key: key, row: row)
            return object
        } catch {
            damage = error
            return nil
        }
    }

    // MARK: Setting

    /// Sets a property of a managed object from `Any`; stops for a value of another type.
    func set(_ object: ObjectBase, slot: Int, toAny value: Any?) {
        guard mayChange() else { return }
        do {
            if isOfMigration { return try setInMigration(object, slot: slot, toAny: value) }
            try setThrowing(object, slot: slot, toAny: value)
        } catch {
            fail(error)
        }
    }

    /// Sets a property of a managed object from `Any`.
    ///
    /// - Throws: `Realm.Error` with `.invalidInput` for a value of another type.
    func setThrowing(_ object: ObjectBase, slot: Int, toAny value: Any?) throws {
        let table = object.table
        let property = table.properties[slot]
        let place = CollectionStorage(self, of: object, slot)
        if property.collection != .none {
            let collection = DynamicCollection.make(property, CollectionAnchor(place))
            guard let value, !isNone(value) else {
                collection.removeAll()
                return
            }
            if collection.isSameCollection(as: value) { return }
            guard collection._replaceAll(withAny: try linked(value, property)) else {
                throw mismatch(value, property, table)
            }
        } else if holds(value, object, slot) {
            // An embedded object that is set where it is.
        } else if property.isVarying {
            try setVarying(object, place, to: value)
        } else if property.type == .any {
            guard let mixed = AnyRealmValue(any: value) else {
                throw mismatch(value, property, table)
            }
            mixed._withElement(at: place) { set(object, slot: slot, to: $0) }
        } else {
            let constant = try constant(value, property, table)
            constant.withRaw { set(object, slot: slot, to: $0) }
        }
    }

    /// Whether a value is the embedded object that a property has already.
    private func holds(_ value: Any?, _ object: ObjectBase, _ slot: Int) -> Bool {
        guard let value, let embedded = instance(value, of: ObjectBase.self),
            embedded.session === self,
            embedded.table.stored.isEmbedded,
            let current = self.value(of: object, slot: slot) as? ObjectBase
        else { return false }
        return current.isSameObject(as: embedded)
    }

    private func setVarying(
        _ object: ObjectBase, _ place: CollectionStorage, to value: Any?
    ) throws {
        guard let value, !isNone(value) else {
            set(object, slot: place.slot, to: .null)
            return
        }
        guard let target = try target(value, place.property) else {
            throw mismatch(value, place.property, place.table)
        }
        target._withElement(at: place) { set(object, slot: place.slot, to: $0) }
    }

    func mismatch(
        _ value: Any?, _ property: StoredProperty, _ table: TableState
    ) -> Realm.Error {
        Realm.Error(
            .invalidInput,
            "Invalid value \(ValueText.quoted(value)) for property "
                + "'\(table.stored.name).\(property.name)' of type '\(property.type)'."
                + (property.type == .any ? AnyRealmValue.refusal : ""),
            fileURL: shared.fileURL)
    }

    /// The stored form of a value for a property that is neither a collection nor mixed.
    func constant(
        _ value: Any?, _ property: StoredProperty, _ table: TableState
    ) throws -> RawConstant {
        guard let value, !isNone(value) else {
            if property.isOptional { return .null }
            guard let initial = initialConstant(property, table) else {
                throw mismatch(value, property, table)
            }
            return initial
        }
        if property.type == .object {
            guard let object = try target(value, property) else {
                throw mismatch(value, property, table)
            }
            guard let key = keyForLink(to: object) else {
                throw failure ?? Realm.Error.damagedSchema
            }
            return .word(Int64(bitPattern: key))
        }
        guard property.type != .any, let constant = RawConstant(value, orNilOf: property.type)
        else {
            throw mismatch(value, property, table)
        }
        if case .word(let word) = constant, property.type == .int,
            let slot = table.slot(ofProperty: property.number),
            table.integerRange(at: slot)?.contains(word) == false
        {
            throw mismatch(value, property, table)
        }
        return constant
    }

    /// What nil sets a property to that can't be nil: its default if it is declared with an enum or
    /// a custom type, nothing otherwise.
    private func initialConstant(
        _ property: StoredProperty, _ table: TableState
    ) -> RawConstant? {
        let declared = table.classInfo?.properties.first { $0.storedName == property.name }
        guard let declared, let slot = table.slot(ofProperty: property.number),
            declared.valueType is any PersistableEnum.Type
                || declared.valueType is any FailableCustomPersistable.Type
        else { return nil }
        return defaultConstant(at: slot, in: table)
    }

    /// The object that a value stands for in a link: itself, or one made of its values.
    func target(_ value: Any, _ property: StoredProperty) throws -> ObjectBase? {
        guard let target = table(named: property.target) else { return nil }
        if let object = instance(value, of: ObjectBase.self) {
            guard object.session === self else { return nil }
            let isAdmitted =
                property.isVarying
                ? admits(object.table, byVarying: property) : object.table === target
            return isAdmitted ? object : nil
        }
        if let values = target.valuesByName(value) {
            return dynamicObject(
                try create(values, in: target, update: insertion.linkedUpdate ?? .modified),
                in: target)
        }
        return nil
    }

    /// The value for a collection, with objects made where dictionaries stand for them.
    private func linked(_ value: Any, _ property: StoredProperty) throws -> Any {
        guard property.type == .object || property.isVarying else { return value }
        func object(_ value: Any) throws -> Any {
            guard let object = try target(value, property) else { return value }
            // What the collection has are dynamic objects.
            return withoutClass(object) ?? object
        }
        if property.collection == .map, let values = value as? [String: Any] {
            return try values.mapValues { isNone($0) ? $0 : try object($0) }
        }
        return try anyElements(of: value)?.map(object) ?? value
    }

    /// The same object without its class.
    func withoutClass(_ object: ObjectBase) -> DynamicObject? {
        object as? DynamicObject ?? dynamicObject(object.key, in: object.table)
    }
}
