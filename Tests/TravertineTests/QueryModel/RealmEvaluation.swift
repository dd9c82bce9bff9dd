import RealmSwift

@testable import Travertine

/// Evaluates expressions by the library: the one place where the model meets its internals.
enum RealmEvaluation {
    /// The count of results differs from the number of those that are found.
    struct WrongCount: Error {
        var count: Int
        var foundCount: Int
    }

    /// The objects that the library finds, in order.
    ///
    /// - Parameter isScanOnly: whether no index may be used.
    static func keys(
        _ world: World, _ source: WorldSource, _ expression: QueryExpression,
        isScanOnly: Bool = false
    ) throws -> [WorldKey] {
        try QueryPlanning.$isScanOnly.withValue(isScanOnly) {
            let realm = world.realm
            switch source {
            case .type("WorldSpot"): return try found(realm.objects(WorldSpot.self), expression)
            case .type("WorldPier"): return try found(realm.objects(WorldPier.self), expression)
            case .type: return try found(realm.objects(WorldOwner.self), expression)
            case .family:
                return try found(
                    realm.objects(WorldSpot.self, includingSubclasses: true), expression)
            case .collection(let key, let name):
                guard let owner = world.handle(key) as? WorldOwner else { return [] }
                return switch name {
                case "spots": try found(owner.spots._results, expression)
                case "spotSet": try found(owner.spotSet._results, expression)
                default: try found(owner.visitors._results, expression)
                }
            }
        }
    }

    private static func found<Model: Object>(
        _ objects: Results<Model>, _ expression: QueryExpression
    ) throws -> [WorldKey] {
        let results = try objects.applying(expression)
        // Counted before anything is found: from summaries where there are any.
        let count = results.count
        let keys = results.map { World.key(of: $0) }
        if count != keys.count { throw WrongCount(count: count, foundCount: keys.count) }
        return keys
    }
}
