import RealmSwift

@testable import Travertine

/// Conditions on other operands than a path and a constant.
extension PredicateGenerator {
    mutating func twoProperties(_ type: String) -> Predicate? {
        let left = route(type, steps: 1 + values.random.below(3))
        for _ in 0..<30 {
            let right = route(type, steps: 1 + values.random.below(2))
            let types = [left.type, right.type]
            let areAlike =
                types.allSatisfy { Self.isNumber($0) || $0 == .bool }
                || left.type == right.type && left.target == right.target
                || types.contains(.any) && !types.contains(.object) && chance(30)
            guard areAlike else { continue }
            var operations = Self.equalities
            // Bools and objects have no order, and two values of any type may be such.
            if !types.contains(.object) && !types.contains(.bool) && types != [.any, .any] {
                operations += Self.orders
            }
            if types == [.string, .string] {
                operations += [.contains, .beginsWith, .endsWith, .like]
            }
            let operation = pick(operations)
            var comparison = Comparison(
                .path(left.path), operation, .path(right.path),
                quantifier: quantifier(left.isMany))
            if types == [.string, .string] && !Self.orders.contains(operation) && chance(30) {
                comparison.options = .caseInsensitive
            }
            return .comparison(comparison)
        }
        return nil
    }

    static func isNumber(_ type: PropertyType) -> Bool {
        [.int, .float, .double, .decimal128].contains(type)
    }

    /// Whether a property or constant is in a collection.
    mutating func membership(_ type: String) -> Predicate? {
        for _ in 0..<20 {
            let right = route(type, steps: 1 + values.random.below(2))
            guard right.collection != nil else { continue }
            if chance(50) {
                return .comparison(
                    Comparison(.constant(constant(right, type)), .isIn, .path(right.path)))
            }
            let left = route(type, steps: 1)
            guard left.type == right.type, left.target == right.target else { continue }
            return .comparison(
                Comparison(
                    .path(left.path), .isIn, .path(right.path),
                    quantifier: quantifier(left.isMany)))
        }
        return nil
    }

    mutating func aggregate(_ type: String) -> Predicate? {
        for _ in 0..<20 {
            let route = route(type, steps: 1 + values.random.below(3))
            guard route.isMany else { continue }
            let operation = pick(Self.equalities + Self.orders)
            let isMixed = route.type == .any && route.collection != nil && chance(50)
            guard Self.isNumber(route.type) || route.type == .date || isMixed else {
                guard route.collection != nil else { continue }
                return .comparison(
                    Comparison(
                        .aggregate(.count, route.path), operation,
                        .constant(.int(values.random.below(4)))))
            }
            let aggregate = pick(
                route.type == .date ? [.count, .least, .greatest] : Aggregate.allCases)
            let left = Operand.aggregate(aggregate, route.path)
            switch aggregate {
            case .count:
                return .comparison(
                    Comparison(left, operation, .constant(.int(values.random.below(4)))))
            case .least, .greatest:
                var route = route
                route.mayBeNil = true
                // A constant that a Float is compared with is rounded; an aggregate is none.
                let value =
                    route.type == .float || isMixed
                    ? AnyRealmValue.double(Double(values.random.below(5)) / 2)
                    : constant(route, type)
                return .comparison(Comparison(left, operation, .constant(value)))
            case .sum, .mean:
                return .comparison(
                    Comparison(
                        left, pick(Self.orders),
                        .constant(.double(Double(values.random.below(20)) + 0.3))))
            }
        }
        return nil
    }

    mutating func subquery(_ type: String, depth: Int) -> Predicate? {
        for _ in 0..<20 {
            let route = route(type, steps: 1 + values.random.below(2))
            guard route.collection != nil else { continue }
            let condition: Predicate
            if let target = route.target {
                condition = predicate(target, depth: max(0, depth - 1))
            } else {
                continue
            }
            return .comparison(
                Comparison(
                    .subqueryCount(route.path, condition), pick(Self.equalities + Self.orders),
                    .constant(.int(values.random.below(3)))))
        }
        return nil
    }

    mutating func arithmetic(_ type: String) -> Predicate? {
        guard let left = number(type, depth: 2), let right = number(type, depth: 1) else {
            return nil
        }
        guard case .arithmetic = left else { return nil }
        return .comparison(Comparison(left, pick(Self.equalities + Self.orders), right))
    }

    mutating func number(_ type: String, depth: Int) -> Operand? {
        if depth > 0 && chance(75) {
            guard let left = numericPath(type) else { return nil }
            guard let right = chance(50) ? number(type, depth: depth - 1) : .constant(anyNumber())
            else { return nil }
            return .arithmetic(pick(ArithmeticOperation.allCases), left, right)
        }
        return chance(50) ? numericPath(type) : .constant(anyNumber())
    }

    mutating func anyNumber() -> AnyRealmValue {
        world.mixed(values.value(pick([.int, .int, .double, .decimal128])))
    }

    mutating func numericPath(_ type: String) -> Operand? {
        for _ in 0..<20 {
            let route = route(type, steps: 1 + values.random.below(2))
            if Self.isNumber(route.type) && route.type != .float && !route.isMany {
                return .path(route.path)
            }
        }
        return nil
    }
}
