import RealmSwift
import TestSupport

@testable import Travertine

/// Which sections a history observes.
extension ObservedHistory {
    func followSections() -> FollowedThing? {
        let name = values.random.pick(world.data.objectTypes)
        guard let type = world.data.types[name] else { return nil }
        var generator = ObservedPathGenerator(random: values.random, types: world.data.types)
        let paths = generator.random.chance(40) ? nil : generator.paths(name)
        values.random = generator.random
        switch name {
        case "WorldSpot": return sections(of: world.realm.objects(WorldSpot.self), paths)
        case "PoolStone": return sections(of: world.realm.objects(PoolStone.self), paths)
        default: break
        }
        // By a block, of objects of any type.
        let numbers = type.properties.filter { $0.kind == .single && $0.type == .int }
        let number = values.random.pick(numbers).name
        let order = SortDescriptor(keyPath: number, ascending: values.random.chance(50))
        func made<Model: ObjectBase>(_ results: Results<Model>) -> FollowedThing {
            FollowedSections(
                "a block over \(name).\(number)", self, paths,
                results.sectioned(
                    by: { ($0[number] as? Int ?? 0) & 1 }, sortDescriptors: [order]))
        }
        switch world.results(.type(name)) {
        case let results as Results<DynamicObject>: return made(results)
        case let results as Results<WorldPier>: return made(results)
        case let results as Results<WorldOwner>: return made(results)
        case let results as Results<PoolGem>: return made(results)
        default: return nil
        }
    }

    private func sections(
        of spots: Results<WorldSpot>, _ paths: [[String]]?
    ) -> FollowedThing {
        let results = values.random.chance(40) ? spots.where { $0.size < 4 } : spots
        let isUp = values.random.chance(50)
        switch values.random.below(4) {
        case 0:
            return FollowedSections(
                "flag", self, paths, results.sectioned(by: \.flag, ascending: isUp))
        case 1:
            return FollowedSections(
                "size", self, paths, results.sectioned(by: \.size, ascending: isUp))
        case 2:
            return FollowedSections(
                "name", self, paths, results.sectioned(by: \.nameOrNil, ascending: isUp))
        default:
            return FollowedSections(
                "block", self, paths,
                results.sectioned(
                    by: { $0.size & 1 }, sortDescriptors: [SortDescriptor(keyPath: "name")]))
        }
    }

    private func sections(
        of stones: Results<PoolStone>, _ paths: [[String]]?
    ) -> FollowedThing {
        let results = values.random.chance(40) ? stones.where { $0.rank < 4 } : stones
        let isUp = values.random.chance(50)
        return values.random.chance(50)
            ? FollowedSections(
                "label", self, paths, results.sectioned(by: \.label, ascending: isUp))
            : FollowedSections(
                "rank", self, paths, results.sectioned(by: \.rank, ascending: isUp))
    }
}
