import Foundation
import RealmSwift
import Testing

@testable import Travertine

/// The shapes of predicates that programs use, and what each of them means.
@Suite("Shapes of predicate texts")
struct PredicateShapeTests {
    /// A text with arguments, and the text that is printed for it.
    struct Shape: Sendable, CustomStringConvertible {
        var text: String
        var meaning: String
        var makeArguments: @Sendable () -> [Any?]

        init(
            _ text: String, _ meaning: String,
            _ makeArguments: @escaping @Sendable @autoclosure () -> [Any?] = []
        ) {
            self.text = text
            self.meaning = meaning
            self.makeArguments = makeArguments
        }

        var description: String { text }
    }

    static func expect(
        _ shape: Shape, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let parsed = try PredicateParser.parse(shape.text, shape.makeArguments())
        #expect(
            parsed.expression.description == shape.meaning, sourceLocation: sourceLocation)
        #expect(
            parsed.places.count == parsed.expression.operandCount, sourceLocation: sourceLocation)
        let again = try PredicateParser.parse(shape.meaning, [])
        #expect(again.expression == parsed.expression, sourceLocation: sourceLocation)
    }

    private static let used = [
        Shape("name == %@", #"name == "Ada""#, ["Ada"]),
        Shape("name != NULL", "name != NULL"),
        Shape("name = %@", #"name == "Ada""#, ["Ada"]),
        Shape("name = 'Ada'", #"name == "Ada""#),
        Shape("name == 'Ada'", #"name == "Ada""#),
        Shape("name='Ada'", #"name == "Ada""#),
        Shape("name==\"Ada\"", #"name == "Ada""#),
        Shape("name IN %@", #"name IN {"a", "b"}"#, [["a", "b"]]),
        Shape("dog.name IN %@", #"dog.name IN {"a"}"#, [["a"]]),
        Shape("name in %@", #"name IN {"a"}"#, [["a"] as Set]),
        Shape("name IN[cd] %@", #"name IN[cd] {"a"}"#, [["a"]]),
        Shape("age IN {1, 2, 3}", "age IN {1, 2, 3}"),
        Shape("age IN (1, 2, 3)", "age IN {1, 2, 3}"),
        Shape("age IN (1)", "age IN {1}"),
        Shape("age IN {%@}", "age IN {1, 2}", [[1, 2]]),
        Shape("age IN {%@, %@}", "age IN {1, 2}", [1, 2]),
        Shape("age IN {}", "age IN {}"),
        Shape("name CONTAINS[c] %@", #"name CONTAINS[c] "a""#, ["a"]),
        Shape("name contains [c] %@", #"name CONTAINS[c] "a""#, ["a"]),
        Shape("name CONTAINS[cd] %@", #"name CONTAINS[cd] "a""#, ["a"]),
        Shape("name CONTAINS[dc] %@", #"name CONTAINS[cd] "a""#, ["a"]),
        Shape("name CONTAINS[D] %@", #"name CONTAINS[d] "a""#, ["a"]),
        Shape("name BEGINSWITH[c] %@", #"name BEGINSWITH[c] "a""#, ["a"]),
        Shape("name BEGINSWITH 'a'", #"name BEGINSWITH "a""#),
        Shape("name endswith 'a'", #"name ENDSWITH "a""#),
        Shape("name LIKE[c] 'a*?'", #"name LIKE[c] "a*?""#),
        Shape(#"name LIKE 'a\*'"#, #"name LIKE "a\\*""#),
        Shape("name = [c] %@", #"name ==[c] "a""#, ["a"]),
        Shape("name ==[cd] %@", #"name ==[cd] "a""#, ["a"]),
        Shape("name !=[c] %@", #"name !=[c] "a""#, ["a"]),
        Shape("age = %d", "age == 3", [3]),
        Shape("age == %i", "age == 3", [3 as Int32]),
        Shape("age > %ld AND age < %lld", "age > 3 AND age < 5", [3, 5]),
        Shape("age > %lu OR age < %llu", "age > 3 OR age < 5", [3 as UInt, 5 as UInt64]),
        Shape("weight < %f", "weight < 1.5", [1.5]),
        Shape("weight < %lf", "weight < 2.0", [2]),
        Shape("isOpen == true", "isOpen == TRUE"),
        Shape("isOpen == YES OR isOpen = NO", "isOpen == TRUE OR isOpen == FALSE"),
        Shape("isOpen == TRUE AND isOpen == false", "isOpen == TRUE AND isOpen == FALSE"),
        Shape("isOpen == %@", "isOpen == TRUE", [NSNumber(value: true)]),
        Shape("isOpen == %d", "isOpen == TRUE", [true]),
        Shape("dog.name == %@", #"dog.name == "Rex""#, ["Rex"]),
        Shape("a == %@ AND b == %@", "a == 1 AND b == 2", [1, 2]),
        Shape("a == %@ && b == 's'", #"a == 1 AND b == "s""#, [1]),
        Shape("a == 1 || b == 2 && c == 3", "a == 1 OR (b == 2 AND c == 3)"),
        Shape("name == nil", "name == NULL"),
        Shape("name != nil and name <> null", "name != NULL AND name != NULL"),
        Shape("name == %@", "name == NULL", [nil]),
        Shape("name == %@", "name == NULL", [NSNull()]),
        Shape("NOT age IN %@", "NOT age IN {1}", [[1]]),
        Shape("NOT (age  IN %@)", "NOT age IN {1}", [[1]]),
        Shape("!(name CONTAINS 's')", #"NOT name CONTAINS "s""#),
        Shape("not age > 3", "NOT age > 3"),
        Shape("%@ < age", "3 < age", [3]),
        Shape("5 < age", "5 < age"),
        Shape("age == weight", "age == weight"),
        Shape("%K == %@", "dog.age == 3", ["dog.age", 3]),
        Shape("%K.age == %@", "dog.age == 3", ["dog", 3]),
        Shape("%K > 0", "dogs.@count > 0", ["dogs.@count"]),
        Shape("age == $0 OR weight == $0", "age == 3 OR weight == 3", [3]),
        Shape("age == $1 AND name == $0", #"age == 3 AND name == "a""#, ["a", 3]),
        Shape("$K0 == $1", "age == 3", ["age", 3]),
        Shape("TRUEPREDICATE", "TRUEPREDICATE"),
        Shape("FALSEPREDICATE or age == 1", "FALSEPREDICATE OR age == 1"),
        Shape("age BETWEEN %@", "age BETWEEN {1, 2}", [[1, 2]]),
        Shape("age BETWEEN {%@, %@}", "age BETWEEN {1, 2}", [1, 2]),
        Shape("age between {1, 2}", "age BETWEEN {1, 2}"),
        Shape("ANY dogs.name == %@", #"dogs.name == "Rex""#, ["Rex"]),
        Shape("SOME dogs.name == 'Rex'", #"dogs.name == "Rex""#),
        Shape("ANY dogs.name CONTAINS[cd] %@", #"dogs.name CONTAINS[cd] "e""#, ["e"]),
        Shape("ANY a.b.c.d IN[cd] %@", #"a.b.c.d IN[cd] {"e"}"#, [["e"]]),
        Shape("ALL dogs.age > 3", "ALL dogs.age > 3"),
        Shape("NONE dogs.age > 3", "NONE dogs.age > 3"),
        Shape("dogs.@count > 0", "dogs.@count > 0"),
        Shape("parent.@count == 0", "parent.@count == 0"),
        Shape("dogs.@max.age < dogs.age.@min", "dogs.age.@max < dogs.age.@min"),
        Shape("dogs.@avg.age > 1 AND dogs.@sum.age > 1", "dogs.age.@avg > 1 AND dogs.age.@sum > 1"),
        Shape(
            #"SUBQUERY(dogs, $d, $d.id == [c] "x").@count > 0"#,
            #"SUBQUERY(dogs, $x, $x.id ==[c] "x").@count > 0"#),
        Shape(
            "SUBQUERY(dogs, $d, $d.age > 3 AND $d.isGood == YES) .@count == 2",
            "SUBQUERY(dogs, $x, $x.age > 3 AND $x.isGood == TRUE).@count == 2"),
        Shape(
            "SUBQUERY(a, $a, SUBQUERY($a.b, $b, $b.c == 1).@count > 2).@count > 3",
            "SUBQUERY(a, $x, SUBQUERY($x.b, $x2, $x2.c == 1).@count > 2).@count > 3"),
        Shape(
            "SUBQUERY(tags, $t, $t IN {'a'}).@size > 0",
            #"SUBQUERY(tags, $x, $x IN {"a"}).@count > 0"#),
        Shape(
            "a == 1 AND b == 2 AND c == 3 AND d == 4 AND e == 5 AND f == 6 AND g == 7 AND h == 8",
            "a == 1 AND b == 2 AND c == 3 AND d == 4 AND e == 5 AND f == 6 AND g == 7 AND h == 8"),
        Shape("(a == 1 OR b == 2) AND c == 3", "(a == 1 OR b == 2) AND c == 3"),
        Shape("(a == 1 AND b == 2) AND c == 3", "a == 1 AND b == 2 AND c == 3"),
        Shape("((a)) == ((1))", "a == 1"),
        Shape("map['key'] == 3 AND map[%@] == 4", #"map["key"] == 3 AND map["k"] == 4"#, ["k"]),
        Shape(
            "map.@allKeys == 'a' OR map.@allValues == 1", #"map.@keys == "a" OR map.@values == 1"#),
        Shape("SELF == 'a' OR SELF IN {'b'}", #"SELF == "a" OR SELF IN {"b"}"#),
        Shape("SELF.name == 'a'", #"name == "a""#),
        Shape(
            "#any == 1 AND a.in == 2 AND #like.#or == 3",
            "#any == 1 AND a.#in == 2 AND #like.#or == 3"),
        Shape("any == 1 AND like == 2", "#any == 1 AND #like == 2"),
        Shape(#"#"two words" == 1"#, #"#"two words" == 1"#),
    ]

    @Test("each shape that programs use is read", arguments: used)
    func usedShapes(_ shape: Shape) throws { try Self.expect(shape) }

    private static let further = [
        Shape("age + 1 > weight * 2 - 3 / 4", "age + 1 > weight * 2 - 3 / 4"),
        Shape("(age + 1) * 2 > 1 - (2 - age)", "(age + 1) * 2 > 1 - (2 - age)"),
        Shape("age - 1 - 2 > -age", "age - 1 - 2 > 0 - age"),
        Shape("age > -5 AND age > +5", "age > -5 AND age > 5"),
        Shape("age == -9223372036854775808", "age == -9223372036854775808"),
        Shape("age == 0x1F AND weight == .5", "age == 31 AND weight == 0.5"),
        Shape("weight > 1e3 AND weight < 1.5E-7", "weight > 1000.0 AND weight < 1.5e-07"),
        Shape(
            "weight == infinity OR weight == -inf OR weight != NaN",
            "weight == infinity OR weight == -infinity OR weight != nan"),
        Shape("age > 3 SORT(name ASC, dog.age DESC)", "age > 3 SORT(name ASC, dog.age DESC)"),
        Shape("age > 3 sort(name) distinct(a, b.c)", "age > 3 SORT(name ASC) DISTINCT(a, b.c)"),
        Shape("age > 3 LIMIT(%d) OFFSET(2)", "age > 3 LIMIT(5) OFFSET(2)", [5]),
        Shape("age > 3 LIMIT(5 OFFSET 2)", "age > 3 LIMIT(5 OFFSET 2)"),
        Shape("LIMIT(1) FILTER(age > 3)", "TRUEPREDICATE LIMIT(1) FILTER(age > 3)"),
        Shape(
            "age > 3 SORT(scores['math'] DESC, list[0].#any)",
            #"age > 3 SORT(scores["math"] DESC, list[0].#any ASC)"#),
        Shape("age\u{a0}>\u{2009}3\u{3000}", "age > 3"),
        Shape("SELF > 3 SORT(SELF DESC)", "SELF > 3 SORT(SELF DESC)"),
        Shape("name TEXT 'data -base'", #"name TEXT "data -base""#),
        Shape("name text %@", #"name TEXT "words""#, ["words"]),
        Shape("@links.Dog.owner.age > 3", "@links.Dog.owner.age > 3"),
        Shape("@links.Dog.owner.@count > 3", "@links.Dog.owner.@count > 3"),
        Shape("value.@type == 'string'", #"value.@type == "string""#),
        Shape("map.@keys.@size > 2", "map.@keys.@count > 2"),
        Shape("list[0] == 1 AND list[-1] == 2", "list[0] == 1 AND list[-1] == 2"),
        Shape("list[FIRST] == 1 AND list[last] == 2", "list[FIRST] == 1 AND list[LAST] == 2"),
        Shape("list[*] == 1 AND list[SIZE] == 2", "list[*] == 1 AND list.@count == 2"),
        Shape("SELF[0]['a'].b == 1", #"SELF[0]["a"].b == 1"#),
        Shape(
            "id == uuid(3B241101-e2bb-4255-8caf-4136c566a962)",
            "id == uuid(3b241101-e2bb-4255-8caf-4136c566a962)"),
        Shape(
            "id == uuid('3b241101-e2bb-4255-8caf-4136c566a962')",
            "id == uuid(3b241101-e2bb-4255-8caf-4136c566a962)"),
        Shape("id == oid(507f1f77bcf86cd799439011)", "id == oid(507f1f77bcf86cd799439011)"),
        Shape("id == oid(%@)", "id == oid(507f1f77bcf86cd799439011)", ["507f1f77bcf86cd799439011"]),
        Shape("at > T1613842215:0", "at > T1613842215:0"),
        Shape("at > 2021-02-20@17:30:15:0", "at > T1613842215:0"),
        Shape("at > 2021-02-20T17:30:15", "at > T1613842215:0"),
        Shape(
            "at > 2020-02-29@00:00:00 OR at > 2020-12-31@23:59:59",
            "at > T1582934400:0 OR at > T1609459199:0"),
        Shape("at < T-1:-500000000", "at < T-1:-500000000"),
        Shape("at > 1600-02-29@00:00:00:500000000", "at > T-11670998399:-500000000"),
        Shape(#"CAST(0, "NSDate") < at"#, "T978307200:0 < at"),
        Shape(#"bytes == B64"aGVsbG8=""#, #"bytes == B64"aGVsbG8=""#),
        Shape("price > decimal(1.50)", "price > decimal(1.50)"),
        Shape("price > decimal('-1E+9')", "price > decimal(-1E+9)"),
        Shape("weight == float(0.1)", "weight == float(0.1)"),
        Shape("value == {1, {'a': {2}}, {:}}", #"value == {1, {"a": {2}}, {:}}"#),
        Shape("value == %@", #"value == {1, "a"}"#, [[1, "a"] as [Any]]),
        Shape("value IN list(1)", "value IN list(1)"),
        Shape(
            "place GEOWITHIN geoBox([-122.5, 47], [1, 48])",
            "place GEOWITHIN geoBox([-122.5, 47.0], [1.0, 48.0])"),
        Shape(
            "place geowithin geoCircle([1, 2], 0.25)",
            "place GEOWITHIN geoCircle([1.0, 2.0], 0.25)"),
        Shape(
            "place GEOWITHIN geoPolygon({[0, 0], [2, 0], [2, 2], [0, 0]})",
            "place GEOWITHIN geoPolygon({[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 0.0]})"),
        Shape(
            "place IN %@", "place GEOWITHIN geoBox([1.0, 0.0], [4.0, 3.0])",
            [GeoBox(bottomLeft: (0, 1), topRight: (3, 4)) as Any]),
    ]

    @Test("each shape of Realm's query language is read", arguments: further)
    func furtherShapes(_ shape: Shape) throws { try Self.expect(shape) }

    @Test("operators have the same meaning in each spelling")
    func operatorSpellings() throws {
        let spellings: [(Comparison.Operation, [String])] = [
            (.equal, ["==", "="]), (.notEqual, ["!=", "<>"]), (.less, ["<"]),
            (.lessOrEqual, ["<=", "=<"]), (.greater, [">"]), (.greaterOrEqual, [">=", "=>"]),
        ]
        for (operation, texts) in spellings {
            for text in texts {
                for space in ["", " ", "\t\n "] {
                    let parsed = try PredicateParser.parse("age\(space)\(text)\(space)3", [])
                    let expected = Travertine.Predicate.compare(
                        PropertyPath(names: ["age"]), operation, .int(3))
                    #expect(parsed.expression.predicate == expected, "\(text)")
                }
            }
        }
    }

    @Test("each operand has a number and a place")
    func places() throws {
        let text = "a.b == 1 AND SUBQUERY(c, $x, $x.d IN {1, 2}).@count > -e SORT(f ASC, g.h DESC)"
        let parsed = try PredicateParser.parse(text, [])
        let bytes = Array(text.utf8)
        let places = parsed.places.map { String(decoding: bytes[$0], as: UTF8.self) }
        #expect(places == ["a.b", "1", "c", "$x.d", "{1, 2}", "-", "e", "f", "g.h"])
    }

    @Test("a problem is shown in the text, or with all of it")
    func problems() throws {
        let parsed = try PredicateParser.parse("agee > 3", [])
        let message = parsed.message(for: [
            QueryProblem(message: "There is no property 'agee'.", operand: 0),
            QueryProblem(message: "Something else.", operand: nil),
        ])
        #expect(
            message == """
                There is no property 'agee'.
                  agee > 3
                  ^~~~
                Something else.
                  agee > 3
                """)
    }
}
