import Foundation
import RealmSwift
import Testing

@testable import Travertine

@Suite("Mistakes in predicate texts")
struct PredicateErrorTests {
    /// A wrong text, what the message begins with, and the part of the text that is marked.
    private struct Mistake {
        var text: String
        var message: String
        var marked: String
        var arguments: [Any?]

        init(_ text: String, _ message: String, _ marked: String, _ arguments: [Any?] = []) {
            self.text = text
            self.message = message
            self.marked = marked
            self.arguments = arguments
        }
    }

    private static var mistakes: [Mistake] {
        [
            Mistake("", "Expected a value or a property, but found the end", ""),
            Mistake("age", "Expected a comparison such as ==, <, IN or CONTAINS after age", ""),
            Mistake("age ==", "Expected a value or a property, but found the end", ""),
            Mistake("age = = 3", "Expected a value or a property, but found '='", "="),
            Mistake("age == 3 4", "Expected AND, OR or the end, but found '4'", "4"),
            Mistake("age == 3 == 4", "Expected AND, OR or the end, but found '=='", "=="),
            Mistake("(a == 3) == 4", "Expected a value or a property, but this is a", "(a == 3)"),
            Mistake("age == (a == 3)", "Expected a value or a property, but this is a", "(a == 3)"),
            Mistake(
                "age == 3 ANND b == 4", "Expected AND, OR or the end, but found 'ANND'", "ANND"),
            Mistake("(age == 3", "Expected ')' to close the parenthesis", ""),
            Mistake("age == 3)", "Expected AND, OR or the end, but found ')'", ")"),
            Mistake("name == 'Ada", "Expected ' at the end of the text", "'"),
            Mistake("name == \"Ada", "Expected \" at the end of the text", "\""),
            Mistake(#"name == '\u12'"#, "Expected four hexadecimal digits", #"\u"#),
            Mistake("name MATCHES 'a'", "There are no regular expressions", "MATCHES"),
            Mistake("name ==[x] 'a'", "The options of a comparison are c", "x"),
            Mistake("name ==[c 'a'", "Expected ']' after the options", "'a'"),
            Mistake("age == 12ab", "'12ab' is neither a number nor a name", "12ab"),
            Mistake(
                "age == 99999999999999999999", "The integer has more than 64 bits",
                "99999999999999999999"),
            Mistake("age == -9223372036854775809", "The integer has more", "-9223372036854775809"),
            Mistake("weight == 1e999", "The number is too large", "1e999"),
            Mistake("age ~ 3", "'~' has no meaning", "~"),
            Mistake("age == 3 %% 2", "'%%' is a percent sign", "%%"),
            Mistake("age BETWEEN 5", "BETWEEN needs two values", "5"),
            Mistake("age IN {a, b}", "Only values can be in a list", "a"),
            Mistake("age IN {1", "Expected '}' after the values", ""),
            Mistake(
                "dogs.@cuont > 1", "There is no operator '@cuont'. Did you mean @count?", "@cuont"),
            Mistake("dogs.@count.age > 1", "@count is the last step", "age"),
            Mistake("dogs.@min.age.@max > 1", "A path has one aggregate at most", "@max"),
            Mistake("dogs[x] == 1", "Expected a position, a key in quotes", "x"),
            Mistake("@links.Dog > 1", "Expected the property of @links.Type.property", ">"),
            Mistake("SUBQUERY(a, $x, $x.b == 1) > 0", "Expected .@count after SUBQUERY", ">"),
            Mistake("SUBQUERY(a, $x, b == 1).@count > 0", "In a subquery each path begins", "b"),
            Mistake(
                "SUBQUERY(a, $x, SUBQUERY($x.b, $y, $x.c == 1).@count > 0).@count > 0",
                "$x belongs to a subquery further out", "$x"),
            Mistake("$x.b == 1", "No SUBQUERY around it declares $x", "$x"),
            Mistake("SUBQUERY(a.@max, $x, $x == 1).@count > 0", "Expected a collection", "a.@max"),
            Mistake("uid(1) == id", "There is no function 'uid'. Did you mean oid or uuid?", "uid"),
            Mistake("id == obj('Dog', 1)", "An object has no text", "obj"),
            Mistake("id == uuid(12)", "'12' is no UUID", "12"),
            Mistake("id == oid('12')", "\"12\" is no object id", "'12'"),
            Mistake(
                "at == 2021-13-20@17:30:15:0", "There is no such time", "2021-13-20@17:30:15:0"),
            Mistake("at == 2021-02-29@00:00:00", "There is no such time", "2021-02-29@00:00:00"),
            Mistake("at == 2021-04-31@00:00:00", "There is no such time", "2021-04-31@00:00:00"),
            Mistake("at == 2021-00-01@00:00:00", "There is no such time", "2021-00-01@00:00:00"),
            Mistake("bytes == B64'%'", "This is no data in Base64", "B64'%'"),
            Mistake("p GEOWITHIN 3", "GEOWITHIN needs a shape", "3"),
            Mistake(
                "p == geoBox([0, 0], [1, 1])", "A shape is for GEOWITHIN", "geoBox([0, 0], [1, 1])"),
            Mistake(
                "p GEOWITHIN geoBox([0, 99], [1, 1])", "A point is [longitude, latitude]", "[0, 99]"
            ),
            Mistake(
                "p GEOWITHIN geoPolygon({[0, 0], [1, 1]})", "The rings are no polygon",
                "geoPolygon({[0, 0], [1, 1]}"),
            Mistake("age > 3 LIMIT(-1)", "Expected a number of objects", "-1"),
            Mistake("age > 3 LIMIT(1) AND b > 3", "Expected the end, but found 'AND'", "AND"),
            Mistake("age > 3 SORT(a[FIRST])", "Expected a property, or properties", "a[FIRST]"),
            Mistake(
                "age > 3 SORT(#\"a.b\")", "Expected a property, or properties", "#\"a.b\""),
            Mistake(
                "age > 3 LIMIT 5", "Expected AND, OR or the end, but found 'LIMIT'. Write LI",
                "LIMIT"),
            Mistake(
                "age NOT IN {1}",
                "Expected a comparison such as ==, <, IN or CONTAINS after age, but found 'NOT'. Write NOT before",
                "NOT"),
            Mistake(
                "name IS NULL",
                "Expected a comparison such as ==, <, IN or CONTAINS after name, but found 'IS'. Write ==",
                "IS"),
            Mistake(
                "age > 3 ORDER BY age",
                "Expected AND, OR or the end, but found 'ORDER'. Write SORT", "ORDER"),
            Mistake("name == \u{201c}Ada\u{201d}", "Texts are in straight quotes", "\u{201c}"),
            Mistake("age \u{2013} 3 > 1", "'\u{2013}' has no meaning", "\u{2013}"),
            Mistake("name TEXT 3", "TEXT needs words in quotes", "3"),
            Mistake("3 TEXT 'a'", "TEXT needs a property", "3"),
            Mistake("age == %@", "There is no argument for '%@': no arguments are given", "%@"),
            Mistake(
                "a == %@ AND b == %@", "There is no argument for '%@': 1 argument is", "%@", [1]),
            Mistake("age == $3", "There is no argument for '$3': 2 arguments are", "$3", [1, 2]),
            Mistake("age == 3", "1 argument is given, but the text uses none", "", [1]),
            Mistake(
                "age == %@ AND age == %@", "3 arguments are given, but the text uses 2", "",
                [1, 2, 3]),
            Mistake("age == %d", "'%d' takes an integer, and the argument is x", "%d", ["x"]),
            Mistake("age == %d", "'%d' takes an integer, and the argument is 1.5", "%d", [1.5]),
            Mistake("age == %f", "'%f' takes a number, and the argument is nil", "%f", [nil]),
            Mistake("%K == 3", "'%K' takes a property's name, and the argument is 2", "%K", [2]),
            Mistake(
                "age == %@", "A value of type NSObject can't be an argument", "%@", [NSObject()]),
            Mistake("age IN %@", "A value of type Range<Int> can't be", "%@", [1..<3]),
            Mistake("age == %@", "A value of type UInt64 can't be", "%@", [UInt64.max]),
            Mistake(
                "age IN %@", "Element 1 of the argument for '%@'", "%@", [[1, NSObject()] as [Any]]),
        ]
    }

    @Test("each mistake is reported with its place")
    func places() {
        for mistake in Self.mistakes {
            let error = #expect(throws: PredicateTextError.self, "\(mistake.text)") {
                try PredicateParser.parse(mistake.text, mistake.arguments)
            }
            guard let error else { continue }
            #expect(error.message.hasPrefix(mistake.message), "\(mistake.text): \(error)")
            let marked = String(
                decoding: Array(mistake.text.utf8)[error.range], as: UTF8.self)
            #expect(marked == mistake.marked, "\(mistake.text): \(error)")
        }
    }

    @Test("the caret is under the place, whatever is before it")
    func carets() throws {
        func text(of text: String) throws -> String {
            let error = try #require(throws: PredicateTextError.self) {
                try PredicateParser.parse(text, [])
            }
            return error.description
        }
        #expect(
            try text(of: "name == 'Ægir' AND age 3") == """
                Expected a comparison such as ==, <, IN or CONTAINS after age, but found '3'.
                  name == 'Ægir' AND age 3
                                         ^
                """)
        #expect(
            try text(of: "a == 1\n\tAND b ~ 2\nAND c == 3") == """
                '~' has no meaning in a predicate.
                Line 2:
                  \tAND b ~ 2
                  \t      ^
                """)
        let long = String(repeating: "age == 1 AND ", count: 20) + "age CONTAIN 1"
        let lines = try text(of: long).split(separator: "\n")
        #expect(lines[1].hasPrefix("  …") && lines[1].hasSuffix("CONTAIN 1"))
        #expect(lines[2].hasSuffix(" ^~~~~~~") && lines[1].count < 120)
        #expect(lines[1].count == lines[2].count + 2)
    }

    @Test("deep nesting is refused, and never overflows the stack")
    func depth() {
        let count = 20_000
        let texts = [
            String(repeating: "(", count: count), String(repeating: "{", count: count),
            "a == " + String(repeating: "{", count: count), String(repeating: "NOT ", count: count),
            "a == " + String(repeating: "-", count: count) + "b",
            String(repeating: "!(", count: count),
            "a == 1" + String(repeating: " + 1", count: count),
            "a == 1" + String(repeating: " * (1", count: count),
            "a == " + String(repeating: "list(", count: count),
            String(repeating: "SUBQUERY(a, $x, ", count: count),
            "SUBQUERY(a, $x, " + String(repeating: "SUBQUERY($x, $x, ", count: count),
            "a == " + String(repeating: "CAST(", count: count),
        ]
        for text in texts {
            #expect(throws: PredicateTextError.self, "\(text.prefix(20))") {
                try PredicateParser.parse(text, [])
            }
        }
    }

    @Test("what is below the limit of depth is read")
    func depthBelowLimit() throws {
        let depth = 10
        let text =
            String(repeating: "NOT (", count: depth) + "a == 1 OR b == 2"
            + String(repeating: ")", count: depth)
        let parsed = try PredicateParser.parse(text, [])
        let again = try PredicateParser.parse(parsed.expression.description, [])
        #expect(again.expression == parsed.expression)
    }

    @Test("long texts are read")
    func length() throws {
        let count = 20_000
        let terms = try PredicateParser.parse(
            "a == 1" + String(repeating: " AND a == 1", count: count), [])
        guard case .and(let parts) = terms.expression.predicate else {
            Issue.record("no conjunction")
            return
        }
        #expect(parts.count == count + 1 && terms.places.count == 2 * count + 2)
        let list = try PredicateParser.parse(
            "a IN {1" + String(repeating: ", 1", count: count) + "}", [])
        #expect(list.places.count == 2)
        let path = try PredicateParser.parse(
            "a" + String(repeating: ".b", count: count) + " == 1", [])
        #expect(path.places[0].count == 2 * count + 1)
    }
}
