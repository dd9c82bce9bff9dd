import Foundation
import RealmSwift

@testable import Travertine

/// Q1, Q12, Q13, Q15 and Q16: collections.
extension MeaningRow {
    static var collections: [MeaningRow] {
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
            counted(
                "@min and @max skip NaN", "reals",
                [.list([.double(.nan), .double(2), .double(1)])],
                total(.least, "reals"), .equal, 1, [0]),
            counted(
                "@sum of NaN is NaN", "reals", [.list([.double(.nan), .double(2)])],
                total(.sum, "reals"), .notEqual, 2, [0]),
            MeaningRow(
                "Q1", "a collection through a nil link has no values",
                others: [("WorldOwner", ["ints": list(1)])],
                [["owner": .null], ["owner": .link(WorldKey(type: "WorldOwner", id: 0))]],
                { _ in compare(path("owner.ints"), .notEqual, .constant(2)) }, [1]),
            MeaningRow(
                "Q1", "ALL holds for a collection through a nil link",
                others: [("WorldOwner", ["ints": list(1)])],
                [["owner": .null], ["owner": .link(WorldKey(type: "WorldOwner", id: 0))]],
                { _ in compare(path("owner.ints"), .equal, .constant(2), .all) }, [0]),
            MeaningRow(
                "Q1", "nil elements are values", "texts",
                [.list([.null]), .list([.string("a")]), .list([])],
                compare(path("texts"), .notEqual, .constant("a")), [0]),
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
                "Q16", "a position after the end is nil", "ints", ints,
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
}
