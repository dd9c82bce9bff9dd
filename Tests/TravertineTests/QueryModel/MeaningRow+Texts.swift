import Foundation
import RealmSwift

@testable import Travertine

/// Q10 and Q11: texts.
extension MeaningRow {
    static var texts: [MeaningRow] {
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
                "Q10", "an empty text is in no value that is no text", "anything",
                [.int(1), .string(""), .null, .data(Data())], .contains, "", [1], options: both),
            MeaningRow(
                "Q10", "elements of a map equal with options", "anyMap",
                [.dictionary(["a": .string("E"), "b": .null]), .dictionary(["a": .int(1)])],
                .equal, "e", [0], options: .caseInsensitive),
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
}
