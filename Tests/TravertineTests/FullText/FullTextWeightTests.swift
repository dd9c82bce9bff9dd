import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

@Suite("Weights, lengths and estimates of full text")
struct FullTextWeightTests {
    private func ranked(
        _ pages: Results<WeighedPage>, _ query: FullTextQuery, _ weights: [Double]?
    ) -> [String: Double] {
        let found = pages.ranked(by: \.title, \.text, weights: weights, matching: query)
        return Dictionary(uniqueKeysWithValues: found.map { ($0.object.title, $0.score) })
    }

    @Test("W9: each property's score is multiplied by its weight, and 0 searches without counting")
    func weights() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([WeighedPage.self])
        try realm.write {
            for (title, text) in [
                ("Swift", "a language"), ("Databases", "in swift and others, swift"),
                ("Birds", "sparrows"), ("A swift", "is a bird, and fast as swift things are"),
            ] {
                realm.create(WeighedPage.self, value: ["title": title, "text": text])
            }
        }
        let pages = realm.objects(WeighedPage.self)
        let title = ranked(pages, "swift", [1, 0])
        let text = ranked(pages, "swift", [0, 1])
        #expect(title.count == 3 && text.count == 3)
        #expect(title["Databases"] == 0 && text["Swift"] == 0)
        #expect(title.values.filter { $0 > 0 }.count == 2)
        let both = ranked(pages, "swift", [3, 0.5])
        for (name, score) in both {
            let wanted = 3 * (title[name] ?? -1) + 0.5 * (text[name] ?? -1)
            #expect(abs(score - wanted) < 1e-12, "\(name)")
        }
        #expect(ranked(pages, "swift", nil) == ranked(pages, "swift", [1, 1]))
        let first = { (weights: [Double]) in
            pages.ranked(by: \.title, \.text, weights: weights, matching: "swift", limit: 1)
                .map(\.object.title)
        }
        #expect(first([10, 1]) != first([0, 1]))
        #expect(first([0, 1]) == ["Databases"])
    }

    @Test(
        "weights that are too few, negative or no numbers stop with a message",
        arguments: [
            ([1.0], "1 weights for 2 properties"), ([1, -1], "0 or more"),
            ([.nan, 1], "0 or more"),
        ])
    func misuse(weights: [Double], message: String) async {
        let text = weights.map { "\($0)" }.joined(separator: " ")
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            [text = text as String] in
            let directory = TemporaryDirectory()
            let realm = try directory.open([WeighedPage.self])
            let weights = text.split(separator: " ").compactMap { Double($0) }
            _ = realm.objects(WeighedPage.self)
                .ranked(by: \.title, \.text, weights: weights, matching: "a")
        }
        #expect(result.errorText.contains(message))
    }

    /// The lengths of few texts are looked up one by one, those of many are read at once.
    @Test("scores are the same with an index and without, whether few texts match or many")
    func fewMatches() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([WeighedPage.self])
        try realm.write {
            for number in 0..<500 {
                let words = String(repeating: "word ", count: 1 + number % 9)
                let text = words + (number % 167 == 3 ? "rare" : "") + " n\(number)"
                realm.create(WeighedPage.self, value: ["title": "p\(number)", "text": text])
            }
        }
        let pages = realm.objects(WeighedPage.self)
        for (query, count) in [("rare", 3), ("n7 OR n499", 2), ("word", 500), ("rare n3", 1)] {
            let query = try FullTextQuery(query)
            let ranked = { pages.ranked(by: \.text, matching: query).map(\.score) }
            let indexed = ranked()
            #expect(indexed.count == count && indexed.allSatisfy { $0 > 0 })
            #expect(QueryPlanning.$isScanOnly.withValue(true) { ranked() } == indexed, "\(query)")
        }
        try realm.write {
            pages.where { $0.text.fullText("n3") }.first?.text = "rare"
            let found = pages.ranked(by: \.text, matching: "rare")
            #expect(found.count == 3 && found[0].object.text == "rare", "in the transaction")
        }
    }

    @Test("W-Q5: words that are found together are not taken to be together by chance alone")
    func estimate() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([WeighedPage.self])
        try realm.write {
            for number in 0..<1600 {
                let text = number % 40 == 0 ? "old capital" : "n\(number)"
                realm.create(WeighedPage.self, value: ["title": "", "text": text])
            }
        }
        let table = realm.session.table(of: WeighedPage.self)
        let slot = try #require(table.slot(named: "text"))
        let index = try #require(FullTextIndex(of: slot, in: table, .words))
        func estimate(_ query: FullTextQuery) throws -> Int {
            let search = try FullTextSearch(
                FullTextPattern(query, .words), index, slot: slot, rowCount: 1600,
                try realm.session.access)
            return try #require(search).count.count
        }
        let one = try estimate("old")
        let two = try estimate("old capital")
        // There are 40 of either, and of both; by chance it would be 1.
        #expect((20...80).contains(one) && two >= 4 && two <= one, "\(one), \(two)")
        #expect(try estimate("old capital n7") <= two)
        #expect(try estimate("old missing") == 0)
    }
}

class WeighedPage: Object {
    @Persisted(indexed: .fullText) var title: String
    @Persisted(indexed: .fullText) var text: String

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
