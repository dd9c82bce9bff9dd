import Foundation
import RealmSwift
import TestSupport

@testable import Travertine

/// Random predicates over the types of a world, nearly all of them valid, with constants that its
/// objects have.
struct PredicateGenerator {
    /// A path, and what is at its end.
    struct Route {
        var path: PropertyPath
        var type: PropertyType
        var target: String?
        /// Whether the path goes through collections or to one.
        var isMany: Bool
        var mayBeNil: Bool
        /// Whether a collection is at the end, whose elements can be chosen or have conditions.
        var collection: WorldProperty.Kind?
    }

    var values: WorldGenerator
    let world: World
    let evaluator: PlainEvaluator

    init(seed: UInt64, _ world: World) {
        values = WorldGenerator(seed: seed)
        self.world = world
        evaluator = PlainEvaluator(world.data)
    }

    mutating func chance(_ percent: Int) -> Bool { values.random.chance(percent) }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        values.random.pick(elements)
    }

    // MARK: Predicates

    /// A condition on the objects of a type.
    mutating func predicate(_ type: String, depth: Int) -> Predicate {
        guard depth > 0 else { return comparison(type, depth: 0) }
        switch values.random.below(10) {
        case 0, 1:
            return .all(
                (0..<2 + values.random.below(2)).map { _ in predicate(type, depth: depth - 1) })
        case 2, 3:
            return .any(
                (0..<2 + values.random.below(2)).map { _ in predicate(type, depth: depth - 1) })
        case 4: return .not(predicate(type, depth: depth - 1))
        case 5 where chance(10): return .constant(chance(50))
        default: return comparison(type, depth: depth)
        }
    }

    mutating func comparison(_ type: String, depth: Int) -> Predicate {
        switch values.random.below(14) {
        case 0: if let result = subquery(type, depth: depth) { return result }
        case 1: if let result = aggregate(type) { return result }
        case 2: if let result = arithmetic(type) { return result }
        case 3: if let result = twoProperties(type) { return result }
        case 4: if let result = membership(type) { return result }
        case 5 where chance(60): if let result = words(type) { return result }
        case 7 where chance(60): if let result = place(type) { return result }
        case 6 where chance(40): if let result = typeName(type) { return result }
        default: break
        }
        return withConstant(route(type, steps: 1 + values.random.below(3)), type)
    }

    mutating func typeName(_ type: String) -> Predicate? {
        let route = chance(30) ? nil : route(type, steps: 1 + values.random.below(2))
        var names = [type, "None"]
        if let route {
            if route.type == .object, let target = route.target {
                names = [target, "None"] + world.data.derived(from: target)
            } else if route.type == .any {
                names = ["int", "string", "bool", "double", "uuid", "None"]
            } else {
                return nil
            }
        }
        return .comparison(
            Comparison(
                .path((route?.path ?? PropertyPath()).adding(.type)),
                pick(Self.equalities), .constant(.string(pick(names))),
                quantifier: quantifier(route?.isMany ?? false)))
    }

    mutating func quantifier(_ isMany: Bool) -> Comparison.Quantifier {
        isMany ? pick([.any, .any, .any, .all, .none]) : .any
    }

    static let orders: [Comparison.Operation] = [
        .less, .lessOrEqual, .greater, .greaterOrEqual,
    ]
    static let equalities: [Comparison.Operation] = [.equal, .notEqual]

    /// A condition on what is at the end of a route, with constants.
    mutating func withConstant(_ route: Route, _ type: String) -> Predicate {
        var operations = Self.equalities + Self.equalities + [.isIn]
        switch route.type {
        case .object, .bool: break
        case .string:
            operations += Self.orders + [.isBetween, .contains, .beginsWith, .endsWith, .like]
        case .data: operations += Self.orders + [.isBetween, .contains, .beginsWith, .endsWith]
        case .any:
            operations += Self.orders + [.isBetween, .contains, .beginsWith, .endsWith, .like]
        default: operations += Self.orders + Self.orders + [.isBetween]
        }
        let operation = pick(operations)
        var comparison = Comparison(
            .path(route.path), operation, .constant(.none), quantifier: quantifier(route.isMany))
        switch operation {
        case .isIn:
            comparison.right = .list(
                (0..<values.random.below(4)).map { _ in constant(route, type) })
        case .isBetween:
            comparison.right = .list([ordered(route, type), ordered(route, type)])
        case .contains, .beginsWith, .endsWith, .like:
            comparison.right = .constant(part(route, type, operation))
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            comparison.right = .constant(ordered(route, type))
        default: comparison.right = .constant(constant(route, type))
        }
        let isText: Bool
        switch comparison.right {
        case .constant(.string): isText = true
        case .list(let list):
            isText = operation == .isIn && list.allSatisfy { $0.stringValue != nil }
        default: isText = false
        }
        if isText && !Self.orders.contains(operation) && chance(40)
            && (route.type == .string || route.type == .any)
        {
            comparison.options =
                operation == .like || chance(40)
                ? .caseInsensitive
                : pick([.diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive]])
        }
        let isOrder = Self.orders.contains(operation) || Self.equalities.contains(operation)
        if isOrder && !route.isMany && comparison.options.isEmpty && chance(6) {
            swap(&comparison.left, &comparison.right)
        }
        return .comparison(comparison)
    }

    /// A value that some object has there, or another one of the type.
    mutating func constant(_ route: Route, _ type: String) -> AnyRealmValue {
        if route.mayBeNil && chance(10) { return .none }
        if chance(70), let value = present(route, type) {
            return world.mixed(varied(value, route.type))
        }
        let value: WorldValue
        switch route.type {
        case .object: value = values.link(world.data, route.target ?? pick(world.data.objectTypes))
        case .any: value = values.mixed(world.data)
        default: value = values.value(route.type)
        }
        return world.mixed(varied(value, route.type))
    }

    mutating func present(_ route: Route, _ type: String) -> WorldValue? {
        let keys = world.data.keys(of: type)
        guard !keys.isEmpty else { return nil }
        let item = PlainEvaluator.Item(
            .link(pick(keys)), .declared(.object), target: type)
        guard let found = try? evaluator.values(of: route.path, at: item), !found.isEmpty
        else { return nil }
        let value = pick(found).value
        if value.isNull { return nil }
        // The object of an embedded one cannot be a constant.
        if value.links.contains(where: { world.data.types[$0.type]?.isEmbedded ?? true }) {
            return nil
        }
        return value
    }

    /// Sometimes the same number, or one near it, of another type.
    mutating func varied(_ value: WorldValue, _ type: PropertyType) -> WorldValue {
        if case .bool(let flag) = value, type == .bool, chance(10) { return .int(flag ? 1 : 0) }
        guard let number = PlainNumber(value), chance(40) else { return value }
        switch values.random.below(5) {
        case 0: return .double(number.asDouble)
        case 1: return .decimal(number.asDecimal)
        case 2:
            if let near = PlainNumber.result(number, pick([.add, .subtract]), .int(1)) {
                return near.value
            }
        case 3: if let whole = Int(exactly: number.asDouble) { return .int(whole) }
        default: return .double(number.asDouble.nextUp)
        }
        return value
    }

    /// A constant that has an order.
    mutating func ordered(_ route: Route, _ type: String) -> AnyRealmValue {
        for _ in 0..<8 {
            let value = constant(route, type)
            switch value {
            case .bool, .object, .list, .dictionary: continue
            default: return value
            }
        }
        return .int(1)
    }

    /// A text or bytes, often a part of what is there.
    mutating func part(
        _ route: Route, _ type: String, _ operation: Comparison.Operation
    ) -> AnyRealmValue {
        let value = present(route, type)
        if route.type == .data {
            guard case .data(let bytes)? = value, chance(70) else { return .data(values.bytes()) }
            return .data(Data(bytes.dropFirst(values.random.below(2)).prefix(3)))
        }
        var text = values.text()
        if case .string(let other)? = value, chance(70) { text = other }
        var scalars = Array(text.unicodeScalars)
        if operation == .like {
            for index in scalars.indices where chance(20) { scalars[index] = pick(["?", "*"]) }
            if chance(30) { scalars.append("*") }
            if chance(20) { scalars = ["*"] + scalars.suffix(3) }
        } else if operation == .endsWith {
            scalars = scalars.suffix(1 + values.random.below(3))
        } else if chance(60) {
            scalars = Array(
                scalars.dropFirst(operation == .contains ? values.random.below(2) : 0)
                    .prefix(1 + values.random.below(3)))
        }
        return .string(String(String.UnicodeScalarView(scalars)))
    }
}
