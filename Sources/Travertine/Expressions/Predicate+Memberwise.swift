extension Predicate {
    /// Compares an embedded object by its properties: the link is not nil, and each property has the
    /// value that the object has. Embedded objects in it are compared likewise.
    ///
    /// - Throws: `Realm.Error` with code `.invalidInput` for an object that has a collection.
    static func memberwise(
        _ path: PropertyPath, equals object: ObjectBase
    ) throws(Realm.Error) -> Predicate {
        var conditions = [compare(path, .notEqual, .none)]
        for property in object.info.properties {
            guard property.type.collection == .none else {
                throw Realm.Error(
                    .invalidInput,
                    "\(object.info.className).\(property.name) is a collection: objects with "
                        + "collections can't be compared by their properties. Compare the "
                        + "properties one by one.")
            }
            let inner = path.adding(.property(property.name))
            switch ComparedValue(property.valueType._shown(object, property.offset)) {
            case .constant(let constant): conditions.append(compare(inner, .equal, constant))
            case .embedded(let object):
                conditions.append(try memberwise(inner, equals: object))
            }
        }
        return .all(conditions)
    }
}
