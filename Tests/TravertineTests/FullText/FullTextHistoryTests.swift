import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

@Suite("Full-text indexes after random changes")
struct FullTextHistoryTests {
    @Test(
        "index, scan and a plain evaluator find the same, and the entries are those of the rows",
        arguments: SampledNumbers.some(1, of: UInt64(1)...12))
    func histories(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let directory = TemporaryDirectory()
        var model: [Int: String?] = [:]
        for round in 0..<3 {
            let realm = try directory.open([Note.self])
            for _ in 0..<4 {
                try? realm.write {
                    let before = model
                    for _ in 0..<30 { change(realm, &model, &random) }
                    if random.chance(20) {
                        model = before
                        throw Stop()
                    }
                }
            }
            #expect(try realm.brokenInvariants() == [], "seed \(seed), round \(round)")
            try compare(realm, model, &random, seed)
        }
    }

    private func change(
        _ realm: Realm, _ model: inout [Int: String?], _ random: inout SeededRandom
    ) {
        // Keys of one block, of several, below 0 and far away.
        let id = random.pick([random.below(40), -1 - random.below(20), 1 << 40 + random.below(4)])
        let note = realm.object(ofType: Note.self, forPrimaryKey: id)
        if let note, random.chance(30) {
            realm.delete(note)
            model[id] = nil
            return
        }
        let text = FullTextSource.text(&random)
        if let note {
            (note.text, note.parts, note.signs, note.plain) = (text, text, text, text)
        } else {
            realm.add(Note(id, text))
        }
        model.updateValue(text, forKey: id)
    }

    private func compare(
        _ realm: Realm, _ model: [Int: String?], _ random: inout SeededRandom, _ seed: UInt64
    ) throws {
        let ids = model.keys.sorted()
        for _ in 0..<60 {
            let query = FullTextQuery(FullTextSource.query(&random))
            for tokenizer in FullTextTokenizer.allCases {
                let plain = PlainFullText(tokenizer: tokenizer)
                let expected = ids.filter { plain.matches(query, model[$0] ?? nil) }
                for isScanOnly in [false, true] {
                    let found = find(realm, query, tokenizer, isScanOnly: isScanOnly)
                    #expect(
                        found == expected,
                        "seed \(seed): \(query), \(tokenizer), scan: \(isScanOnly)")
                }
            }
        }
    }

    private func find(
        _ realm: Realm, _ query: FullTextQuery, _ tokenizer: FullTextTokenizer, isScanOnly: Bool
    ) -> [Int] {
        QueryPlanning.$isScanOnly.withValue(isScanOnly) {
            QueryPlanning.$prefersIndexes.withValue(!isScanOnly) {
                let notes = realm.objects(Note.self)
                let found = notes.where {
                    switch tokenizer {
                    case .words: $0.text.fullText(query)
                    case .trigrams: $0.parts.fullText(query)
                    case .codePoints: $0.signs.fullText(query)
                    }
                }
                let ids = Array(found.map(\.id))
                #expect(found.count == ids.count)
                return ids
            }
        }
    }

    @Test("objects with other than integer keys share blocks of the index too")
    func countedKeys() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([NamedNote.self])
        try realm.write {
            for number in 0..<100 {
                realm.add(NamedNote(value: ["text": "common \(number % 2) w\(number)"]))
            }
        }
        let notes = realm.objects(NamedNote.self)
        QueryPlanning.$prefersIndexes.withValue(true) {
            #expect(notes.where { $0.text.fullText("common 1") }.count == 50)
            #expect(notes.where { $0.text.fullText("w99 OR w7") }.map(\.text).count == 2)
            #expect(notes.where { $0.text.fullText("common -w*") }.count == 0)
        }
        #expect(try realm.brokenInvariants() == [])
    }

    @Test("a word that is in a text more often than an entry can say is counted in the text")
    func manyOccurrences() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Note.self])
        try realm.write {
            for (id, count) in [14, 15, 16, 40, 70_000].enumerated() {
                realm.add(Note(id, String(repeating: "word ", count: count) + "other"))
            }
        }
        func scores() -> [Double] {
            realm.objects(Note.self).ranked(by: \.text, matching: "word").map(\.score)
        }
        let indexed = scores()
        #expect(QueryPlanning.$isScanOnly.withValue(true) { scores() } == indexed)
        #expect(Set(indexed).count == 5)
        try realm.write {
            realm.object(ofType: Note.self, forPrimaryKey: 4)?.text = "word"
            realm.object(ofType: Note.self, forPrimaryKey: 2)?.text = nil
        }
        #expect(try realm.brokenInvariants() == [])
        #expect(realm.objects(Note.self).where { $0.text.fullText("word") }.count == 4)
    }

    @Test("what a transaction wrote is found in it, and not after it was rolled back")
    func transactions() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Note.self])
        try realm.write { for id in 0..<50 { realm.add(Note(id, "old text \(id)")) } }
        let found = realm.objects(Note.self).where { $0.text.fullText("new") }
        #expect(throws: Stop.self) {
            try realm.write {
                realm.object(ofType: Note.self, forPrimaryKey: 7)?.text = "new text"
                #expect(found.map(\.id) == [7])
                #expect(realm.objects(Note.self).ranked(by: \.text, matching: "new").count == 1)
                throw Stop()
            }
        }
        #expect(found.isEmpty)
        #expect(try realm.brokenInvariants() == [])
    }

    @Test("another tokenizer rebuilds the index when the realm opens")
    func changedTokenizer() throws {
        let directory = TemporaryDirectory()
        for (kind, query, count) in [
            (Property.Index.fullText, "base", 0), (.fullText(.trigrams), "base", 1),
            (.fullText(.codePoints), "sedat", 0), (.fullText(.codePoints), "base", 1),
            (.none, "base", 0), (.fullText(.words), "database", 1),
        ] {
            var configuration = Realm.Configuration(
                fileURL: directory.url, objectTypes: [], durability: .unsynced)
            configuration.objectSchemas = [
                ObjectSchema("Page", properties: [Property("text", .string, index: kind)])
            ]
            let realm = try Realm(configuration: configuration)
            if realm.dynamicObjects("Page").isEmpty {
                try realm.write { realm.dynamicCreate("Page", value: ["text": "The database"]) }
            }
            let pages = realm.dynamicObjects("Page")
            QueryPlanning.$prefersIndexes.withValue(true) {
                let found = pages.filter("text TEXT %@", query)
                #expect(found.count == count, "\(kind)")
                #expect(found.explain().contains("scan") == (kind == .none), "\(kind)")
            }
            #expect(try realm.brokenInvariants() == [])
        }
    }
}

class NamedNote: Object {
    @Persisted(primaryKey: true) var name = UUID().uuidString
    @Persisted(indexed: .fullText) var text: String

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
