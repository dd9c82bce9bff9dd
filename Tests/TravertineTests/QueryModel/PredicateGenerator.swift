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
    private let evaluator: PlainEvaluator

    init(seed: UInt64, _ world: World) {
        values = WorldGenerator(seed: seed)
        self.world = world
        evaluator = PlainEvaluator(world.data)
    }

    private mutating func chance(_ percent: Int) -> Bool { values.random.chance(percent) }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
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

    private mutating func comparison(_ type: String, depth: Int) -> Predicate {
        switch values.random.below(14) {
        case 0: if let result = subquery(type, depth: depth) { return result }
        case 1: if let result = aggregate(type) { return result }
        case 2: if let result = arithmetic(type) { return result }
        case 3: if let result = twoProperties(type) { return result }
        case 4: if let result = membership(type) { return result }
        case 5 where chance(40):
            if world.data.types[type]?.property("prose") != nil {
                return .words(PropertyPath([.property("prose")]), words())
            }
        case 6 where chance(40): if let result = typeName(type) { return result }
        default: break
        }
        return withConstant(route(type, steps: 1 + values.random.below(3)), type)
    }

    private mutating func typeName(_ type: String) -> Predicate? {
        let route = chance(30) ? nil : route(type, steps: 1 + values.random.below(2))
        var names = [type, "None"]
        if let route {
            if route.type == .object, let target = route.target {
                names = [target, "WorldPier", "None"]
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

    private mutating func words() -> String {
        let words = (0..<1 + values.random.below(2)).map { _ in
            let word = pick(WorldGenerator.prose)
            return chance(30) ? word.uppercased() : word
        }
        return words.joined(separator: " ")
    }

    private mutating func quantifier(_ isMany: Bool) -> Comparison.Quantifier {
        isMany ? pick([.any, .any, .any, .all, .none]) : .any
    }

    private static let orders: [Comparison.Operation] = [
        .less, .lessOrEqual, .greater, .greaterOrEqual,
    ]
    private static let equalities: [Comparison.Operation] = [.equal, .notEqual]

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
    private mutating func constant(_ route: Route, _ type: String) -> AnyRealmValue {
        if route.mayBeNil && chance(10) { return .none }
        if chance(70), let value = present(route, type) {
            return world.mixed(varied(value, route.type))
        }
        let value: WorldValue
        switch route.type {
        case .object: value = values.link(world.data, route.target ?? "WorldSpot")
        case .any: value = values.mixed(world.data)
        default: value = values.value(route.type)
        }
        if value.isNull && !route.mayBeNil { return constant(route, type, of: "WorldSpot") }
        return world.mixed(varied(value, route.type))
    }

    private mutating func constant(
        _ route: Route, _ type: String, of target: String
    ) -> AnyRealmValue {
        guard route.type == .object else { return .none }
        return world.mixed(values.link(world.data, route.target ?? target))
    }

    private mutating func present(_ route: Route, _ type: String) -> WorldValue? {
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
    private mutating func varied(_ value: WorldValue, _ type: PropertyType) -> WorldValue {
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
    private mutating func ordered(_ route: Route, _ type: String) -> AnyRealmValue {
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
    private mutating func part(
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

    // MARK: Other operands

    private mutating func twoProperties(_ type: String) -> Predicate? {
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

    private static func isNumber(_ type: PropertyType) -> Bool {
        [.int, .float, .double, .decimal128].contains(type)
    }

    /// Whether a property or constant is in a collection.
    private mutating func membership(_ type: String) -> Predicate? {
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

    private mutating func aggregate(_ type: String) -> Predicate? {
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

    private mutating func subquery(_ type: String, depth: Int) -> Predicate? {
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

    private mutating func arithmetic(_ type: String) -> Predicate? {
        guard let left = number(type, depth: 2), let right = number(type, depth: 1) else {
            return nil
        }
        guard case .arithmetic = left else { return nil }
        return .comparison(Comparison(left, pick(Self.equalities + Self.orders), right))
    }

    private mutating func number(_ type: String, depth: Int) -> Operand? {
        if depth > 0 && chance(75) {
            guard let left = numericPath(type) else { return nil }
            guard let right = chance(50) ? number(type, depth: depth - 1) : .constant(anyNumber())
            else { return nil }
            return .arithmetic(pick(ArithmeticOperation.allCases), left, right)
        }
        return chance(50) ? numericPath(type) : .constant(anyNumber())
    }

    private mutating func anyNumber() -> AnyRealmValue {
        world.mixed(values.value(pick([.int, .int, .double, .decimal128])))
    }

    private mutating func numericPath(_ type: String) -> Operand? {
        for _ in 0..<20 {
            let route = route(type, steps: 1 + values.random.below(2))
            if Self.isNumber(route.type) && route.type != .float && !route.isMany {
                return .path(route.path)
            }
        }
        return nil
    }

    // MARK: Paths

    /// A path with so many properties, or fewer.
    mutating func route(_ type: String, steps: Int) -> Route {
        var route = Route(
            path: PropertyPath(), type: .object, target: type, isMany: false, mayBeNil: false,
            collection: nil)
        for step in 0..<steps {
            guard let target = route.target, let owner = world.data.types[target] else { break }
            if step > 0 && chance(20) { break }
            if chance(4) && !owner.isEmbedded {
                addBacklinks(&route, to: target)
                continue
            }
            add(pick(owner.properties), to: &route)
            if step == 0 && steps > 1 && route.target == nil && chance(60) {
                // Another try to get somewhere.
                route.path = PropertyPath()
                route.isMany = false
                route.mayBeNil = false
                route.collection = nil
                add(pick(owner.properties.filter { $0.target != nil }), to: &route)
            }
        }
        return route
    }

    private mutating func addBacklinks(_ route: inout Route, to target: String) {
        let sources: [(String, String)] =
            target == "WorldOwner"
            ? [("WorldSpot", "owner"), ("WorldSpot", "fans")]
            : [
                ("WorldOwner", "favorite"), ("WorldOwner", "spots"), ("WorldOwner", "spotSet"),
                ("WorldSpot", "next"), ("WorldOwner", "spotMap"),
            ]
        let (type, property) = pick(sources)
        route.path = route.path.adding(.links(type: type, property: property))
        route.target = type
        route.type = .object
        route.isMany = true
        route.collection = .links(type: type, property: property)
    }

    private mutating func add(_ property: WorldProperty, to route: inout Route) {
        route.path = route.path.adding(.property(property.name))
        route.type = property.type
        route.target = property.target
        route.collection = nil
        let wasNil = route.mayBeNil
        route.mayBeNil = wasNil || property.isOptional
        switch property.kind {
        case .single: break
        case .list where chance(20):
            route.path = route.path.adding(
                pick([.first, .last, .position(values.random.below(3))]))
            route.mayBeNil = true
        case .map where chance(40):
            route.path = route.path.adding(.key(pick(WorldGenerator.keys)))
            route.mayBeNil = true
        case .map where chance(15):
            route.path = route.path.adding(.values)
            route.isMany = true
        case .map where chance(25):
            route.path = route.path.adding(.keys)
            route.type = .string
            route.target = nil
            route.isMany = true
            route.mayBeNil = false
        default:
            route.isMany = true
            route.collection = property.kind
            if case .links = property.kind { route.mayBeNil = wasNil }
        }
        guard route.type == .any else { return }
        for _ in 0..<2 where chance(25) {
            switch values.random.below(4) {
            case 0:
                route.path = route.path.adding(.each)
                route.isMany = true
            case 1: route.path = route.path.adding(.key(pick(WorldGenerator.keys)))
            case 2: route.path = route.path.adding(.position(values.random.below(3)))
            default: route.path = route.path.adding(pick([.first, .last]))
            }
            // A step in a collection of values chooses among them, not in each of them.
            route.collection = nil
        }
    }

    // MARK: Whole expressions

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

    private mutating func sortable(_ type: String) -> [String] {
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
