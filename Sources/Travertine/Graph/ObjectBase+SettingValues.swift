import TravertineStore

/// Properties are set from values by name, in order, or of another object.
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
