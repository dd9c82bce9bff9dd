/// Which objects of a model link to which, found when it is first asked for.
final class WorldOrigins {
    private let data: WorldData
    /// The objects that link by a property, by its type and name, and by the object linked to.
    private var origins: [String: [WorldKey: [WorldKey]]] = [:]

    init(_ data: WorldData) { self.data = data }

    /// The objects of a type, or of derived ones, that link to one by a property, as often as they
    /// do, in the order of keys.
    func origins(of target: WorldKey, type: String, property: String) -> [WorldKey] {
        let name = "\(type).\(property)"
        if let found = origins[name] { return found[target] ?? [] }
        var found: [WorldKey: [WorldKey]] = [:]
        for key in data.objects.keys.sorted() where data.isType(key.type, kindOf: type) {
            for link in (data.objects[key]?.values[property] ?? .null).links {
                found[link, default: []].append(key)
            }
        }
        origins[name] = found
        return found[target] ?? []
    }
}
