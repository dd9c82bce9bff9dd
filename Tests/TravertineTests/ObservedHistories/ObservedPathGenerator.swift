import TestSupport

/// Random key paths for observations.
struct ObservedPathGenerator {
    var random: SeededRandom
    let types: [String: WorldType]

    /// Up to three paths from the objects of a type; none of them counts insertions and deletions.
    mutating func paths(_ type: String) -> [[String]] {
        (0..<random.below(4)).map { _ in path(type, steps: 1 + random.below(3)) }
    }

    private mutating func path(_ type: String, steps: Int) -> [String] {
        if random.chance(4) { return ["*"] }
        let properties = types[type]!.properties
        var property = random.pick(properties)
        if steps > 1, property.target == nil, random.chance(70) {
            let links = properties.filter { $0.target != nil }
            if !links.isEmpty { property = random.pick(links) }
        }
        guard steps > 1, let target = property.target else { return [property.name] }
        return [property.name] + path(target, steps: steps - 1)
    }
}
