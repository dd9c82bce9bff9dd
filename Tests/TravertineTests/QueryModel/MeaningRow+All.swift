import Foundation
import RealmSwift

@testable import Travertine

private let path = MeaningRow.path

private func steps(_ steps: PropertyPath.Step...) -> PropertyPath { PropertyPath(steps) }

private func compare(
    _ left: Operand, _ operation: Comparison.Operation, _ right: Operand,
    _ quantifier: Comparison.Quantifier = .any, _ options: StringOptions = []
) -> Predicate {
    .comparison(Comparison(left, operation, right, options: options, quantifier: quantifier))
}

private func list(_ values: Int...) -> WorldValue { .list(values.map { .int($0) }) }

private func spot(_ id: Int) -> WorldValue { .link(WorldKey(type: "WorldSpot", id: id)) }

private func count(_ names: String) -> Operand {
    .aggregate(.count, PropertyPath(names: names.split(separator: ".")))
}

private func total(_ aggregate: Aggregate, _ names: String) -> Operand {
    .aggregate(aggregate, PropertyPath(names: names.split(separator: ".")))
}

private func sum(
    _ operation: ArithmeticOperation, _ left: Operand, _ right: AnyRealmValue
) -> Operand {
    .arithmetic(operation, left, .constant(right))
}

private let large = 1 << 53

extension MeaningRow {
    /// The rules' numbers.
    static let rules = (1...20).map { "Q\($0)" }

    /// The examples of all rules.
    static var all: [MeaningRow] { values + texts + collections + objects }

    // MARK: Q2 to Q6, Q9: values

    private static var values: [MeaningRow] {
        [
            MeaningRow("Q2", "nil equals nil", "sizeOrNil", [.null, .int(3)], .equal, .none, [0]),
            MeaningRow(
                "Q2", "a value is not nil", "sizeOrNil", [.null, .int(3)], .notEqual, .none, [1]),
            MeaningRow(
                "Q2", "nil is not a value", "sizeOrNil", [.null, .int(3), .int(4)], .notEqual, 3,
                [0, 2]),
            MeaningRow(
                "Q2", "nil is at most nil", "sizeOrNil", [.null, .int(3)], .lessOrEqual, .none,
                [0]),
            MeaningRow(
                "Q2", "nil is at least nil", "realOrNil", [.null, .double(3)], .greaterOrEqual,
                .none, [0]),
            MeaningRow(
                "Q2", "nil is not less than nil", "sizeOrNil", [.null, .int(3)], .less, .none, []),
            MeaningRow(
                "Q2", "nil is not less than a value", "sizeOrNil", [.null, .int(3)], .less, 5,
                [1]),
            MeaningRow(
                "Q2", "nil is not at most a value", "nameOrNil", [.null, .string("a")],
                .lessOrEqual, "b", [1]),
            MeaningRow(
                "Q3", "an int equals a double", "size", [.int(1), .int(2)], .equal, 2.0, [1]),
            MeaningRow(
                "Q3", "an int is less than a fraction", "size", [.int(2), .int(3)], .less, 2.5,
                [0]),
            MeaningRow(
                "Q3", "2^53 + 1 is greater than the double 2^53", "size",
                [.int(large - 1), .int(large), .int(large + 1)], .greater, .double(Double(large)),
                [2]),
            MeaningRow(
                "Q3", "2^53 + 1 equals no double", "size", [.int(large), .int(large + 1)], .equal,
                .double(Double(large)), [0]),
            MeaningRow(
                "Q3", "the greatest int is less than 2^63", "size", [.int(.max)], .less,
                .double(0x1p63), [0]),
            MeaningRow(
                "Q3", "every int is less than infinity", "size", [.int(.max), .int(0)], .less,
                .double(.infinity), [0, 1]),
            MeaningRow(
                "Q3", "decimals equal by value, whatever their digits", "price",
                [.decimal("1.00"), .decimal("1.01"), .decimal(1)], .equal, 1, [0, 2]),
            MeaningRow(
                "Q3", "an int is compared with a decimal exactly", "size",
                [.int(large), .int(large + 1)], .equal, .decimal128("9007199254740993"), [1]),
            MeaningRow(
                "Q3", "the double 0.1 is not the decimal 0.1", "real", [.double(0.1)], .equal,
                .decimal128("0.1"), []),
            MeaningRow(
                "Q3", "the double 0.1 is greater than the decimal 0.1", "real", [.double(0.1)],
                .greater, .decimal128("0.1"), [0]),
            MeaningRow(
                "Q3", "a constant is rounded to Float", "single", [.float(0.1), .float(0.2)],
                .equal, 0.1, [0]),
            MeaningRow(
                "Q3", "a Float property is no double 0.1",
                [
                    ["single": .float(0.1), "real": .double(0.1)],
                    ["single": .float(0.5), "real": .double(0.5)],
                ], { _ in compare(path("single"), .equal, path("real")) }, [1]),
            MeaningRow(
                "Q3", "-0 equals 0", "real", [.double(-0.0), .double(0)], .equal, 0, [0, 1]),
            MeaningRow(
                "Q3", "true equals 1 in an int",
                [
                    ["flag": .bool(true), "size": .int(1)],
                    ["flag": .bool(true), "size": .int(2)],
                    ["flag": .bool(false), "size": .int(0)],
                ],
                { _ in compare(path("flag"), .equal, path("size")) }, [0, 2]),
            MeaningRow(
                "Q3", "a bool in a value of any type equals only a bool", "anything",
                [.bool(true), .int(1), .double(1)], .equal, true, [0]),
            MeaningRow(
                "Q3", "a number in a value of any type equals no bool", "anything",
                [.bool(true), .int(1), .double(1), .decimal("1.0")], .equal, 1, [1, 2, 3]),
            MeaningRow(
                "Q4", "NaN does not equal NaN", "real", [.double(.nan), .double(1)], .equal,
                .double(.nan), []),
            MeaningRow(
                "Q4", "everything differs from NaN", "real", [.double(.nan), .double(1)],
                .notEqual, .double(.nan), [0, 1]),
            MeaningRow(
                "Q4", "NaN differs from everything", "real", [.double(.nan), .double(1)],
                .notEqual, 1, [0]),
            MeaningRow(
                "Q4", "NaN is not at most NaN", "real", [.double(.nan), .double(1)], .lessOrEqual,
                .double(.nan), []),
            MeaningRow(
                "Q4", "NaN is less than nothing", "real", [.double(.nan), .double(1)], .less, 5,
                [1]),
            MeaningRow(
                "Q4", "a decimal NaN does not equal NaN", "price", [.decimal(.nan), .decimal(1)],
                .equal, .decimal128(.nan), []),
            MeaningRow(
                "Q4", "NaN is in no list", "real", [.double(.nan), .double(1)], .isIn,
                [.double(.nan), 1], [1]),
            MeaningRow(
                "Q4", "NaN is between nothing", "real", [.double(.nan), .double(1)], .isBetween,
                [.double(-.infinity), .double(.infinity)], [1]),
            MeaningRow(
                "Q5", "strings are ordered by their bytes", "name",
                [.string("a"), .string("É"), .string("Z"), .string("ab")], .less, "b", [0, 2, 3]),
            MeaningRow(
                "Q5", "a beginning comes first", "name", [.string("ab"), .string("abc")],
                .greater, "ab", [1]),
            MeaningRow(
                "Q5", "canonically equivalent strings differ", "name",
                [.string("é"), .string("e\u{301}")], .equal, "é", [0]),
            MeaningRow(
                "Q5", "NUL is a character", "name", [.string("a\u{0}b"), .string("a")], .equal,
                "a", [1]),
            MeaningRow(
                "Q5", "data are ordered by bytes without sign", "bytes",
                [.data(Data([127])), .data(Data([128])), .data(Data())], .greater,
                .data(Data([127])), [1]),
            MeaningRow(
                "Q5", "dates are points in time", "when",
                [.date(Date(timeIntervalSince1970: -0.5)), .date(Date(timeIntervalSince1970: 1))],
                .less, .date(Date(timeIntervalSince1970: 0)), [0]),
            MeaningRow(
                "Q5", "UUIDs are ordered by bytes", "tag",
                [.uuid(uuid(255)), .uuid(uuid(1))], .less, .uuid(uuid(2)), [1]),
            MeaningRow(
                "Q6", "values of different types are not equal", "anything",
                [.string("1"), .int(1), .data(Data("1".utf8)), .null], .equal, "1", [0]),
            MeaningRow(
                "Q6", "values of different types have no order", "anything",
                [.string("0"), .int(0), .decimal(4), .null], .less, 5, [1, 2]),
            MeaningRow(
                "Q6", "a value differs from one of another type", "anything",
                [.string("1"), .int(1), .null], .notEqual, "1", [1, 2]),
            MeaningRow(
                "Q6", "lists are equal by contents", "anything",
                [list(1, 2), list(2, 1), list(1), .list([.double(1), .decimal(2)])], .equal,
                .fromArray([1, 2]), [0, 3]),
            MeaningRow(
                "Q6", "dictionaries are equal by contents", "anything",
                [
                    .dictionary(["a": .int(1)]), .dictionary(["a": .int(2)]),
                    .dictionary(["a": .int(1), "b": .null]), .dictionary([:]),
                ], .equal, .fromDictionary(["a": 1]), [0]),
            MeaningRow(
                "Q7", "a bare bool is == true", "flagOrNil",
                [.bool(true), .bool(false), .null], .equal, true, [0]),
            MeaningRow(
                "Q8", "IN is equality with an element", "size", [.int(1), .int(2), .int(3)],
                .isIn, [1, 3.0], [0, 2]),
            MeaningRow(
                "Q8", "nil is in a list with nil", "sizeOrNil", [.null, .int(2)], .isIn,
                [.none], [0]),
            MeaningRow("Q8", "nothing is in an empty list", "size", [.int(1)], .isIn, [], []),
            MeaningRow(
                "Q8", "the options apply", "name", [.string("A"), .string("b")], .isIn, ["a"],
                [0], options: .caseInsensitive),
            MeaningRow(
                "Q9", "both ends belong to the range", "size",
                [.int(1), .int(2), .int(3), .int(4)], .isBetween, [2, 3], [1, 2]),
            MeaningRow(
                "Q9", "nil is between nothing", "sizeOrNil", [.null, .int(2)], .isBetween, [1, 3],
                [1]),
            MeaningRow(
                "Q9", "one and the same element is in the range", "ints", [list(1, 9), list(5)],
                .isBetween, [4, 6], [1]),
            MeaningRow(
                "Q14", "int division cuts off", "size", [.int(7), .int(-7), .int(8)],
                compare(sum(.divide, path("size"), 2), .equal, .constant(3)), [0]),
            MeaningRow(
                "Q14", "int division of negative numbers cuts off towards 0", "size", [.int(-7)],
                compare(sum(.divide, path("size"), 2), .equal, .constant(-3)), [0]),
            MeaningRow(
                "Q14", "a double makes a double", "size", [.int(7)],
                compare(sum(.divide, path("size"), 2.0), .equal, .constant(3.5)), [0]),
            MeaningRow(
                "Q14", "a decimal makes a decimal", "real", [.double(0.1)],
                compare(
                    sum(.add, path("real"), .decimal128("0.2")), .equal,
                    .constant(.decimal128("0.3"))), [0]),
            MeaningRow(
                "Q14", "beyond Int64 it is a double", "size", [.int(.max), .int(0)],
                compare(sum(.add, path("size"), 1), .equal, .constant(.double(0x1p63))), [0]),
            MeaningRow(
                "Q14", "an int divided by 0 is nil", "size", [.int(1)],
                compare(sum(.divide, path("size"), 0), .equal, .constant(.none)), [0]),
            MeaningRow(
                "Q14", "a double divided by 0 is infinite", "real", [.double(1), .double(-1)],
                compare(
                    sum(.divide, path("real"), 0), .equal, .constant(.double(.infinity))), [0]),
            MeaningRow(
                "Q14", "with nil it is nil", "sizeOrNil", [.null, .int(1)],
                compare(sum(.add, path("sizeOrNil"), 1), .equal, .constant(.none)), [0]),
            MeaningRow(
                "Q20", "NOT holds for nil", "sizeOrNil", [.null, .int(1), .int(3)],
                .not(.compare(PropertyPath(names: ["sizeOrNil"]), .less, 3)), [0, 2]),
            MeaningRow(
                "Q20", "NOT negates all of a conjunction", "size", [.int(1), .int(2), .int(3)],
                .not(
                    .all([
                        .compare(PropertyPath(names: ["size"]), .greater, 1),
                        .compare(PropertyPath(names: ["size"]), .less, 3),
                    ])), [0, 2]),
        ]
    }

    private static func uuid(_ first: UInt8) -> UUID {
        UUID(uuid: (first, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    }

    // MARK: Q10, Q11: texts

    private static var texts: [MeaningRow] {
        let both: StringOptions = [.caseInsensitive, .diacriticInsensitive]
        let words: [WorldValue] = [
            .string("Café"), .string("CAFE\u{301}"), .string("cafe"), .string("decaf"), .null,
        ]
        func row(
            _ rule: String, _ what: String, _ operation: Comparison.Operation, _ text: String,
            _ expected: [Int], _ options: StringOptions = []
        ) -> MeaningRow {
            MeaningRow(
                rule, what, "nameOrNil", words, operation, .string(text), expected,
                options: options)
        }
        return [
            row("Q10", "without options bytes are compared", .contains, "af", [0, 2, 3]),
            row("Q10", "[c] ignores case", .contains, "CAF", [0, 1, 2, 3], .caseInsensitive),
            row("Q10", "[c] keeps marks", .equal, "CAFÉ", [0], .caseInsensitive),
            row("Q10", "[d] ignores marks", .equal, "Cafe", [0], .diacriticInsensitive),
            row("Q10", "[cd] ignores both", .equal, "CAFÉ", [0, 1, 2], both),
            row("Q10", "!= with options negates", .notEqual, "cafe", [3, 4], both),
            row("Q10", "BEGINSWITH", .beginsWith, "c", [2]),
            row("Q10", "BEGINSWITH[c]", .beginsWith, "c", [0, 1, 2], .caseInsensitive),
            row("Q10", "ENDSWITH", .endsWith, "e", [2]),
            row("Q10", "ENDSWITH[d]", .endsWith, "é", [0, 2], .diacriticInsensitive),
            row("Q10", "an empty text is in every text", .contains, "", [0, 1, 2, 3]),
            row("Q10", "every text begins with an empty one", .beginsWith, "", [0, 1, 2, 3]),
            MeaningRow(
                "Q10", "nil is in no text", [["name": .string("a")], ["name": .string("")]],
                { _ in compare(path("name"), .contains, path("nameOrNil")) }, []),
            MeaningRow(
                "Q10", "nil equals nil with options", "nameOrNil", [.null, .string("a")], .equal,
                .none, [0], options: .caseInsensitive),
            MeaningRow(
                "Q10", "a value that is no text contains none", "anything",
                [.int(1), .string("1"), .null, .list([.string("1")])], .contains, "1", [1]),
            MeaningRow(
                "Q10", "a value that is no text does not equal one with options", "anything",
                [.int(1), .string("A")], .notEqual, "a", [0], options: .caseInsensitive),
            MeaningRow(
                "Q10", "data contain data", "bytes",
                [.data(Data([1, 2, 3])), .data(Data([2, 1])), .data(Data())], .contains,
                .data(Data([2, 3])), [0]),
            MeaningRow(
                "Q10", "data begin with data", "bytes",
                [.data(Data([1, 2, 3])), .data(Data([2, 1])), .data(Data())], .beginsWith,
                .data(Data([2])), [1]),
            MeaningRow(
                "Q10", "İ in lower case is two scalars", "name", [.string("İ"), .string("i")],
                .equal, "i\u{307}", [0], options: .caseInsensitive),
            MeaningRow(
                "Q10", "ß is not ss", "name", [.string("ß"), .string("SS")], .equal, "ss", [1],
                options: both),
            MeaningRow(
                "Q11", "? is one scalar", "name",
                [.string("a"), .string("ab"), .string("é"), .string("e\u{301}"), .string("")],
                .like, "?", [0, 2]),
            MeaningRow(
                "Q11", "* is any number, also none", "name",
                [.string("ab"), .string("axxb"), .string("abx")], .like, "a*b", [0, 1]),
            MeaningRow(
                "Q11", "the whole text must match", "name", [.string("xa"), .string("a")], .like,
                "a", [1]),
            MeaningRow(
                "Q11", "a line end is a scalar", "name", [.string("a\nb")], .like, "a?b", [0]),
            MeaningRow(
                "Q11", "escaped characters stand for themselves", "name",
                [.string("a*b"), .string("axb"), .string("a?b"), .string("a\\b")], .like,
                "a\\*b", [0]),
            MeaningRow(
                "Q11", "an escaped backslash", "name", [.string("a\\b"), .string("a*b")], .like,
                "a\\\\b", [0]),
            MeaningRow(
                "Q11", "[c] ignores case", "name", [.string("ABC"), .string("abd")], .like, "a?c",
                [0], options: .caseInsensitive),
            row("Q11", "nil matches nothing", .like, "*", [0, 1, 2, 3]),
        ]
    }

    // MARK: Q1, Q12, Q13, Q15, Q16: collections

    private static var collections: [MeaningRow] {
        let ints = [list(1, 2), list(2), list(), list(3)]
        func quantified(
            _ operation: Comparison.Operation, _ value: Int, _ quantifier: Comparison.Quantifier,
            _ expected: [Int]
        ) -> MeaningRow {
            MeaningRow(
                "Q1", "\(quantifier) \(operation) \(value)", "ints", ints,
                compare(path("ints"), operation, .constant(.int(value)), quantifier), expected)
        }
        func counted(
            _ what: String, _ property: String, _ values: [WorldValue], _ left: Operand,
            _ operation: Comparison.Operation, _ right: AnyRealmValue, _ expected: [Int]
        ) -> MeaningRow {
            MeaningRow(
                "Q12", what, property, values, compare(left, operation, .constant(right)),
                expected)
        }
        let maps: [WorldValue] = [
            .dictionary(["a": .double(3)]), .dictionary(["b": .double(3), "a": .double(1)]),
            .dictionary([:]),
        ]
        let nested: [WorldValue] = [
            .list([.int(1), .string("x")]), .dictionary(["k": .int(1), "m": .list([.int(7)])]),
            .int(1), .null,
        ]
        func stepped(
            _ rule: String, _ what: String, _ property: String, _ values: [WorldValue],
            _ path: PropertyPath, _ operation: Comparison.Operation, _ right: AnyRealmValue,
            _ expected: [Int]
        ) -> MeaningRow {
            MeaningRow(
                rule, what, property, values, compare(.path(path), operation, .constant(right)),
                expected)
        }
        let (ints0, anything) = (
            PropertyPath.Step.property("ints"), PropertyPath.Step.property("anything")
        )
        return [
            quantified(.equal, 2, .any, [0, 1]), quantified(.notEqual, 2, .any, [0, 3]),
            quantified(.equal, 2, .all, [1, 2]), quantified(.equal, 2, .none, [2, 3]),
            quantified(.notEqual, 2, .none, [1, 2]), quantified(.less, 3, .all, [0, 1, 2]),
            MeaningRow(
                "Q1", "ANY of both sides", type: "WorldOwner",
                [
                    ["ints": list(1, 2), "intSet": list(2, 3)],
                    ["ints": list(1), "intSet": list(2)], ["ints": list(1)],
                ], { _ in compare(path("ints"), .equal, path("intSet")) }, [0]),
            MeaningRow(
                "Q1", "ALL finds one on the right for each", type: "WorldOwner",
                [
                    ["ints": list(2, 2), "intSet": list(2, 3)],
                    ["ints": list(1, 2), "intSet": list(2)], ["ints": list()],
                ], { _ in compare(path("ints"), .equal, path("intSet"), .all) }, [0, 2]),
            MeaningRow(
                "Q8", "a constant is in a collection", "ints", ints,
                compare(.constant(2), .isIn, path("ints")), [0, 1]),
            MeaningRow(
                "Q8", "nil is in a collection", "texts",
                [.list([.null, .string("a")]), .list([.string("a")]), .list([])],
                compare(.constant(.none), .isIn, path("texts")), [0]),
            counted("@count counts", "ints", ints, count("ints"), .equal, 1, [1, 3]),
            counted(
                "@count counts nil", "texts", [.list([.null, .null]), .list([.string("a")])],
                count("texts"), .equal, 2, [0]),
            counted("@sum", "ints", ints, total(.sum, "ints"), .equal, 3, [0, 3]),
            counted("@sum of none is 0", "ints", ints, total(.sum, "ints"), .equal, 0, [2]),
            counted("@min", "ints", ints, total(.least, "ints"), .equal, 1, [0]),
            counted(
                "@max of none is nil", "ints", ints, total(.greatest, "ints"), .equal, .none, [2]),
            counted("@avg is a double", "ints", ints, total(.mean, "ints"), .equal, 1.5, [0]),
            counted("@avg of none is nil", "ints", ints, total(.mean, "ints"), .equal, .none, [2]),
            counted(
                "@avg of decimals is a decimal", "prices",
                [.list([.decimal("0.1"), .decimal("0.2")])], total(.mean, "prices"), .equal,
                .decimal128("0.15"), [0]),
            counted(
                "@sum does not wrap", "ints", [list(.max, .max), list(1)], total(.sum, "ints"),
                .greater, 5, [0]),
            counted(
                "dates have @max", "dates",
                [.list([.null, .date(Date(timeIntervalSince1970: 5))]), .list([])],
                total(.greatest, "dates"), .equal, .date(Date(timeIntervalSince1970: 5)), [0]),
            counted(
                "what is no number is skipped", "anythings",
                [.list([.int(1), .string("9"), .null, .double(2.5)])], total(.sum, "anythings"),
                .equal, 3.5, [0]),
            MeaningRow(
                "Q12", "@count through a nil link is 0",
                others: [("WorldOwner", ["ints": list(1)])],
                [["owner": .null], ["owner": .link(WorldKey(type: "WorldOwner", id: 0))]],
                { _ in compare(count("owner.ints"), .equal, .constant(0)) }, [0]),
            MeaningRow(
                "Q13", "SUBQUERY counts the elements", type: "WorldOwner",
                others: (0..<4).map { ("WorldSpot", ["size": .int($0), "flag": .bool($0 != 3)]) },
                [
                    ["spots": .list([spot(1), spot(2), spot(3)])],
                    ["spots": .list([spot(0), spot(3)])], ["spots": .list([spot(2), spot(2)])],
                ],
                { _ in
                    compare(
                        .subqueryCount(
                            PropertyPath(names: ["spots"]),
                            .all([
                                .compare(PropertyPath(names: ["size"]), .greater, 0),
                                .compare(PropertyPath(names: ["flag"]), .equal, true),
                            ])), .equal, .constant(2))
                }, [0, 2]),
            stepped(
                "Q15", "a map's values are its elements", "realMap", maps,
                steps(.property("realMap")), .equal, 3, [0, 1]),
            stepped(
                "Q15", "the value under a key", "realMap", maps,
                steps(.property("realMap"), .key("a")), .equal, 3, [0]),
            stepped(
                "Q15", "no value is nil", "realMap", maps,
                steps(.property("realMap"), .key("b")), .equal, .none, [0, 2]),
            stepped(
                "Q15", "keys", "realMap", maps, steps(.property("realMap"), .keys), .equal, "b",
                [1]),
            stepped("Q16", "a position", "ints", ints, steps(ints0, .position(1)), .equal, 2, [0]),
            stepped(
                "Q16", "a position behind the end is nil", "ints", ints,
                steps(ints0, .position(1)), .equal, .none, [1, 2, 3]),
            stepped("Q16", "the first", "ints", ints, steps(ints0, .first), .less, 3, [0, 1]),
            stepped("Q16", "the last", "ints", ints, steps(ints0, .last), .equal, 2, [0, 1]),
            stepped(
                "Q16", "a position in a value of any type", "anything", nested,
                steps(anything, .position(0)), .equal, 1, [0]),
            stepped(
                "Q16", "a key in a value of any type", "anything", nested,
                steps(anything, .key("k")), .equal, 1, [1]),
            stepped(
                "Q16", "no such collection is nil", "anything", nested,
                steps(anything, .key("k")), .equal, .none, [0, 2, 3]),
            stepped(
                "Q16", "two steps", "anything", nested,
                steps(anything, .key("m"), .position(0)), .equal, 7, [1]),
            stepped(
                "Q16", "each element", "anything", nested, steps(anything, .each), .equal, 1,
                [0, 1]),
            MeaningRow(
                "Q16", "ALL of none", "anything", nested,
                compare(.path(steps(anything, .each)), .equal, .constant(5), .all), [2, 3]),
        ]
    }

    // MARK: Q17 to Q19: objects

    private static var objects: [MeaningRow] {
        let chain: [[String: WorldValue]] = [
            ["size": .int(1)], ["next": spot(0)], ["next": spot(1)], ["next": spot(0)],
        ]
        let owners: [[String: WorldValue]] = [
            ["spots": .list([spot(0), spot(0)]), "name": .string("o")],
            ["spots": .list([spot(0), spot(1)]), "name": .string("p")],
        ]
        let backlinks = PropertyPath([.links(type: "WorldOwner", property: "spots")])
        return [
            MeaningRow(
                "Q1", "a nil link makes a value nil", chain,
                { _ in compare(path("next.size"), .equal, .constant(.none)) }, [0]),
            MeaningRow(
                "Q1", "through two links", chain,
                { _ in compare(path("next.next.size"), .equal, .constant(1)) }, [2]),
            MeaningRow(
                "Q17", "an object equals the same object", chain,
                { world in
                    compare(path("next"), .equal, .constant(world.mixed(spot(0))))
                }, [1, 3]),
            MeaningRow(
                "Q17", "a nil link is not an object", chain,
                { world in
                    compare(path("next"), .notEqual, .constant(world.mixed(spot(0))))
                }, [0, 2]),
            MeaningRow(
                "Q17", "an object in no realm equals nothing", chain,
                { _ in compare(path("next"), .equal, .constant(.object(WorldSpot()))) }, []),
            MeaningRow(
                "Q17", "no link is nil", chain,
                { _ in compare(path("next"), .equal, .constant(.none)) }, [0]),
            MeaningRow(
                "Q18", "linking objects by their name", chain,
                { _ in compare(path("before.id"), .equal, .constant(3)) }, [0]),
            MeaningRow(
                "Q18", "linking objects are counted", chain,
                { _ in compare(count("before"), .equal, .constant(2)) }, [0]),
            MeaningRow(
                "Q18", "an object that links twice is there once, its links are counted",
                type: "WorldOwner", others: [("WorldSpot", [:]), ("WorldSpot", [:])], owners,
                { _ in compare(count("spots.owners"), .equal, .constant(6)) }, [0]),
            MeaningRow(
                "Q18", "@links counts links", type: "WorldOwner",
                others: [("WorldSpot", [:]), ("WorldSpot", [:])], owners,
                { _ in
                    compare(
                        .subqueryCount(
                            PropertyPath(names: ["spots"]),
                            compare(.aggregate(.count, backlinks), .equal, .constant(3))),
                        .equal, .constant(1))
                }, [1]),
            MeaningRow(
                "Q18", "a path through linking objects", type: "WorldOwner",
                others: [("WorldSpot", [:]), ("WorldSpot", [:])], owners,
                { _ in compare(path("spots.owners.name"), .equal, .constant("p"), .all) }, []),
            MeaningRow(
                "Q19", "the type of an object", chain,
                { _ in
                    compare(.path(steps(.property("next"), .type)), .equal, .constant("WorldSpot"))
                }, [1, 2, 3]),
            MeaningRow(
                "Q19", "the type of a value", "anything",
                [.int(1), .string("a"), .decimal(1), .uuid(uuid(1)), .null],
                compare(
                    .path(steps(.property("anything"), .type)), .isIn,
                    .list(["int", "decimal128", "uuid"])), [0, 2, 3]),
        ]
    }
}
