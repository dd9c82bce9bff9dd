/// What a class says of its properties by their names: public names of properties that there are.
struct DeclaredNames {
    /// Stored names by public name, those of ignored properties among them.
    let stored: [String: String]
    private(set) var primaryKey: String?
    private(set) var indexed: Set<String> = []
    private(set) var ignored: Set<String> = []
    /// A sentence for each name that no property has.
    private(set) var problems: [String] = []

    /// - Parameter fields: the public names of the properties that the class declares.
    init(of type: ObjectBase.Type, fields: [String]) {
        let mapping = type.propertiesMapping()
        let policy = type.namingPolicy()
        stored = Dictionary(
            fields.map { ($0, mapping[$0] ?? policy.storedName($0)) },
            uniquingKeysWith: { first, _ in first })
        // What is ignored may be a property without @Persisted, or one that is computed: of these
        // nothing is known.
        ignored = Set(type.ignoredProperties().compactMap { publicName(of: $0) })
        let name = type.objectTypeName()
        for unknown in mapping.keys.sorted() where stored[unknown] == nil {
            problems.append(Self.problem("propertiesMapping", name, unknown, among: fields))
        }
        for named in type.indexedProperties() {
            if let found = persistedName(of: named) {
                indexed.insert(found)
            } else {
                problems.append(Self.problem("indexedProperties", name, named, among: fields))
            }
        }
        if let named = type.primaryKey() {
            primaryKey = persistedName(of: named)
            if primaryKey == nil {
                problems.append(Self.problem("primaryKey", name, named, among: fields))
            }
        }
    }

    /// The public name of a property by its public or its stored name, the public one first.
    private func publicName(of name: String) -> String? {
        stored[name] != nil ? name : stored.keys.sorted().first { stored[$0] == name }
    }

    private func persistedName(of name: String) -> String? {
        publicName(of: name).flatMap { ignored.contains($0) ? nil : $0 }
    }

    private static func problem(
        _ method: String, _ type: String, _ name: String, among names: [String]
    ) -> String {
        "`\(method)()` of '\(type)' names '\(name)', which is no property."
            + NearNames.advice(on: name, among: names)
    }
}
