import RealmSwift
import TestSupport
import Testing

@testable import Travertine

/// Texts that nobody wrote: each is read or refused, with a place in the text.
@Suite("Random predicate texts")
struct PredicateFuzzTests {
    private static let pieces = [
        "a", "name", "age.b", "==", "=", "!=", "<", ">=", "=<", "IN", "BETWEEN", "CONTAINS[c]",
        "LIKE", "[cd]", "AND", "OR", "NOT", "&&", "||", "!", "(", ")", "{", "}", "[", "]", ",", ".",
        ":", "+", "-", "*", "/", "1", "0x1F", "1.5", "1e5", "'text'", "\"x\\u00e9\"", "'", "\"",
        "%@",
        "%K", "%d", "%f", "$0", "$1", "$K0", "$x", "@count", "@sum", ".@max", "@links.A.b", "SELF",
        "TRUE", "NULL", "ANY", "ALL", "NONE", "TRUEPREDICATE", "SUBQUERY(",
        "SUBQUERY(a, $x, $x.b == 1)",
        ".@count", "uuid(", "oid(1)", "decimal(1.5)", "float(x)", "list(", "date(1)", "CAST(",
        "geoBox([1,2],[3,4])", "geoCircle(", "geoPolygon({[0,0]})", "GEOWITHIN", "TEXT", "SORT(",
        "DISTINCT(a)", "LIMIT(1)", "OFFSET(", "FILTER(", "T1:2", "2021-02-20@17:30:15:0",
        "B64\"AA==\"",
        "#any", "#\"\"", "é", "%", "$", "@", "#", "\\", "\u{0}", "inf", "NaN", "obj(", "MATCHES",
    ]

    private static func arguments(_ random: inout SeededRandom) -> [Any?] {
        (0..<random.below(4)).map { _ in
            random.pick([1, "a", "a.@count", nil, [1, 2], true, [1, "b"] as [Any], ["k": 1], 1.5])
        }
    }

    private func read(_ text: String, _ arguments: [Any?], _ comment: String) {
        let parsed: ParsedQuery
        do {
            parsed = try PredicateParser.parse(text, arguments)
        } catch {
            #expect(error.text == text && error.range.upperBound <= text.utf8.count, "\(comment)")
            #expect(error.description.hasPrefix(error.message))
            return
        }
        #expect(parsed.places.count == parsed.expression.operandCount, "\(comment): \(text)")
        #expect(parsed.places.allSatisfy { $0.upperBound <= text.utf8.count }, "\(comment)")
        do {
            let again = try PredicateParser.parse(parsed.expression.description, [])
            #expect(again.expression == parsed.expression, "\(comment): \(text)")
        } catch {
            Issue.record("\(comment): \(text) is not read again: \(error)")
        }
    }

    @Test("random pieces are read or refused", arguments: 0..<10 as Range<UInt64>)
    func pieces(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<400 {
            let words = (0...random.below(12)).map { _ in random.pick(Self.pieces) }
            let text = words.joined(separator: random.chance(80) ? " " : "")
            read(text, Self.arguments(&random), "seed \(seed)")
        }
    }

    @Test("random bytes are read or refused", arguments: 0..<10 as Range<UInt64>)
    func bytes(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<200 {
            let count = random.below(40)
            let text = String(decoding: random.bytes(count), as: UTF8.self)
            read(text, Self.arguments(&random), "seed \(seed)")
        }
    }

    @Test("valid texts with changes are read or refused", arguments: 0..<10 as Range<UInt64>)
    func changes(seed: UInt64) {
        var predicates = RandomPredicates(seed: seed)
        var random = SeededRandom(seed: seed)
        for _ in 0..<400 {
            var bytes = Array(predicates.expression().description.utf8.prefix(2000))
            for _ in 0...random.below(3) {
                let place = random.below(bytes.count + 1)
                switch random.below(4) {
                case 0 where place < bytes.count: bytes.remove(at: place)
                case 1: bytes.insert(UInt8(random.below(128)), at: place)
                case 2: bytes.insert(contentsOf: random.pick(Self.pieces).utf8, at: place)
                default: bytes.removeSubrange(place..<min(bytes.count, place + random.below(20)))
                }
            }
            read(
                String(decoding: bytes, as: UTF8.self), Self.arguments(&random), "seed \(seed)")
        }
    }
}
