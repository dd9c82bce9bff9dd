import RealmSwift

@testable import Travertine

extension FollowedObjects {
    /// Observes what a query finds.
    static func results(
        _ history: ObservedHistory, _ paths: [[String]]?, _ source: WorldSource,
        _ expression: QueryExpression
    ) throws -> FollowedObjects? {
        let realm = history.world.realm
        func made<Model: ObjectBase>(_ objects: Results<Model>) throws -> FollowedObjects {
            let results = try objects.applying(expression)
            // A query that is refused is refused when it first runs.
            _ = results.count
            return FollowedObjects(
                "\(source) where \(expression.predicate) \(expression.descriptors)", history,
                paths, results, isUnordered: source.isUnordered,
                { try PlainEvaluator($0).keys(in: source, expression) })
        }
        switch source {
        case .type("WorldSpot"): return try made(realm.objects(WorldSpot.self))
        case .type("WorldPier"): return try made(realm.objects(WorldPier.self))
        case .type: return try made(realm.objects(WorldOwner.self))
        case .family: return try made(realm.objects(WorldSpot.self, includingSubclasses: true))
        case .collection(let key, let name):
            guard let owner = history.world.handle(key) as? WorldOwner else { return nil }
            return switch name {
            case "spots": try made(owner.spots._results)
            case "spotSet": try made(owner.spotSet._results)
            default: try made(owner.visitors._results)
            }
        }
    }

    /// Observes the embedded objects of a list. Which they are is known by their positions.
    static func crates(
        _ history: ObservedHistory, _ paths: [[String]]?, _ key: WorldKey, _ spot: WorldSpot
    ) -> FollowedObjects {
        let crates = spot.crates._results
        return FollowedObjects(
            "crates of \(key)", history, paths, crates,
            { $0.objects[key]?.values["crates"]?.links ?? [] },
            current: { [unowned history] in
                guard !crates.isInvalidated else { return [] }
                let links = history.version.data.objects[key]?.values["crates"]?.links ?? []
                return crates.enumerated().map { position, _ in
                    position < links.count ? links[position] : WorldKey(type: "WorldCrate", id: -1)
                }
            })
    }
}
