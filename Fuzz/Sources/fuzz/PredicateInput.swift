@testable import Travertine

/// Inputs that are predicate texts. The first byte says how many arguments there are.
enum PredicateInput {
    private static var arguments: [Any?] { [1, "a.@count", [1, 2], nil, true, ["k": 1.5]] }

    static func run(_ input: [UInt8]) throws {
        guard let count = input.first else { return }
        let text = String(decoding: input.dropFirst(), as: UTF8.self)
        let parsed = try PredicateParser.parse(text, Array(arguments.prefix(Int(count % 8))))
        if parsed.places.count != parsed.expression.operandCount {
            StoreUse.fail("the operands and their places are not as many")
        }
        let again = try? PredicateParser.parse(parsed.expression.description, [])
        if again?.expression != parsed.expression {
            StoreUse.fail("a predicate that was printed can't be parsed, or is another")
        }
    }

    private static let texts = [
        "a == 1 AND b.c != 'x' OR NOT d IN {1, 2.5, nil} && e BETWEEN {0x1F, -3}",
        "ANY a.b CONTAINS[cd] \"\\u00e9\" AND ALL c.@count > 2 AND NONE d LIKE[c] 'a*'",
        "SUBQUERY(a, $x, SUBQUERY($x.b, $y, $y == 1).@count > 0 AND $x.c == 2).@count == 3",
        "a + b * (2 - c) / 4 > -d SORT(a ASC, b.c DESC) DISTINCT(a) LIMIT(1 OFFSET 2) FILTER(b > 1)",
        "p GEOWITHIN geoBox([1, 2], [3, 4]) OR p GEOWITHIN geoCircle([1, 2], 0.5)",
        "p GEOWITHIN geoPolygon({[0, 0], [2, 0], [2, 2], [0, 0]})",
        "a == uuid(3b241101-e2bb-4255-8caf-4136c566a962) OR b == oid(507f1f77bcf86cd799439011)",
        "a == decimal(1.50) OR b == float(0.1) OR c == B64\"AA==\" OR d == T1:2 OR e == date(1.5)",
        "a == 2021-02-20@17:30:15:5 OR b TEXT 'words' OR @links.A.b.@type == 'c'",
        "a[0] == 1 OR a[FIRST] == a[*] OR m['k'] == {'a': {1}} OR #any.#\"b c\" == list(1)",
        "TRUEPREDICATE AND SELF == infinity OR a == CAST(1, 'NSDate')",
    ]

    static func seeds() throws -> [[UInt8]] {
        texts.map { [0] + Array($0.utf8) }
            + ["%@ == %K AND a IN %@", "a == $0 OR $K1 == $2"].map {
                [3] + Array($0.utf8)
            }
    }
}
