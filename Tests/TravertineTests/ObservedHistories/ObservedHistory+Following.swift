import RealmSwift
import TestSupport

@testable import Travertine

/// What a history observes.
extension ObservedHistory {
    /// Begins to observe something more.
    func follow() {
        var made: FollowedThing?
        for _ in 0..<20 where made == nil {
            switch values.random.below(13) {
            case 0, 1: made = followObject()
            case 2: made = followValues()
            case 3: made = followMap()
            case 4: made = followSections()
            case 5: made = followEmbedded()
            case 6: made = followProjection()
            default: made = followResults()
            }
        }
        if let made { followed.append(made) }
    }

    private func paths(_ type: String) -> [[String]]? {
        if values.random.chance(40) { return nil }
        var generator = ObservedPathGenerator(random: values.random, types: world.data.types)
        defer { values.random = generator.random }
        return generator.paths(type)
    }

    private func followObject() -> FollowedThing? {
        guard let key = pick(values.random.pick(world.data.objectTypes)),
            let object = world.handle(key)
        else { return nil }
        // No path at all would stand for all of them.
        let paths = paths(key.type).flatMap { $0.isEmpty ? nil : $0 }
        return FollowedObject(self, paths, key, object)
    }

    private func followEmbedded() -> FollowedThing? {
        guard let (key, property) = pick({ $0.isEmbedded && $0.kind == .list }) else { return nil }
        return try? FollowedObjects.embedded(self, paths(property.target!), key, property)
    }

    private func followResults() -> FollowedThing? {
        let source = QueryModelRun.source(&values.random, world)
        var generator = PredicateGenerator(seed: values.random.next(), world)
        var expression = generator.expression(source.type)
        if values.random.chance(15) { expression = QueryExpression(.constant(true), []) }
        if source.isUnordered { expression.descriptors = [] }
        return try? FollowedObjects.results(self, paths(source.type), source, expression)
    }

    private func followValues() -> FollowedThing? {
        let picked = pick {
            $0.target == nil && $0.isStored && ($0.kind == .list || $0.kind == .set)
        }
        guard let (key, property) = picked,
            let collection = world.handle(key)?[property.name] as? any RealmCollection
        else { return nil }
        let isSorted = property.type == .int && values.random.chance(30)
        func made(_ collection: some RealmCollection) -> FollowedThing {
            let results =
                isSorted
                ? collection.sorted(byKeyPath: "self", ascending: false) : collection._results
            return FollowedValues(
                self, key, property.name, results,
                isUnordered: isSorted || property.kind == .set)
        }
        return made(collection)
    }

    private func followMap() -> FollowedThing? {
        guard let (key, property) = pick({ $0.kind == .map }),
            let map = world.handle(key)?[property.name] as? any WorldMap
        else { return nil }
        return map.followed(self, property.target.flatMap { paths($0) }, key, property.name)
    }

    private func followProjection() -> FollowedThing? {
        guard world.data.types["PoolStone"] != nil else { return nil }
        let type = values.random.pick(["PoolStone", "PoolGem"])
        guard let key = pick(type), let stone = world.handle(key) as? PoolStone else { return nil }
        return values.random.chance(70)
            ? FollowedProjection(self, key, stone) : FollowedProjectedValues(self, key, stone)
    }
}
