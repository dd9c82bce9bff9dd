import RealmSwift

@testable import Travertine

extension FollowedObjects {
    /// Observes what a query finds.
    static func results(
        _ history: ObservedHistory, _ paths: [[String]]?, _ source: WorldSource,
        _ expression: QueryExpression
    ) throws -> FollowedObjects? {
        try history.world.results(source)?.followed(
            "\(source) where \(expression.predicate) \(expression.descriptors)", history, paths,
            expression, isUnordered: source.isUnordered,
            { try PlainEvaluator($0).keys(in: source, expression) }, current: nil)
    }

    /// Observes the embedded objects of a list. Which they are is known by their positions.
    static func embedded(
        _ history: ObservedHistory, _ paths: [[String]]?, _ key: WorldKey,
        _ property: WorldProperty
    ) throws -> FollowedObjects? {
        let name = property.name
        guard let value = history.world.handle(key)?[name] else { return nil }
        return try World.results(of: value)?.followed(
            "\(name) of \(key)", history, paths, QueryExpression(.constant(true)),
            isUnordered: false, { $0.objects[key]?.values[name]?.links ?? [] },
            current: { [unowned history] positions in
                let links = history.version.data.objects[key]?.values[name]?.links ?? []
                return positions.map {
                    $0 < links.count ? links[$0] : WorldKey(type: property.target!, id: -1)
                }
            })
    }
}
