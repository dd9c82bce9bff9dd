import RealmSwift
import TestSupport

@testable import Travertine

/// Compares what the library finds in one random world with what the plain evaluator finds.
struct QueryModelRun {
    /// A query by which two ways find different objects.
    struct Difference: CustomStringConvertible {
        var expression: QueryExpression
        var source: WorldSource
        /// Which way of the library differs.
        var way: String
        var found: [WorldKey]
        var expected: [WorldKey]
        /// The first object that differs, and its values of the properties in the expression.
        var object: String

        var description: String {
            """
            \(source) where \(expression.predicate) \(expression.descriptors)
              \(way): \(found.map(Self.text))
              plain: \(expected.map(Self.text))
              \(object)
            """
        }

        private static func text(_ key: WorldKey) -> String {
            "\(key.type) \(key.id)"
        }
    }

    /// Finds objects in a way, `isScanOnly` or not.
    typealias Finder = (World, WorldSource, QueryExpression, Bool) throws -> [WorldKey]

    let seed: UInt64
    let find: Finder
    private(set) var differences: [Difference] = []
    /// The expressions that the library refused, and those of which the rules say nothing.
    private(set) var refused: [String] = []
    private(set) var unclearCount = 0
    private(set) var comparedCount = 0
    /// How many of the compared ones found neither no object nor all of them.
    private(set) var selectiveCount = 0

    init(seed: UInt64, find: @escaping Finder) {
        self.seed = seed
        self.find = find
    }

    /// What a query finds objects in.
    static func source(_ random: inout SeededRandom, _ world: World) -> WorldSource {
        let data = world.data
        let type = random.pick(data.objectTypes)
        switch random.below(12) {
        case 0, 1: return data.derived(from: type).isEmpty ? .type(type) : .family(type)
        case 2...4:
            let collections = data.types[type]!.properties.filter {
                $0.target != nil && !$0.isEmbedded && $0.kind != .single && $0.kind != .map
            }
            guard !collections.isEmpty, !data.keys(of: type).isEmpty else { return .type(type) }
            return .collection(random.pick(data.keys(of: type)), random.pick(collections))
        default: return .type(type)
        }
    }

    /// Makes a world, changes it a few times, and evaluates so many expressions in all.
    mutating func run(expressionCount: Int, objectCount: Int = 40) throws {
        let world = try World()
        var values = WorldGenerator(seed: seed)
        let phaseCount = 3
        for phase in 0..<phaseCount {
            if phase == 0 {
                try values.fill(world, objectCount)
            } else {
                try values.change(world, objectCount)
            }
            var generator = PredicateGenerator(seed: values.random.next(), world)
            for _ in 0..<max(1, expressionCount / phaseCount) {
                let source = Self.source(&values.random, world)
                var expression = generator.expression(source.type)
                if source.isUnordered { expression.descriptors = [] }
                try compare(expression, source, world)
                if differences.count >= 3 { return }
            }
        }
    }

    private mutating func compare(
        _ expression: QueryExpression, _ source: WorldSource, _ world: World
    ) throws {
        do {
            let plain = PlainEvaluator(world.data)
            let expected = try plain.keys(in: source, expression)
            comparedCount += 1
            let all = source.keys(in: world.data, plain.origins)
            if !expected.isEmpty && expected.count < all.count { selectiveCount += 1 }
            if let difference = try difference(expression, source, world) {
                differences.append(try smallest(difference, world))
            }
        } catch is PlainEvaluator.Unclear {
            unclearCount += 1
        } catch {
            refused.append("\(expression.predicate) \(expression.descriptors): \(error)")
        }
    }

    private func difference(
        _ expression: QueryExpression, _ source: WorldSource, _ world: World
    ) throws -> Difference? {
        var expected = try PlainEvaluator(world.data).keys(in: source, expression)
        if source.isUnordered { expected.sort() }
        for (way, isScanOnly) in [("as planned", false), ("by a scan", true)] {
            var found = try find(world, source, expression, isScanOnly)
            if source.isUnordered { found.sort() }
            guard found != expected else { continue }
            let odd =
                found.first { !expected.contains($0) } ?? expected.first { !found.contains($0) }
                ?? zip(found, expected).first { $0 != $1 }?.0 ?? expected.first ?? found.first
            return Difference(
                expression: expression, source: source, way: way, found: found, expected: expected,
                object: odd.map { Self.text($0, world, expression) } ?? "")
        }
        return nil
    }

    private static func text(
        _ key: WorldKey, _ world: World, _ expression: QueryExpression
    ) -> String {
        let text = "\(expression)"
        let values = (world.data.objects[key]?.values ?? [:]).sorted { $0.key < $1.key }
            .filter { text.contains($0.key) }
        return "\(key.type) \(key.id): "
            + values.map { "\($0.key) = \($0.value.text)" }.joined(separator: ", ")
    }

    // MARK: Shrinking

    /// The smallest part of an expression that still differs.
    private func smallest(_ difference: Difference, _ world: World) throws -> Difference {
        for smaller in Self.smaller(difference.expression) {
            // What is refused, or unclear, is no smaller example.
            guard let found = try? self.difference(smaller, difference.source, world) else {
                continue
            }
            return try smallest(found, world)
        }
        return difference
    }

    private static func smaller(_ expression: QueryExpression) -> [QueryExpression] {
        var result: [QueryExpression] = []
        for index in expression.descriptors.indices {
            var smaller = expression
            smaller.descriptors.remove(at: index)
            result.append(smaller)
        }
        return result
            + smaller(expression.predicate).map { QueryExpression($0, expression.descriptors) }
    }

    private static func smaller(_ predicate: Predicate) -> [Predicate] {
        switch predicate {
        case .constant, .words, .isWithin: return []
        case .not(let condition):
            return [condition] + smaller(condition).map { .not($0) }
        case .and(let parts): return smaller(parts, Predicate.all)
        case .or(let parts): return smaller(parts, Predicate.any)
        case .comparison(var comparison):
            var result: [Predicate] = []
            if case .subqueryCount(let path, let condition) = comparison.left {
                for smaller in smaller(condition) + [.constant(true)] where smaller != condition {
                    comparison.left = .subqueryCount(path, smaller)
                    result.append(.comparison(comparison))
                }
            }
            if case .arithmetic(_, let left, let right) = comparison.left {
                for operand in [left, right] {
                    comparison.left = operand
                    result.append(.comparison(comparison))
                }
            }
            if case .list(let values) = comparison.right, comparison.operation == .isIn {
                for index in values.indices {
                    var fewer = values
                    fewer.remove(at: index)
                    comparison.right = .list(fewer)
                    result.append(.comparison(comparison))
                }
            }
            return result
        }
    }

    private static func smaller(
        _ parts: [Predicate], _ joined: ([Predicate]) -> Predicate
    ) -> [Predicate] {
        var result = parts
        for index in parts.indices {
            var fewer = parts
            fewer.remove(at: index)
            if fewer.count > 1 { result.append(joined(fewer)) }
            for smaller in smaller(parts[index]) {
                var changed = parts
                changed[index] = smaller
                result.append(joined(changed))
            }
        }
        return result
    }
}
