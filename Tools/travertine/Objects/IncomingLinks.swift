import Travertine

/// How many objects link to an object, by the property that they do it with.
struct IncomingLinks {
    /// A property, and how many objects link with it.
    struct Count {
        /// The stored name of the type that links.
        let type: String
        let property: String
        let count: Int
    }

    /// The properties with which some object links, by type and declared order.
    let counts: [Count]

    /// Counts from backlinks, without a scan.
    init(to object: DynamicObject, of target: ObjectSchema, in realm: Realm) throws {
        var counts: [Count] = []
        let types = realm.schema.objectSchema.sorted { $0.objectTypeName < $1.objectTypeName }
        let names = [target.objectTypeName, target.className]
        for type in types where !type.isAsymmetric {
            for property in type.properties
            where property.type == .object && names.contains(property.objectClassName ?? "") {
                let isCollection = property.isArray || property.isSet || property.isMap
                let path =
                    QueryCompletion.written(property: property.columnName)
                    + (property.isMap ? ".@allValues" : "")
                let found = try realm.dynamicObjects(type.objectTypeName).filter(
                    validating: (isCollection ? "ANY " : "") + path + " == %@", object)
                if found.count > 0 {
                    counts.append(
                        Count(
                            type: type.objectTypeName, property: property.columnName,
                            count: found.count))
                }
            }
        }
        self.counts = counts
    }
}
