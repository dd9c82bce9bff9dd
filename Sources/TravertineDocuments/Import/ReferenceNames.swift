/// How DBRefs name the types of their targets: by the collection that a data source has for a type,
/// else by the type's own name.
///
/// A collection's name that two databases have says nothing, as a DBRef of a link has no database.
struct ReferenceNames: Sendable {
    /// The types by the names of their collections.
    private var types: [String: String] = [:]
    /// The names of collections by their types.
    private var collections: [String: String] = [:]

    /// Names by the collections of a data source; without any, types have their own names.
    init(_ collections: [DataSource.Collection]) {
        for (name, found) in Dictionary(grouping: collections, by: \.name) {
            guard found.count == 1, let title = found[0].schema.title else { continue }
            types[name] = title
            self.collections[title] = name
        }
    }

    /// The type that a DBRef names.
    func type(named name: String) -> String { types[name] ?? name }

    /// The name for a type; nil if the only one would be that of another type.
    func name(of type: String) -> String? {
        let name = collections[type] ?? type
        return self.type(named: name) == type ? name : nil
    }
}
