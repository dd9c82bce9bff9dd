import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

/// What the golden object stores of schema format 5 hold: full-text indexes with positions, whose
/// entries are of all objects, of ranges of several sizes, and of the positions of one object.
enum GoldenObjectsOfSchemaFive: GoldenObjects {
    static let types: [ObjectBase.Type] = [GoldenChapter.self, GoldenVerse.self]

    static func fill(_ directory: TemporaryDirectory) throws -> Realm {
        let realm = try directory.open(types)
        try realm.write {
            for number in -150..<150 {
                let chapter = GoldenChapter()
                chapter.id = number * (number % 10 == 0 ? 1 << 40 : 1)
                chapter.words =
                    "The chapter \(number % 7), of the great river"
                    + (number == 9 ? String(repeating: " river and sea", count: 120) : "")
                chapter.signs = number % 2 == 0 ? "東京タワー\(number)" : nil
                realm.add(chapter)
            }
            for number in 0..<400 {
                realm.create(
                    GoldenVerse.self, value: ["text": "verse \(number % 9) and rhyme \(number % 4)"]
                )
            }
        }
        return realm
    }

    static func change(_ realm: Realm) throws {
        try realm.write {
            realm.object(ofType: GoldenChapter.self, forPrimaryKey: 9)?.words = "left of it"
            realm.delete(realm.objects(GoldenVerse.self).where { $0.text.fullText("\"rhyme 3\"") })
            realm.object(ofType: GoldenChapter.self, forPrimaryKey: 11)?.words = nil
        }
    }

    static func check(_ realm: Realm, isChanged: Bool) throws {
        let chapters = realm.objects(GoldenChapter.self)
        let verses = realm.objects(GoldenVerse.self)
        // No expectation has a closure here: Swift 6.3.1 may number it as one that is written
        // beside it, and the second of two closures with one number and type gets the code of the
        // first.
        func found(_ query: FullTextQuery) -> [Int] {
            QueryPlanning.$prefersIndexes.withValue(true) {
                chapters.where { $0.words.fullText(query) }.map(\.id)
            }
        }
        func signCount(_ query: FullTextQuery) -> Int {
            QueryPlanning.$prefersIndexes.withValue(true) {
                chapters.where { $0.signs.fullText(query) }.count
            }
        }
        func verseCount(_ query: FullTextQuery) -> Int {
            QueryPlanning.$prefersIndexes.withValue(true) {
                verses.where { $0.text.fullText(query) }.count
            }
        }
        #expect(found("\"the great river\"").count == (isChanged ? 298 : 300))
        #expect(found("\"sea river and sea\"") == (isChanged ? [] : [9]))
        #expect(found("left") == (isChanged ? [9] : []))
        #expect(found("NEAR(chapter great, 2)") == [])
        #expect(found("NEAR(chapter great, 3)").count == (isChanged ? 298 : 300))
        #expect(signCount("京タワ") == 150)
        #expect(verseCount("\"rhyme 3\"") == (isChanged ? 0 : 100))
        #expect(verseCount("verse -\"rhyme 1\"") == (isChanged ? 200 : 300))
        let ranked = chapters.ranked(by: \.words, matching: "sea OR left").map(\.object.id)
        #expect(ranked == [9])
    }
}

class GoldenChapter: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: .fullText) var words: String?
    @Persisted(indexed: .fullText(.codePoints)) var signs: String?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class GoldenVerse: Object {
    @Persisted(indexed: .fullText) var text: String
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
