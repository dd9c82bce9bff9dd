import RealmSwift

@testable import Travertine

/// Evaluates expressions by the library: the one place where the model meets its internals.
enum RealmEvaluation {
    /// The library has no way yet from an expression to results.
    struct IsNotConnected: Error {}

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
        try results(objects, expression).map { World.key(of: $0) }
    }

    private static func results<Model: Object>(
        _ objects: Results<Model>, _ expression: QueryExpression
    ) throws -> Results<Model> {
        throw IsNotConnected()
    }
}
