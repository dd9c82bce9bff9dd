import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

@Suite("Ranking by full text, and snippets")
struct FullTextRankingTests {
    /// BM25, written from W8 with strings.
    private func score(
        _ words: [String], _ text: String?, among texts: [String?]
    ) -> Double {
        func units(_ text: String?) -> [String] {
            text.map { PlainFullText(tokenizer: .words).units($0) } ?? []
        }
        let all = texts.map { units($0) }.filter { !$0.isEmpty }
        let mean = Double(all.reduce(0) { $0 + $1.count }) / Double(all.count)
        let own = units(text)
        var sum = 0.0
        for word in words.sorted() {
            let found = Double(all.filter { $0.contains(word) }.count)
            let count = Double(own.filter { $0 == word }.count)
            let weight = log(1 + (Double(all.count) - found + 0.5) / (found + 0.5))
            let length = 1.2 * (1 - 0.75 + 0.75 * Double(own.count) / mean)
            sum += weight * count * 2.2 / (count + length)
        }
        return sum
    }

    @Test("W8: the score is BM25 of the words in all texts, with an index and without")
    func scores() throws {
        var random = SeededRandom(seed: 8)
        let directory = TemporaryDirectory()
        let realm = try directory.open([Note.self])
        let texts = (0..<200).map { _ in FullTextSource.text(&random) }
        try realm.write {
            for (id, text) in texts.enumerated() { realm.add(Note(id, text)) }
        }
        for (query, words) in [
            ("data", ["data"]), ("swift OR base", ["base", "swift"]),
            ("fast \"the data\"", ["data", "fast", "the"]), ("data -fast", ["data"]),
            ("NEAR(is a) OR data", ["a", "data", "is"]), ("data DATA", ["data"]),
        ] {
            let query = try FullTextQuery(query)
            let notes = realm.objects(Note.self)
            let matching = texts.indices.filter {
                PlainFullText(tokenizer: .words).matches(query, texts[$0])
            }
            let expected = matching.map { score(words, texts[$0], among: texts) }.sorted(by: >)
            let ranked = notes.ranked(by: \.text, matching: query)
            let unindexed = notes.ranked(by: \.plain, matching: query)
            #expect(ranked.map(\.score) == unindexed.map(\.score), "\(query)")
            #expect(ranked.map(\.object.id) == unindexed.map(\.object.id), "\(query)")
            #expect(ranked.count == expected.count)
            for (found, wanted) in zip(ranked, expected) {
                #expect(abs(found.score - wanted) < 1e-9, "\(query)")
            }
            let best = notes.ranked(by: \.text, matching: query, limit: 5)
            #expect(best.map(\.object.id) == Array(ranked.map(\.object.id).prefix(5)))
        }
    }

    @Test("W8: objects with one score keep their order, and conditions do not change scores")
    func order() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Note.self])
        try realm.write { for id in 0..<60 { realm.add(Note(id, "same words")) } }
        let notes = realm.objects(Note.self)
        let all = notes.ranked(by: \.text, matching: "words")
        #expect(all.map(\.object.id) == Array(0..<60))
        let descending = notes.sorted(by: \.id, ascending: false)
            .ranked(by: \.text, matching: "words", limit: 7)
        #expect(descending.map(\.object.id) == Array((53..<60).reversed()))
        let some = notes.where { $0.group == 1 }.ranked(by: \.text, matching: "words")
        #expect(some.count == 20 && some[0].score == all[0].score)
        #expect(notes.ranked(by: \.text, matching: "words", limit: 0).isEmpty)
        #expect(notes.ranked(by: \.text, matching: "", limit: 3).isEmpty)
        #expect(notes.ranked(by: \.text, matching: "-other").map(\.score).allSatisfy { $0 == 0 })
    }

    @Test("W9: with several properties each word may be in any of them")
    func severalProperties() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Page.self])
        try realm.write {
            realm.add(Page("Swift", "a language"))
            realm.add(Page("Databases", "in swift and others"))
            realm.add(Page("Birds", "swifts are fast; databases are not"))
            realm.add(Page("Empty", nil))
        }
        let pages = realm.objects(Page.self)
        func titles(_ query: FullTextQuery) -> [String] {
            pages.ranked(by: \.title, \.text, matching: query).map(\.object.title)
        }
        #expect(titles("swift databases") == ["Databases"])
        #expect(Set(titles("swift OR birds")) == ["Swift", "Databases", "Birds"])
        #expect(titles("\"databases in\"") == [])
        #expect(titles("-swift*") == ["Empty"])
        #expect(titles("birds-databases") == ["Birds"])
        #expect(titles("!") == [])
        let title = pages.ranked(by: \.title, matching: "swift")[0].score
        let text = pages.ranked(by: \.text, matching: "swift")
        let both = pages.ranked(by: \.title, \.text, matching: "swift")
        #expect(both.map(\.score) == [title, text[0].score].sorted(by: >))
    }

    @Test("ranked results are live, also in a transaction and for derived classes")
    func liveness() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Page.self, LongPage.self])
        try realm.write {
            realm.add(Page("One", "rare word"))
            realm.add(LongPage("Two", "rare rare word"))
        }
        let ranked = realm.objects(Page.self, includingSubclasses: true)
            .ranked(by: \.text, matching: "rare")
        #expect(ranked.map(\.object.title) == ["Two", "One"])
        #expect(ranked[0].object is LongPage)
        try realm.write {
            realm.add(Page("Three", "rare rare rare"))
            #expect(ranked.map(\.object.title) == ["Three", "Two", "One"])
            realm.delete(realm.objects(LongPage.self))
            #expect(ranked.map(\.object.title) == ["Three", "One"])
        }
        #expect(ranked.count == 2)
    }

    @Test("a list, and results after a limit, are ranked by the numbers of the whole type")
    func collections() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Page.self, PageShelf.self])
        let shelf = PageShelf()
        try realm.write {
            realm.add(shelf)
            for number in 0..<9 {
                let page = Page("p\(number)", String(repeating: "x ", count: number) + "word")
                realm.add(page)
                if number % 2 == 0 { shelf.pages.append(page) }
            }
        }
        let ranked = shelf.pages.ranked(by: \.text, matching: "word")
        #expect(ranked.map(\.object.title) == ["p0", "p2", "p4", "p6", "p8"])
        let all = realm.objects(Page.self).ranked(by: \.text, matching: "word")
        #expect(ranked[0].score == all[0].score)
        let limited = realm.objects(Page.self).limit(3).ranked(by: \.text, matching: "word")
        #expect(limited.map(\.object.title) == ["p0", "p1", "p2"])
    }

    @Test("ranking by what is no string stops with a message")
    func misuse() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            let directory = TemporaryDirectory()
            let realm = try directory.open([Note.self])
            _ = realm.objects(Note.self).ranked(by: \.id, matching: "a")
        }
        #expect(result.errorText.contains("'id' of Note is none"))
    }

    @Test(
        "a snippet has the most of what is looked for, marked, in as much text as is asked for",
        arguments: [
            ("fox", 2, "…quick brown <b>fox</b> jumps over…"),
            ("the", 1, "<b>The</b> quick…"), ("dog", 1, "…lazy <b>dog</b>."),
            ("\"lazy dog\"", 1, "…the <b>lazy dog</b>."), ("zebra", 1, "The quick brown…"),
            ("jump* OR LAZY", 3, "…quick brown fox <b>jumps</b> over the <b>lazy</b>…"),
            ("quick -fox", 0, "…<b>quick</b>…"),
            ("fox", 100, "The quick brown <b>fox</b> jumps over the lazy dog."),
            ("NEAR(fox over, 3)", 0, "…<b>fox</b>…"),
        ])
    func snippets(query: String, around: Int, expected: String) throws {
        let text = "The quick brown fox jumps over the lazy dog."
        #expect(try FullTextQuery(query).snippet(of: text, around: around) == expected)
    }

    @Test("snippets keep the text's own characters, for every tokenizer")
    func snippetCharacters() throws {
        let query: FullTextQuery = "strasse"
        #expect(query.snippet(of: "Die STRAẞE.") == "Die <b>STRAẞE</b>.")
        #expect(
            ("cafe" as FullTextQuery).snippet(of: "Un Cafe\u{301}!") == "Un <b>Cafe\u{301}</b>!")
        #expect(
            ("ataba" as FullTextQuery).snippet(of: "my database", tokenizer: .trigrams)
                == "my d<b>ataba</b>se")
        #expect(
            ("東京" as FullTextQuery).snippet(
                of: "新東京駅", around: 1, tokenizer: .codePoints, marks: ("[", "]")) == "新[東京]駅")
        #expect(query.snippet(of: "") == "")
        #expect(query.snippet(of: "…") == "…")
        let directory = TemporaryDirectory()
        let realm = try directory.open([Note.self])
        try realm.write { realm.add(Note(1, "my database")) }
        let match = realm.objects(Note.self).ranked(by: \.parts, matching: "atab")[0]
        #expect(match.snippet(of: \.parts) == "my d<b>atab</b>ase")
    }

    @Test("objects of a list are ranked in the transaction that added them, by what they are")
    func inTransaction() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Page.self, LongPage.self, PageShelf.self])
        try realm.write {
            let shelf = PageShelf()
            realm.add(shelf)
            for number in 0..<500 {
                // More postings than the log keeps in memory are stored when the first are read.
                let words = (0..<40).map { "w\(number)x\($0)" }.joined(separator: " ")
                shelf.pages.append(Page("\(number)", "common " + words))
            }
            for position in [0, 250, 499] {
                let page = shelf.pages.ranked(by: \.text, matching: "common")[position].object
                #expect(page.text?.hasPrefix("common w\(page.title)x0 ") == true)
            }
        }
    }
}

class Page: Object {
    @Persisted var title: String
    @Persisted(indexed: .fullText) var text: String?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    convenience init(_ title: String, _ text: String?) {
        self.init()
        self.title = title
        self.text = text
    }
}

class LongPage: Page {}

class PageShelf: Object {
    @Persisted var pages: List<Page>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
