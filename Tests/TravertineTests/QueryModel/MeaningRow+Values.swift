import Foundation
import RealmSwift

@testable import Travertine

/// Q2 to Q9, Q14 and Q20: single values.
extension MeaningRow {
    static var values: [MeaningRow] {
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
                "Q3", "the double 0.1 is the decimal 0.1", "real", [.double(0.1)], .equal,
                .decimal128("0.1"), [0]),
            MeaningRow(
                "Q3", "the double 0.1 is not greater than the decimal 0.1", "real", [.double(0.1)],
                .greater, .decimal128("0.1"), []),
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
                "Q4", "a decimal NaN is less than nothing", "price",
                [.decimal(.nan), .decimal(-2)], .less, -1, [1]),
            MeaningRow(
                "Q4", "a NaN in a value of any type is at least nothing", "anything",
                [.double(.nan), .float(.nan), .decimal(.nan), .int(1)], .greaterOrEqual,
                .double(.nan), []),
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
                "Q6", "lists with NaN are not equal", "anything", [.list([.double(.nan)])], .equal,
                .fromArray([.double(.nan)]), []),
            MeaningRow(
                "Q6", "nil is at most nil", "anything", [.null, .int(1)], .lessOrEqual, .none,
                [0]),
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
                "Q7", "NOT of a bare bool holds for nil", "flagOrNil",
                [.bool(true), .bool(false), .null],
                .not(.compare(PropertyPath(names: ["flagOrNil"]), .equal, true)), [1, 2]),
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

    static func uuid(_ first: UInt8) -> UUID {
        UUID(uuid: (first, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    }
}
