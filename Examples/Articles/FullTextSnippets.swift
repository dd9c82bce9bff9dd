import Testing
import Travertine

@Suite("Snippets: full text")
struct FullTextSnippets {
    class Article: Object {
        @Persisted var title: String
        @Persisted(indexed: .fullText) var text: String
        @Persisted(indexed: .fullText(.trigrams)) var partNumber: String?
    }

    private func filled(_ directory: SnippetDirectory) throws -> Realm {
        let realm = try directory.open([Article.self])
        let texts = [
            "Stones": "Travertine is a stone of Tivoli.",
            "Stores": "A data base stores data of many kinds.",
            "Words": "A database is no base of data.",
        ]
        try realm.write {
            for (title, text) in texts {
                realm.add(Article(value: ["title": title, "text": text]))
            }
        }

        let articles = realm.objects(Article.self)
        let both = articles.where { $0.text.fullText("base data") }
        let phrase = articles.where { $0.text.fullText("\"data base\"") }
        #expect(Set(both.map(\.title)) == ["Stores", "Words"])
        #expect(phrase.map(\.title) == ["Stores"])
        return realm
    }

    @Test("what users type is read, or its words are looked for")
    func typed() throws {
        let directory = SnippetDirectory()
        let articles = try filled(directory).objects(Article.self)
        let typed = "data OR (stone"
        do {
            let query = try FullTextQuery(typed)
            print(articles.where { $0.text.fullText(query) }.count)
        } catch {
            let query = FullTextQuery(words: typed)
            assert(articles.where { $0.text.fullText(query) }.isEmpty)
        }
        let counted = try articles.filter(validating: "text TEXT %@", "data -base").count
        #expect(counted == 0)
    }

    @Test("the best matches come first, with a part of the text")
    func ranking() throws {
        let directory = SnippetDirectory()
        let articles = try filled(directory).objects(Article.self)
        for match in articles.ranked(by: \.title, \.text, matching: "data OR stone", limit: 10) {
            print(match.score, match.object.title, match.snippet(of: \.text, around: 3))
        }
        let best = articles.ranked(by: \.text, matching: "base")
        let snippet = best[0].snippet(of: \.text, around: 2, marks: ("[", "]"))
        #expect(snippet == "…is no [base] of data.")
        let titlesFirst = articles.ranked(by: \.title, \.text, weights: [3, 1], matching: "stone")
        #expect(!titlesFirst.isEmpty)
    }

    @Test("parts of words are found by trigrams")
    func trigrams() throws {
        let directory = SnippetDirectory()
        let realm = try filled(directory)
        let articles = realm.objects(Article.self)
        try realm.write { articles.first?.partNumber = "TR-1993/b" }
        let part = articles.where { $0.partNumber.contains("-1993", options: .caseInsensitive) }
        let same = articles.where { $0.partNumber.fullText("1993/B") }
        #expect(part.count == 1 && same.count == 1)
    }
}
