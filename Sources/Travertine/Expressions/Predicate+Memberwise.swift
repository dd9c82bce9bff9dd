extension Predicate {
    /// A path leads to an object whose properties are those of an embedded object; collections and
    /// links aside.
    static func memberwise(_ path: PropertyPath, equals object: ObjectBase) -> Predicate {
        let members = object.objectSchema.properties.compactMap { property -> Predicate? in
            guard !property.isArray, !property.isSet, !property.isMap, property.type != .object,
                property.type != .linkingObjects,
                let constant = QueryValue(object[property.name]).constant
            else { return nil }
            return .compare(path.adding(.property(property.name)), .equal, constant)
        }
        return .all([.compare(path, .notEqual, .none)] + members)
    }
}
