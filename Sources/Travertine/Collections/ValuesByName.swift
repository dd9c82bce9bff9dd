/// Properties of all objects of a collection by name.
extension Results where Element: ObjectBase {
    /// The values of a property, one for each object; nil for null.
    public func value(forKey name: String) -> [Any?] { map { $0[name] } }

    /// Sets a property of every object that there is at the start.
    public func setValue(_ value: Any?, forKey name: String) {
        for object in self { object[name] = value }
    }
}

extension List where Element: ObjectBase {
    /// The values of a property, one for each object; nil for null.
    public func value(forKey name: String) -> [Any?] { map { $0[name] } }

    /// Sets a property of every object.
    public func setValue(_ value: Any?, forKey name: String) {
        for object in self { object[name] = value }
    }
}

extension MutableSet where Element: ObjectBase {
    /// The values of a property, one for each object; nil for null.
    public func value(forKey name: String) -> [Any?] { map { $0[name] } }

    /// Sets a property of every object.
    public func setValue(_ value: Any?, forKey name: String) {
        for object in self { object[name] = value }
    }
}
