import Foundation
import RealmSwift
import TestSupport

@testable import Travertine

/// Makes predicates of every kind, in the form that `Predicate.all` and `Predicate.any` give them.
struct RandomPredicates {
    var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    mutating func expression() -> QueryExpression {
        QueryExpression(predicate(depth: 3), (0..<random.below(4)).map { _ in descriptor() })
    }

    // MARK: Conditions

    mutating func predicate(depth: Int) -> Travertine.Predicate {
        switch random.below(depth > 0 ? 12 : 6) {
        case 0: .constant(random.chance(50))
        case 1: .words(path(), FullTextQuery(words: text()))
        case 2: .isWithin(path(), shape())
        case 6, 7: .not(predicate(depth: depth - 1))
        case 8, 9: .all((0...random.below(4)).map { _ in predicate(depth: depth - 1) })
        case 10, 11: .any((0...random.below(4)).map { _ in predicate(depth: depth - 1) })
        default: .comparison(comparison(depth: depth))
        }
    }

    private mutating func comparison(depth: Int) -> Comparison {
        let operation = random.pick(Comparison.Operation.allCases)
        let left = operand(depth: depth)
        let right: Operand =
            switch operation {
            case .isBetween: .list([value(), value()])
            case .isIn where random.chance(70): .list((0..<random.below(4)).map { _ in value() })
            default: operand(depth: depth)
            }
        return Comparison(
            left, operation, right, options: StringOptions(rawValue: random.below(4)),
            quantifier: random.pick(Comparison.Quantifier.allCases))
    }

    // MARK: Operands

    private mutating func operand(depth: Int) -> Operand {
        switch random.below(depth > 0 ? 9 : 7) {
        case 0, 1, 2: .constant(value())
        case 3, 4, 5: .path(path())
        case 6: .aggregate(random.pick(Aggregate.allCases), path())
        case 7: .subqueryCount(path(), predicate(depth: depth - 1))
        default:
            .arithmetic(
                random.pick(ArithmeticOperation.allCases), operand(depth: depth - 1),
                operand(depth: depth - 1))
        }
    }

    private mutating func path() -> PropertyPath {
        PropertyPath((0..<random.below(4)).map { _ in step() })
    }

    private mutating func step() -> PropertyPath.Step {
        switch random.below(14) {
        case 0: .position(random.below(10) - 3)
        case 1: .first
        case 2: .last
        case 3: .key(text())
        case 4: .each
        case 5: .keys
        case 6: .values
        case 7: .type
        case 8: .links(type: name(), property: name())
        default: .property(name())
        }
    }

    mutating func name() -> String {
        random.pick([
            "a", "age", "name", "_id", "ünïcode", "any", "In", "self", "NULL", "sort", "limit",
            "T5", "B64", "uuid", "date", "list", "count", "two words", "1st", "", "a.b", "#", "\"",
            "TEXT", "geoBox", "e5", "truepredicate", "日本",
        ])
    }

    private mutating func text() -> String {
        random.pick([
            "", "a", "it's", "\"", "\\", "\\*?", "a\nb\t\r\u{0}\u{7f}", "ÆØÅ 日本 👩‍👩‍👧", "%@", "$0",
            "a  b",
            "\u{301}", "\r\n",
        ])
    }

    // MARK: Values

    mutating func value(depth: Int = 2) -> AnyRealmValue {
        switch random.below(depth > 0 ? 14 : 12) {
        case 0: .none
        case 1: .int(random.pick([0, 1, -1, .min, .max, random.below(1000)]))
        case 2: .bool(random.chance(50))
        case 3: .float(random.pick([0, -1.5, 0.1, .infinity, .nan, .leastNonzeroMagnitude, 3e38]))
        case 4: .double(double())
        case 5: .string(text())
        case 6: .data(Data(random.bytes(random.below(20))))
        case 7: .date(date())
        case 8: .objectId(ObjectId.generate())
        case 9, 10: .decimal128(decimal())
        case 11: .uuid(UUID())
        case 12: .fromArray((0..<random.below(4)).map { _ in value(depth: depth - 1) })
        default: dictionary(depth: depth)
        }
    }

    private mutating func dictionary(depth: Int) -> AnyRealmValue {
        var values: [String: AnyRealmValue] = [:]
        for _ in 0..<random.below(3) { values[text()] = value(depth: depth - 1) }
        return .fromDictionary(values)
    }

    private mutating func double() -> Double {
        switch random.below(3) {
        case 0: Double(bitPattern: random.next())
        case 1:
            random.pick([
                0, -0.0, 0.1, -1, 1e21, .leastNonzeroMagnitude, .infinity, -.infinity, .nan,
            ])
        default: Double(random.below(1_000_000)) / 1000
        }
    }

    private mutating func date() -> Date {
        switch random.below(4) {
        case 0: Date(timeIntervalSinceReferenceDate: double())
        case 1: Date(timeIntervalSince1970: Double(random.below(4_000_000)) / 1000 - 2000)
        case 2: random.pick([.distantPast, .distantFuture])
        default: Date(timeIntervalSince1970: Double(random.next() >> 20) / 1000)
        }
    }

    private mutating func decimal() -> Decimal128 {
        switch random.below(3) {
        case 0: Decimal128(bits: (random.next(), random.next()))
        case 1: random.pick([.infinity, -.infinity, .nan, 0, "-1.50", "1E+10"])
        default: Decimal128(random.below(100_000))
        }
    }

    // MARK: Shapes

    private mutating func point() -> GeoPoint {
        GeoPoint(
            Double(random.below(1801)) / 10 - 90, Double(random.below(3601)) / 10 - 180,
            random.chance(20) ? 8848.5 : 0)!
    }

    private mutating func shape() -> ShapeConstant {
        switch random.below(3) {
        case 0: return .box(GeoBox(bottomLeft: point(), topRight: point()))
        case 1:
            return .circle(
                GeoCircle(center: point(), radiusInRadians: random.pick([0, 0.25, .infinity]))!)
        default:
            let size = Double(random.below(40) + 10)
            let hole: [(Double, Double)] = [(2, 2), (4, 2), (4.5, 4), (2, 2)]
            return .polygon(
                GeoPolygon(
                    outerRing: [(0, 0), (0, size), (size, size), (size, 0), (0, 0)],
                    holes: random.chance(50) ? [hole] : [])!)
        }
    }

    // MARK: Descriptors

    private mutating func descriptor() -> ResultsDescriptor {
        switch random.below(5) {
        case 0:
            .sorted(
                (0...random.below(3)).map { _ in
                    SortDescriptor(keyPath: names(), ascending: random.chance(50))
                })
        case 1: .distinct((0...random.below(3)).map { _ in names() })
        case 2: .limited(offset: random.below(2) * 5, count: random.pick([0, 1, 100, .max]))
        case 3: .limited(offset: random.below(3), count: .max)
        default: .filtered(predicate(depth: 1))
        }
    }

    private mutating func names() -> String {
        let names = [
            "a", "age", "any", "two words", "1st", "ünïcode", "self.a", "m[\"k\"]", "l[3]",
        ]
        if random.chance(10) { return "self" }
        return (0...random.below(2)).map { _ in random.pick(names) }.joined(separator: ".")
    }
}
