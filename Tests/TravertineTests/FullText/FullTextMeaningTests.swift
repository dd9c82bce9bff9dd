import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

@Suite("What full-text queries find")
struct FullTextMeaningTests {
    private static let texts: [String?] = [
        "A database engine in Swift", "The data base of a bank", "base data, and more data",
        nil, "", "Straße nach Ærø", "東京タワーは高い", "京東", "part-number AB-1234/x",
    ]

    private func check(
        _ cases: [(String, [Int])], texts: [String?] = texts,
        _ property: (Query<Note>) -> Query<String?>, isIndexed: Bool = true,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Note.self])
        try realm.write {
            for (id, text) in texts.enumerated() { realm.add(Note(id, text)) }
        }
        for (query, expected) in cases {
            let notes = realm.objects(Note.self).where { property($0).fullText(query) }
            for (isScanOnly, prefersIndexes) in [(true, false), (false, true)] {
                let found = QueryPlanning.$isScanOnly.withValue(isScanOnly) {
                    QueryPlanning.$prefersIndexes.withValue(prefersIndexes) {
                        Array(notes.where { $0.id >= 0 }.map(\.id))
                    }
                }
                #expect(
                    found == expected, "\(query), scan: \(isScanOnly)",
                    sourceLocation: sourceLocation)
            }
        }
        #expect(try realm.brokenInvariants() == [])
    }

    @Test("W1, W2: all words are there in any order, and what has no words is left out")
    func words() throws {
        try check(
            [
                ("data", [1, 2]), ("base data", [1, 2]), ("DATA & base", [1, 2]), ("", []),
                ("! -", []), ("data-base", [1, 2]), ("ærø strasse", [5]), ("データ", []),
                ("data NEAR(bank !)", [1]),
            ], { $0.text })
    }

    @Test("W3: a star finds words that begin so")
    func prefixes() throws {
        try check(
            [
                ("dat*", [0, 1, 2]), ("data*", [0, 1, 2]), ("ba*", [1, 2]), ("d* sw*", [0]),
                ("zz*", []), ("-dat*", [4, 5, 6, 7, 8]), ("STRA*", [5]),
            ], { $0.text })
    }

    @Test("W4: the words of a phrase follow one another")
    func phrases() throws {
        try check(
            [
                ("\"data base\"", [1]), ("\"base data\"", [2]), ("\"data ba\"*", [1]),
                ("\"of a\"", [1]), ("\"data\"", [1, 2]), ("\"\"", []),
                ("\"data base\" OR \"more data\"", [1, 2]), ("\"data data\"", []),
                ("\"東京\"", [6]),
            ], { $0.text })
    }

    @Test("W5: a minus excludes, also alone; a text that is nil is never found")
    func negations() throws {
        try check(
            [
                ("data -bank", [2]), ("-data", [0, 4, 5, 6, 7, 8]), ("data -\"data base\"", [2]),
                ("-(data OR database)", [4, 5, 6, 7, 8]), ("data -(bank more)", [1, 2]),
                ("-!", []), ("data NOT bank", [2]), ("- data", [1, 2]),
            ], { $0.text })
    }

    @Test("W6: OR finds either, and binds less than words beside each other")
    func alternatives() throws {
        try check(
            [
                ("database OR bank", [0, 1]), ("data bank OR swift", [0, 1]),
                ("data (bank OR more)", [1, 2]), ("swift OR -a", [0, 2, 4, 5, 6, 7, 8]),
                ("! OR swift", [0]),
            ], { $0.text })
    }

    @Test("W7: NEAR counts the words between the end of each term and the beginning of the last")
    func near() throws {
        let texts = ["a x x b", "b x a", "a b", "a x b c x x d", "c d x x a b", "a"]
        try check(
            [
                ("NEAR(a b, 0)", [2, 4]), ("NEAR(a b, 1)", [1, 2, 3, 4]),
                ("NEAR(a b, 2)", [0, 1, 2, 3, 4]), ("NEAR(a b)", [0, 1, 2, 3, 4]),
                ("NEAR(\"b c\" d, 2)", [3]), ("NEAR(\"b c\" d, 1)", []),
                ("NEAR(a \"b c\" d, 3)", []), ("NEAR(a \"b c\" d, 5)", [3]),
                ("NEAR(\"c d\" \"a b\", 2)", [4]), ("NEAR(a a, 0)", [0, 1, 2, 3, 4, 5]),
                ("NEAR(a \"b c\"*, 1)", [3]),
            ], texts: texts, { $0.text })
    }

    @Test("W10: of trigrams a term is a part of the text, with signs, of any length")
    func trigrams() throws {
        try check(
            [
                ("atab", [0]), ("\"data b\"", [1]), ("AB-12", [8]), ("ab-1 xx", []),
                ("e", [0, 1, 2, 5, 8]),
                ("rt-num", [8]), ("\"1234/X\"", [8]), ("京タ", [6]), ("-data", [4, 5, 6, 7, 8]),
                ("atab OR bank", [0, 1]), ("rasse", [5]), ("bas*", [0, 1, 2]), ("fn", []),
            ], { $0.parts })
    }

    @Test("W10: of code points the letters of a term follow one another")
    func codePoints() throws {
        try check(
            [
                ("東京", [6]), ("京東", [7]), ("京", [6, 7]), ("高い 東京", [6]), ("い東", []),
                ("ab1234", [8]), ("-京", [0, 1, 2, 4, 5, 8]),
            ], { $0.signs })
    }

    @Test("without an index the same is found as by words")
    func withoutIndex() throws {
        try check(
            [("\"data base\"", [1]), ("dat* -bank", [0, 2]), ("NEAR(data bank, 3)", [1])],
            { $0.plain })
    }

    @Test("an index of trigrams finds parts of texts for CONTAINS, BEGINSWITH, ENDSWITH and LIKE")
    func infixes() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Note.self])
        try realm.write {
            for id in 0..<300 {
                realm.add(Note(id, "The number \(id) is Straße ẞ İx\u{0}yz Ærø \(id * 7919)"))
            }
        }
        let notes = realm.objects(Note.self)
        let conditions: [(String, Bool)] = [
            ("parts CONTAINS 'ber 17'", true), ("parts CONTAINS[c] 'BER 17'", true),
            ("parts CONTAINS 'BER 17'", true), ("parts CONTAINS[c] 'straße ß i̇x'", true),
            ("parts CONTAINS[c] 'STRASSE'", true), ("parts LIKE '*ber 17?is*'", true),
            ("parts LIKE[c] 'THE*1 is*'", true), ("parts ENDSWITH '58'", false),
            ("parts ENDSWITH '7919'", true), ("parts BEGINSWITH 'The number 29'", true),
            ("parts CONTAINS '17'", false), ("parts CONTAINS[cd] 'ber 17'", false),
            ("parts CONTAINS ''", false), ("parts CONTAINS 'x\\u0000y'", false),
            ("parts CONTAINS 'İx\\u0000yz Æ'", true), ("plain CONTAINS 'ber 17'", false),
            ("NOT parts CONTAINS 'ber 17'", false), ("parts == 'x'", false),
            ("parts LIKE '?he numbe*17*'", true),
        ]
        for (condition, isIndexed) in conditions {
            try QueryPlanning.$prefersIndexes.withValue(true) {
                let found = try notes.filter(validating: condition)
                let scanned = try notes.filter(
                    validating: condition.replacing("parts", with: "plain"))
                #expect(found.explain().contains("words parts") == isIndexed, "\(condition)")
                #expect(found.map(\.id) == scanned.map(\.id), "\(condition)")
            }
        }
    }
}
