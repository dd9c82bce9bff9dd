import TravertineStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Properties by name: reading, setting, and making objects without their class.
extension RealmSession {
    // MARK: Reading

    /// The value of a property of a managed object.
    func value(of object: ObjectBase, slot: Int) -> Any? {
        if let elsewhere = object.elsewhere {
            return elsewhere.session?.value(of: elsewhere, slot: slot)
        }
        checkThread()
        let table = object.table
        do {
            let row = try row(of: object)
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

    private func dynamicValue(
        _ raw: _RawValue, _ property: StoredProperty, _ place: CollectionStorage
    ) -> Any? {
        if case .null = raw, property.isOptional { return nil }
        if property.isVarying { return DynamicObject._element(from: raw, at: place) }
        return switch property.type {
        case .int: Int._from(raw)
        case .bool: Bool._from(raw)
        case .string: String._from(raw)
        case .data: Data._from(raw)
        case .date: Date._from(raw)
        case .float: Float._from(raw)
        case .double: Double._from(raw)
        case .objectId: ObjectId._from(raw)
        case .decimal128: Decimal128._from(raw)
        case .UUID: UUID._from(raw)
        case .object: DynamicObject._element(from: raw, at: place)
        case .any: AnyRealmValue._element(from: raw, at: place)?.plain
        case .linkingObjects: nil
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

    private func mismatch(
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
            let declared = table.classInfo?.properties.first(where: {
                $0.storedName == property.name
            }),
            declared.integerRange?.contains(word) == false
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
    private func target(_ value: Any, _ property: StoredProperty) throws -> ObjectBase? {
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
    private func withoutClass(_ object: ObjectBase) -> DynamicObject? {
        object as? DynamicObject ?? dynamicObject(object.key, in: object.table)
    }

    // MARK: Creating

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

/// Collections of a type that is known by the schema only.
enum DynamicCollection {
    /// The collection at a place.
    static func make(_ property: StoredProperty, _ anchor: CollectionAnchor)
        -> any UntypedCollection
    {
        if property.isVarying {
            return property.collection == .map
                ? bound(DynamicObject?.self, property, anchor)
                : bound(DynamicObject.self, property, anchor)
        }
        return switch property.type {
        case .int: make(Int.self, property, anchor)
        case .bool: make(Bool.self, property, anchor)
        case .string: make(String.self, property, anchor)
        case .data: make(Data.self, property, anchor)
        case .date: make(Date.self, property, anchor)
        case .float: make(Float.self, property, anchor)
        case .double: make(Double.self, property, anchor)
        case .objectId: make(ObjectId.self, property, anchor)
        case .decimal128: make(Decimal128.self, property, anchor)
        case .UUID: make(UUID.self, property, anchor)
        case .object: make(DynamicObject.self, property, anchor)
        case .any, .linkingObjects: bound(AnyRealmValue.self, property, anchor)
        }
    }

    private static func make<Element: RealmCollectionValue & _PersistableInsideOptional>(
        _ type: Element.Type, _ property: StoredProperty, _ anchor: CollectionAnchor
    ) -> any UntypedCollection {
        property.isOptional
            ? bound(Element?.self, property, anchor) : bound(Element.self, property, anchor)
    }

    private static func bound<Element: RealmCollectionValue>(
        _ type: Element.Type, _ property: StoredProperty, _ anchor: CollectionAnchor
    ) -> any UntypedCollection {
        switch property.collection {
        case .set:
            let set = MutableSet<Element>()
            set.bind(anchor)
            return set
        case .map:
            let map = Map<String, Element>()
            map.bind(anchor)
            return map
        case .list, .none:
            let list = List<Element>()
            list.bind(anchor)
            return list
        }
    }
}
