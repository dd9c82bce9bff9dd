/// Links whose targets are of a class or of classes derived from it: each value names the type of
/// its object, as a value of any type does.
extension RealmSession {
    /// A handle of the object that a stored link names: of the object's own class, or of `type` for
    /// a type whose class the process does not have.
    func linkedObject<Model: ObjectBase>(
        _ bytes: UnsafeRawBufferPointer, as type: Model.Type
    ) -> Model? {
        guard case .object(let number, let key) = MixedCode.reference(in: bytes),
            let table = table(number: number)
        else { return nil }
        if type is DynamicObject.Type { return dynamicObject(key, in: table) as? Model }
        if table.classInfo == nil {
            return view(of: table, as: type).flatMap { object(type, key: key, in: $0) }
        }
        return object(key, in: table) as? Model
    }

    /// A handle of the object with a key, from a table of the class or of one derived from it.
    func object<Model: ObjectBase>(
        _ type: Model.Type, key: UInt64, in table: TableState
    ) -> Model? {
        do {
            if let open {
                let place = try open._withUnsafeGuaranteedRef {
                    try $0.place(ofKey: key, in: table.rows)
                }
                guard let place else { return nil }
                return handle(type, key: key, in: table, at: place)
            }
            guard let row = try row(key, in: table) else { return nil }
            return handle(type, key: key, in: table, row)
        } catch {
            damage = error
            return nil
        }
    }

    /// The object that a stored link leads to; `target` is the table of one that does not name it.
    func link(
        _ value: _RawValue, to target: TableState
    ) -> (table: TableState, key: UInt64)? {
        switch value {
        case .word(let word): return (target, UInt64(bitPattern: word))
        case .bytes(let bytes):
            guard case .object(let number, let key) = MixedCode.reference(in: bytes),
                let table = table(number: number)
            else { return nil }
            return (table, key)
        case .null: return nil
        }
    }

    /// Sets a link of a managed object to an object of the realm.
    func set<Target: ObjectBase>(
        _ object: ObjectBase, offset: Int, toLink target: ObjectBase, as type: Target.Type
    ) {
        let slot = object.table.info.requiredSlot(atOffset: offset)
        let property = object.table.properties[slot]
        if property.isVarying {
            MixedCode.encode(objectOfType: target.table.stored.number, key: target.key)
                .withUnsafeBytes { set(object, slot: slot, to: .bytes($0)) }
        } else if admits(target, as: type, by: property) {
            set(object, slot: slot, to: .word(Int64(bitPattern: target.key)))
        }
    }

    /// Whether a link that does not name types can lead to an object; if not, the transaction
    /// fails.
    @inline(__always)
    func admits<Target: ObjectBase>(
        _ target: ObjectBase, as type: Target.Type, by property: StoredProperty
    ) -> Bool {
        if Swift.type(of: target) == type, type != DynamicObject.self { return true }
        return admitsByName(target, property)
    }

    /// Whether a link can lead to an object of another class than the property's; if not, the
    /// transaction fails.
    @inline(never)
    func admits(_ target: ObjectBase, ofOtherClass property: StoredProperty) -> Bool {
        property.isVarying || admitsByName(target, property)
    }

    @inline(never)
    private func admitsByName(_ target: ObjectBase, _ property: StoredProperty) -> Bool {
        if target.table.stored.name == property.target { return true }
        fail(
            Realm.Error(
                .invalidInput,
                "Property '\(property.name)' links to '\(property.target)' and can't be set to a "
                    + "'\(target.table.stored.name)'. Open the realm with both classes and the one that "
                    + "has the property.", fileURL: shared.fileURL))
        return false
    }

    /// Whether a varying link can lead to objects of a table: of the target's own, or of a class
    /// derived from the target's. A process that has neither class goes by the properties, all of
    /// which a derived class has.
    func admits(_ table: TableState, byVarying property: StoredProperty) -> Bool {
        if table.stored.name == property.target { return true }
        guard let target = self.table(named: property.target) else { return false }
        if let base = target.classInfo?.type, let type = table.classInfo?.type {
            return base.isBase(of: type)
        }
        guard target.classInfo == nil, table.classInfo == nil,
            target.stored.isEmbedded == table.stored.isEmbedded,
            target.stored.isAsymmetric == table.stored.isAsymmetric
        else { return false }
        return target.properties.allSatisfy { wanted in
            table.properties.contains { own in
                own.name == wanted.name && own.type == wanted.type
                    && own.isOptional == wanted.isOptional
                    && own.collection == wanted.collection && own.target == wanted.target
            }
        }
    }
}

extension ObjectBase {
    /// Whether another class is this one or derived from it.
    class func isBase(of other: ObjectBase.Type) -> Bool { other is Self.Type }
}
