import Foundation
import RealmSwift
import StoreMaintenance
import TestSupport
import Testing
import TravertineStore

@testable import Travertine

@Suite("Postings after random changes")
struct PostingHistoryTests {
    private static let words = ["old", "town", "capital", "river", "north", "gate", "mill"]

    private static func text(_ random: inout SeededRandom) -> String? {
        if random.chance(4) { return nil }
        let count = random.chance(2) ? 60 + random.below(400) : random.below(12)
        return (0..<count).map { _ in
            random.chance(85) ? random.pick(words) : "w\(random.below(300))"
        }.joined(separator: " ")
    }

    /// Object keys of an integer are its value with the sign bit flipped.
    private static func key(_ id: Int) -> UInt64 { UInt64(bitPattern: Int64(id)) ^ 1 << 63 }

    private static func expected(_ model: [Int: String?]) -> [[UInt8]: UInt64] {
        var texts: [UInt64: String] = [:]
        for (id, text) in model { texts[key(id)] = text }
        return PlainPostings.entries(texts)
    }

    @Test(
        "O31: the entries are those that the texts ask for, whatever came before",
        arguments: SampledNumbers.some(2, of: UInt64(1)...12))
    func histories(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let directory = TemporaryDirectory()
        var model: [Int: String?] = [:]
        for round in 0..<3 {
            let realm = try directory.open([Posted.self])
            for step in 0..<12 {
                try? realm.write {
                    let before = model
                    // More is added in the first round, and more removed in the last one.
                    for _ in 0..<random.pick([1, 5, 150]) {
                        change(realm, &model, &random, deleting: [10, 40, 75][round])
                    }
                    let part = model
                    try? realm.savepoint {
                        for _ in 0..<random.below(20) {
                            change(realm, &model, &random, deleting: 50)
                        }
                        if random.chance(50) {
                            model = part
                            throw Stop()
                        }
                    }
                    if random.chance(15) {
                        model = before
                        throw Stop()
                    }
                }
                let found = try realm.postingEntries(of: "text", Posted.self)
                #expect(found == Self.expected(model), "seed \(seed), round \(round), \(step)")
            }
            #expect(try realm.brokenInvariants() == [], "seed \(seed), round \(round)")
            try compare(realm, model, &random, seed)
        }
        let report = try ObjectVerifier.verify(path: directory.url.path)
        #expect(report.findings.isEmpty, "seed \(seed): \(report.findings)")
    }

    private func change(
        _ realm: Realm, _ model: inout [Int: String?], _ random: inout SeededRandom,
        deleting percent: Int
    ) {
        let id = random.pick([
            random.below(400), random.below(400), -1 - random.below(100), 1 << 40 + random.below(9),
            random.pick([Int.max, .min, .max - 1]), 100_000 * random.below(50),
        ])
        let posted = realm.object(ofType: Posted.self, forPrimaryKey: id)
        if let posted, random.chance(percent) {
            realm.delete(posted)
            model[id] = nil
            return
        }
        let text = Self.text(&random)
        if let posted { posted.text = text } else { realm.add(Posted(id, text)) }
        model.updateValue(text, forKey: id)
    }

    private func compare(
        _ realm: Realm, _ model: [Int: String?], _ random: inout SeededRandom, _ seed: UInt64
    ) throws {
        let plain = PlainFullText(tokenizer: .words)
        let ids = model.keys.sorted()
        for _ in 0..<25 {
            let words = (0..<4).map { _ in random.pick(Self.words) }
            let text = random.pick([
                "\"\(words[0]) \(words[1])\"", "\"\(words[0]) \(words[1]) \(words[2])\"",
                "NEAR(\(words[0]) \(words[1]), \(random.below(4)))", "\"\(words[0]) w1\"*",
                "\(words[0]) -\"\(words[1]) \(words[2])\"", "w7 \"\(words[0]) \(words[1])\"",
                "NEAR(\"\(words[0]) \(words[1])\" \(words[2]), 2) OR w\(random.below(300))",
            ])
            let query = try FullTextQuery(text)
            let expected = ids.filter { plain.matches(query, model[$0] ?? nil) }
            QueryPlanning.$prefersIndexes.withValue(true) {
                let found = realm.objects(Posted.self).where { $0.text.fullText(query) }
                #expect(found.map(\.id) == expected, "seed \(seed): \(text)")
                let plan = found.explain()
                let isPlanned = plan.contains("words text") || plan == "nothing"
                #expect(isPlanned, "seed \(seed): \(text), \(plan)")
            }
        }
    }

    @Test("postings of one transaction that take more than is collected are stored in parts")
    func largeTransaction() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Posted.self])
        var texts: [UInt64: String] = [:]
        var random = SeededRandom(seed: 5)
        let byteCountMax = 1 << 15
        try PostingsBatch.$byteCountMax.withValue(byteCountMax) {
            try realm.write {
                var (storedCount, collectedCount) = (0, 0)
                for id in 0..<300 {
                    let words = (0..<30).map { _ in "v\(random.below(400))" }
                    let text = words.joined(separator: " ")
                    realm.add(Posted(id, text))
                    texts[Self.key(id)] = text
                    let count = try realm.postingEntries(of: "text", Posted.self).count
                    if count > storedCount { collectedCount += 1 }
                    storedCount = count
                }
                #expect(collectedCount > 3)
                // A change of what is stored and one of what still waits.
                for (id, text) in [(0, "v1 v2 new"), (299, "v3 new"), (0, "v2 v1")] {
                    realm.object(ofType: Posted.self, forPrimaryKey: id)?.text = text
                    texts[Self.key(id)] = text
                }
            }
        }
        let entries = try realm.postingEntries(of: "text", Posted.self)
        #expect(entries == PlainPostings.entries(texts))
        #expect(try realm.brokenInvariants() == [])
    }

    @Test("phrases are found among more candidates than are looked at together")
    func manyCandidates() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Posted.self])
        let count = FullTextSearch.placedBlockCountMax + 700
        try realm.write {
            for number in 0..<count {
                let text = number % 3 == 0 ? "gate old town" : "town, old gate"
                realm.add(Posted(16 * number, text))
            }
        }
        func found(_ query: String) -> [Int] {
            QueryPlanning.$prefersIndexes.withValue(true) {
                realm.objects(Posted.self).where { $0.text.fullText(query) }.map(\.id)
            }
        }
        let third = (0..<count).filter { $0 % 3 == 0 }.map { 16 * $0 }
        let others = (0..<count).filter { $0 % 3 != 0 }.map { 16 * $0 }
        #expect(found("\"old town\"") == third)
        #expect(found("\"old ga\"*") == others)
        #expect(found("NEAR(old gate, 0)").count == count)
        #expect(found("NEAR(gate town, 0)") == [])
    }

    @Test("postings of a long text are stored, and changed where its words move")
    func longText() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Posted.self])
        var words = (0..<60_000).map { "v\($0 % 500)" }
        func check(_ phrase: String, _ isThere: Bool) throws {
            let text = words.joined(separator: " ")
            let found = QueryPlanning.$prefersIndexes.withValue(true) {
                realm.objects(Posted.self).where { $0.text.fullText("\"\(phrase)\"") }.map(\.id)
            }
            #expect(found == (isThere ? [1] : []))
            let entries = try realm.postingEntries(of: "text", Posted.self)
            #expect(entries == PlainPostings.entries([Self.key(1): text]))
        }
        try realm.write { realm.add(Posted(1, words.joined(separator: " "))) }
        try check("v499 v0 v1", true)
        words[30_000] = "middle"
        try realm.write { realm.objects(Posted.self).first?.text = words.joined(separator: " ") }
        try check("v499 middle v1", true)
        words.insert("start", at: 0)
        try realm.write { realm.objects(Posted.self).first?.text = words.joined(separator: " ") }
        try check("start v0 v1", true)
        try realm.write { realm.objects(Posted.self).first?.text = "short" }
        words = ["short"]
        try check("v499 v0 v1", false)
        #expect(try realm.brokenInvariants() == [])
    }

    @Test("a query that asks for no words leaves postings collected, and one that does stores them")
    func storing() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Posted.self])
        try realm.write {
            for id in 0..<300 { realm.add(Posted(id, "old town \(id)")) }
            let others = realm.objects(Posted.self).where { $0.id > 100 && $0.signs == "old to" }
            #expect(others.count == 199)
            let postings = try #require(realm.session.unstored.postings)
            #expect(!postings.isEmpty)
            let found = realm.objects(Posted.self).where {
                $0.id > 100 && !($0.signs == nil || $0.text.fullText("\"town 150\""))
            }
            #expect(found.count == 198)
            QueryPlanning.$prefersIndexes.withValue(true) {
                let town = realm.objects(Posted.self).where { $0.text.fullText("\"town 150\"") }
                #expect(town.map(\.id) == [150])
            }
            #expect(postings.isEmpty)
        }
    }

    @Test("what is collected is found in the transaction, and dropped with what is undone")
    func undoing() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Posted.self])
        func count(_ query: String) -> Int {
            QueryPlanning.$prefersIndexes.withValue(true) {
                realm.objects(Posted.self).where { $0.text.fullText(query) }.count
            }
        }
        try realm.write { for id in 0..<200 { realm.add(Posted(id, "old town \(id)")) } }
        let before = try realm.postingEntries(of: "text", Posted.self)
        #expect(throws: Stop.self) {
            try realm.write {
                realm.add(Posted(1000, "new old town"))
                throw Stop()
            }
        }
        #expect(try realm.postingEntries(of: "text", Posted.self) == before)
        try realm.write {
            realm.add(Posted(1000, "new old town"))
            #expect(throws: Stop.self) {
                try realm.savepoint {
                    realm.object(ofType: Posted.self, forPrimaryKey: 3)?.text = "new gate"
                    #expect(count("new") == 2)
                    realm.delete(realm.objects(Posted.self).where { $0.id > 100 })
                    #expect(count("\"old town\"") == 100)
                    throw Stop()
                }
            }
            #expect(count("new") == 1)
            #expect(count("\"old town\"") == 201)
            try realm.savepoint {
                realm.object(ofType: Posted.self, forPrimaryKey: 3)?.text = "new gate"
            }
        }
        #expect(count("new") == 2)
        #expect(try realm.brokenInvariants() == [])
        try realm.write {
            realm.add(Posted(2000, "last"))
            realm.deleteAll()
            realm.add(Posted(7, "first"))
        }
        #expect(count("last") == 0)
        #expect(count("first") == 1)
        #expect(try realm.brokenInvariants() == [])
    }
}
