/// What a query of a world finds objects in.
enum WorldSource: CustomStringConvertible {
    /// The objects of a type.
    case type(String)
    /// The objects of a type and of those derived from it, in the order of types.
    case family(String)
    /// The objects in a collection of an owner, or that link to one.
    case collection(WorldKey, String)

    var description: String {
        switch self {
        case .type(let name): name
        case .family(let name): "\(name) with derived ones"
        case .collection(let key, let name): "\(key.type) \(key.id).\(name)"
        }
    }

    /// The type by whose properties conditions are written.
    var type: String {
        switch self {
        case .type(let name), .family(let name): name
        case .collection: "WorldSpot"
        }
    }

    /// Whether the order of the objects is not given by a rule.
    var isUnordered: Bool {
        if case .collection(_, let name) = self { name != "spots" } else { false }
    }

    /// The objects in order; those of a list as often as it has them.
    func keys(in data: WorldData, _ origins: WorldOrigins) -> [WorldKey] {
        switch self {
        case .type(let name): data.keys(of: name)
        case .family(let name):
            data.keys(of: name)
                + data.types.keys.sorted().filter { $0 != name && data.isType($0, kindOf: name) }
                .flatMap { data.keys(of: $0) }
        case .collection(let key, "visitors"):
            Set(origins.origins(of: key, type: "WorldSpot", property: "owner")).sorted()
        case .collection(let key, let name): data.objects[key]?.values[name]?.links ?? []
        }
    }
}
