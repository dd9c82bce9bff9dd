import TravertineStore

/// Values of properties by name, of any type.
extension ObjectBase {
    /// A property's value as its type has it, which another object's property takes.
    final func typedValue(_ name: String) -> Any? {
        guard !(self is DynamicObject), let slot = info.slot(named: name) else { return self[name] }
        let property = info.properties[slot]
        return property.valueType._any(self, property.offset)
    }

    /// The value that a path of names leads to, through links; nil where one is nil. After a
    /// collection it is an array of what its elements lead to.
    public func value(forKeyPath path: String) -> Any? {
        let names = path.split(separator: ".", maxSplits: 1).map { String($0) }
        guard let name = names.first, let found = self[name] else { return nil }
        return names.count == 1 ? found : following(names[1], from: found)
    }

    /// A property's value by its public or stored name.
    public func value(forKey name: String) -> Any? { self[name] }

    /// Sets a property by its public or stored name.
    public func setValue(_ value: Any?, forKey name: String) { self[name] = value }

    final func requiredSlot(_ name: String) -> Int {
        guard let slot = info.slot(named: name) else {
            NearNames.stopForProperty(name, of: info.className, info.properties.map(\.name))
        }
        return slot
    }

    final func setDynamic(_ value: Any?, forKey name: String) {
        if info.slot(named: name) == nil, let session, let slot = table.hiddenSlot(named: name) {
            session.set(self, slot: slot, toAny: value)
            return
        }
        do {
            try assign(value, to: info.properties[requiredSlot(name)])
        } catch {
            guard let session else { misuse(error.message) }
            session.fail(error)
        }
    }

    /// Sets a property from `Any`.
    ///
    /// - Throws: `Realm.Error` with `.invalidInput` for a value of another type.
    final func assign(_ value: Any?, to property: ClassInfo.Property) throws(Realm.Error) {
        func assign() -> Bool {
            property.valueType._assign(any: value, to: self, at: property.offset)
        }
        let isSet: Bool
        if let session {
            guard session.mayChange() else { return }
            // What a dictionary does not name stays as it is in an object that exists.
            isSet =
                property.type.type == .object
                ? ValuesTarget.with(session, isChanging: true, assign) : assign()
        } else {
            isSet = assign()
        }
        if isSet { return }
        throw Realm.Error(
            .invalidInput,
            "\(info.storedName).\(property.storedName) has type \(property.valueType) and can't be set to "
                + "\(ValueText.withType(value))."
                + (property.type.type == .any ? AnyRealmValue.refusal : ""),
            fileURL: session?.shared.fileURL)
    }
}
