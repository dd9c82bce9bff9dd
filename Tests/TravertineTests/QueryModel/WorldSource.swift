/// What a query of a world finds objects in.
enum WorldSource: CustomStringConvertible {
    /// The objects of a type.
    case type(String)
    /// The objects of a type and of those derived from it, in the order of types.
    case family(String)
    /// The objects in a collection of an owner, or that link to one.
    case collection(WorldKey, WorldProperty)

    var description: String {
        switch self {
        case .type(let name): name
        case .family(let name): "\(name) with derived ones"
        case .collection(let key, let property): "\(key.type) \(key.id).\(property.name)"
        }
    }

    /// The type by whose properties conditions are written.
    var type: String {
        switch self {
        case .type(let name), .family(let name): name
        case .collection(_, let property): property.target ?? ""
        }
    }

    /// Whether the order of the objects is not given by a rule.
    var isUnordered: Bool {
        if case .collection(_, let property) = self { property.kind != .list } else { false }
    }

    /// The objects in order; those of a list as often as it has them.
    func keys(in data: WorldData, _ origins: WorldOrigins) -> [WorldKey] {
        switch self {
        case .type(let name): data.keys(of: name)
        case .family(let name):
            data.keys(of: name)
                + data.derived(from: name).flatMap { data.keys(of: $0) }
        case .collection(let key, let property):
            if case .links(let type, let origin) = property.kind {
                origins.origins(of: key, type: type, property: origin)
            } else {
                data.objects[key]?.values[property.name]?.links ?? []
            }
        }
    }
}
