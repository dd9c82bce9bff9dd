import TravertineStore

/// Properties of all elements of a collection by name.
///
/// Of values, which have no properties, the name "self" is the value itself.
extension RealmCollection {
    /// The values of a property, one for each object; nil for null.
    public func value(forKey name: String) -> [Any?] {
        name == "self" ? map { $0 } : map { shownObject($0, name)[name] }
    }

    /// What a path of names leads to from each object, through links; nil where one is nil. After a
    /// collection on the way it is an array again.
    public func value(forKeyPath path: String) -> [Any?] {
        path == "self" ? map { $0 } : map { shownObject($0, path).value(forKeyPath: path) }
    }

    /// Sets a property of every object that there is at the start.
    public func setValue(_ value: Any?, forKey name: String) {
        for element in Array(self) { requiredObject(element, name)[name] = value }
    }

    /// Sets what a path of names leads to from each object.
    fileprivate func setEach(_ path: String, to value: Any?) {
        for element in Array(self) {
            requiredObject(element, path).setValue(value, forKeyPath: path)
        }
    }

    /// The element's object, or the one that would be stored in its place.
    private func shownObject(_ element: Element, _ name: String) -> ObjectBase {
        element._makeEmbeddedForm() ?? requiredObject(element, name)
    }

    private func requiredObject(_ element: Element, _ name: String) -> ObjectBase {
        guard let object = element._object else {
            misuse(
                "\(Element.self) has no property \"\(name)\": the elements of this collection are "
                    + "values, whose only name is \"self\".")
        }
        return object
    }
}

extension ObjectBase {
    /// Sets the property at the end of a path of names, through links; after a collection that of
    /// each of its objects.
    ///
    /// Refuses values as setting by name does, and so a path on which a link is nil: a managed
    /// object keeps it as the failure of the transaction, an unmanaged one stops.
    public func setValue(_ value: Any?, forKeyPath path: String) {
        let names = path.split(separator: ".", maxSplits: 1).map { String($0) }
        guard names.count == 2 else { return setValue(value, forKey: path) }
        guard let found = self[names[0]], setFollowing(names[1], from: found, to: value) else {
            let error = Realm.Error(
                .invalidInput,
                "\(info.className).\(names[0]) is nil or a value, and has no \"\(names[1])\" that "
                    + "could be set. Set \(names[0]) first, or another path.")
            guard let session else { misuse(error.message) }
            if session.mayChange() { session.fail(error) }
            return
        }
    }
}

/// Values of a map by their keys.
extension Map {
    /// The value under a key; nil if there is none.
    public func value(forKey key: String) -> Any? {
        self[Key(_text: key)].flatMap { isNone($0) ? nil : $0 }
    }

    /// The value under the first name of a path, or what the rest of it leads to from there.
    public func value(forKeyPath path: String) -> Any? {
        let names = path.split(separator: ".", maxSplits: 1).map { String($0) }
        guard let key = names.first, let found = value(forKey: key), names.count > 1 else {
            return names.first.flatMap { value(forKey: $0) }
        }
        return following(names[1], from: found)
    }

    /// Puts a value under a key; nil removes the entry. Stops for a value of another type.
    public func setValue(_ value: Any?, forKey key: String) {
        guard let value, !isNone(value) else { return removeObject(for: Key(_text: key)) }
        guard let element = Value._makeElement(from: value) else {
            misuse(
                "A Map of \(Value.self) can't hold \(ValueText.withType(value)).")
        }
        updateValue(element, forKey: Key(_text: key))
    }
}

/// What a path of names leads to from a value on the way.
func following(_ path: String, from value: Any) -> Any? {
    switch value {
    case let object as ObjectBase: object.value(forKeyPath: path)
    case let map as any NamedValues: map.value(forKeyPath: path)
    case let collection as any RealmCollection: collection.value(forKeyPath: path)
    default: nil
    }
}

/// Sets what a path of names leads to from a value on the way; false if that has no properties.
func setFollowing(_ path: String, from value: Any, to newValue: Any?) -> Bool {
    switch value {
    case let object as ObjectBase: object.setValue(newValue, forKeyPath: path)
    case let map as any NamedValues: return map.set(path, to: newValue)
    case let collection as any RealmCollection: collection.setEach(path, to: newValue)
    default: return false
    }
    return true
}

/// A map of any types.
private protocol NamedValues {
    func value(forKeyPath path: String) -> Any?
    /// Sets what a path of names leads to; false if it leads to nothing.
    func set(_ path: String, to value: Any?) -> Bool
}

extension Map: NamedValues {
    fileprivate func set(_ path: String, to newValue: Any?) -> Bool {
        let names = path.split(separator: ".", maxSplits: 1).map { String($0) }
        guard names.count == 2 else {
            setValue(newValue, forKey: path)
            return true
        }
        return value(forKey: names[0]).map { setFollowing(names[1], from: $0, to: newValue) }
            ?? false
    }
}
