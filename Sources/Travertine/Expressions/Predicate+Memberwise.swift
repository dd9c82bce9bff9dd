/// Comparing embedded objects by their properties, as `==` in `where` does.
extension Predicate {
    /// Compares an embedded object by its properties: the link is not nil, and each property has
    /// the value that the object has.
    ///
    /// Embedded objects in it are compared likewise, links to other objects by identity.
    ///
    /// - Throws: `Realm.Error` with code `.invalidInput` for an object that has a collection, or
    ///   that leads to itself.
    static func memberwise(
        _ path: PropertyPath, equals object: ObjectBase
    ) throws(Realm.Error) -> Predicate {
        try memberwise(path, equals: object, depth: 1)
    }

    private static func memberwise(
        _ path: PropertyPath, equals object: ObjectBase, depth: Int
    ) throws(Realm.Error) -> Predicate {
        let depthMax = 100
        let info = object.info
        guard depth <= depthMax else {
            throw Realm.Error(
                .invalidInput,
                "The \(info.className) leads to more than \(depthMax) embedded objects in each "
                    + "other: it can't be compared by its properties.")
        }
        var conditions = [compare(path, .notEqual, .none)]
        for property in info.properties {
            guard property.type.collection == .none else {
                throw Realm.Error(
                    .invalidInput,
                    "\(info.className).\(property.name) is a collection: objects with collections "
                        + "can't be compared by their properties. Compare the properties one by "
                        + "one.")
            }
            let inner = path.adding(.property(property.name))
            let shown = property.valueType._shown(object, property.offset)
            if let embedded = shown as? ObjectBase, !(embedded is Object) {
                conditions.append(try memberwise(inner, equals: embedded, depth: depth + 1))
                continue
            }
            guard let value = AnyRealmValue(argument: shown as Any) else {
                throw Realm.Error(
                    .invalidInput,
                    "\(info.className).\(property.name) has a value of type \(type(of: shown)), "
                        + "which a condition can't have.")
            }
            conditions.append(compare(inner, .equal, value))
        }
        return .all(conditions)
    }
}
