import RealmSwift

@testable import Travertine

/// Evaluates expressions by the library: the one place where the model meets its internals.
enum RealmEvaluation {
    /// The library has no way yet from an expression to results.
    struct IsNotConnected: Error {}

    /// The objects of a type that the library finds, in order.
    ///
    /// - Parameter isScanOnly: whether no index may be used.
    static func keys(
        _ world: World, _ type: String, _ expression: QueryExpression, isScanOnly: Bool = false
    ) throws -> [WorldKey] {
        try QueryPlanning.$isScanOnly.withValue(isScanOnly) {
            switch type {
            case "WorldSpot":
                try results(world.realm.objects(WorldSpot.self), expression).map(World.key)
            case "WorldPier":
                try results(world.realm.objects(WorldPier.self), expression).map(World.key)
            default:
                try results(world.realm.objects(WorldOwner.self), expression).map(World.key)
            }
        }
    }

    private static func results<Model: Object>(
        _ objects: Results<Model>, _ expression: QueryExpression
    ) throws -> Results<Model> {
        throw IsNotConnected()
    }
}
