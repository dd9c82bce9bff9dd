import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

@Suite("Full-text indexes")
struct FullTextTests {
    @Test(
        "a text has the words that Unicode's rules give it, folded",
        arguments: [
            (
                "The quick (“brown”) fox can’t jump 32.3 feet, right?",
                ["the", "quick", "brown", "fox", "can't", "jump", "32.3", "feet", "right"]
            ),
            ("ÆRØ’S café Straße STRASSE", ["ærø's", "cafe", "strasse", "strasse"]),
            ("e\u{301}te\u{301} = \u{e9}t\u{e9}", ["ete", "ete"]),
            ("東京タワー と", ["東", "京", "タワー", "と"]),
            ("がく か\u{3099}", ["か", "く", "か"]),
            ("ΟΔΟΣ οδός", ["οδοσ", "οδοσ"]),
            (
                "a1 1,000 1, 000 x' 'y a..b U.S.",
                ["a1", "1,000", "1", "000", "x", "y", "a", "b", "u.s"]
            ),
            ("soft\u{ad}hyphen under_score", ["softhyphen", "under", "score"]),
            ("", []), ("... — !", []),
        ] as [(String, [String])])
    func words(text: String, expected: [String]) {
        var words: [String] = []
        WordSplitter.forEachWord(of: text) { words.append($0) }
        #expect(words == expected)
    }

    @Test("searches find the objects with every word, by the index and without")
    func searching() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Article.self])
        let texts: [String?] = [
            "Ein großer Bär", "ein kleiner BAR", nil, "Der Bär ist groß", "grosser bar, großer Bär",
        ]
        try realm.write {
            for (id, text) in texts.enumerated() {
                realm.add(Article(value: ["id": id, "text": text as Any, "plain": text as Any]))
            }
        }
        for (search, expected) in [
            ("bär", [0, 1, 3, 4]), ("bar grosser", [0, 4]), ("GROSS", [3]), ("", []),
            ("bä", []), ("kleiner ist", []),
        ] {
            let articles = realm.objects(Article.self)
            #expect(articles.where { $0.text.fullText(search) }.map(\.id) == expected, "\(search)")
            #expect(articles.where { $0.plain.fullText(search) }.map(\.id) == expected, "\(search)")
        }
        func candidateCount() throws -> Int? {
            try QueryPlanning.$prefersIndexes.withValue(true) {
                let articles = realm.objects(Article.self)
                return try articles.where { $0.text.fullText("gross") }.state.candidates()?.keys
                    .count
            }
        }
        #expect(try candidateCount() == 1)
        try realm.write {
            realm.object(ofType: Article.self, forPrimaryKey: 3)?.text = "gone"
            realm.delete(realm.objects(Article.self).where { $0.id == 0 })
        }
        #expect(realm.objects(Article.self).where { $0.text.fullText("bär") }.map(\.id) == [1, 4])
        #expect(try candidateCount() == 0)
        #expect(try realm.brokenInvariants() == [])
    }

    @Test("words of any length are found, by their first 128 bytes")
    func longWords() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Article.self])
        let long = String(repeating: "ö", count: 300)
        try realm.write { realm.add(Article(value: ["id": 1, "text": "x \(long) y"])) }
        #expect(realm.objects(Article.self).where { $0.text.fullText(long) }.count == 1)
        #expect(try realm.brokenInvariants() == [])
    }
}

class Article: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: .fullText) var text: String?
    @Persisted var plain: String?
}
