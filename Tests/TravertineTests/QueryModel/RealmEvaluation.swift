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
            try world.results(source)?.keys(expression) ?? []
        }
    }
}
