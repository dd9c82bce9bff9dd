import RealmSwift

@testable import Travertine

/// Whole expressions.
extension PredicateGenerator {
    /// A condition, mostly with sorting, distinct or a limit.
    mutating func expression(_ type: String) -> QueryExpression {
        var expression = QueryExpression(
            predicate(type, depth: values.random.below(5)))
        guard chance(40) else { return expression }
        for _ in 0..<1 + values.random.below(3) {
            switch values.random.below(6) {
            case 0, 1, 2:
                let names = sortable(type)
                let sorting = names.map { SortDescriptor(keyPath: $0, ascending: chance(60)) }
                expression.descriptors.append(.sorted(sorting))
            case 3: expression.descriptors.append(.distinct(sortable(type)))
            case 4:
                expression.descriptors.append(
                    .limited(
                        offset: chance(50) ? 0 : values.random.below(4),
                        count: values.random.below(8)))
            default:
                if case .limited? = expression.descriptors.last {
                    expression.descriptors.append(.filtered(predicate(type, depth: 1)))
                }
            }
        }
        return expression
    }

    mutating func sortable(_ type: String) -> [String] {
        var names: [String] = []
        for _ in 0..<1 + values.random.below(2) {
            for _ in 0..<20 {
                let route = route(type, steps: 1 + values.random.below(2))
                guard let parts = route.path.names, !route.isMany, route.type != .object,
                    route.type != .any, !names.contains(parts.joined(separator: "."))
                else { continue }
                names.append(parts.joined(separator: "."))
                break
            }
        }
        return names.isEmpty ? ["id"] : names
    }
}
