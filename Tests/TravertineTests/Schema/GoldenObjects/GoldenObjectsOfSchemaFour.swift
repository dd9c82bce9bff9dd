import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

/// What the golden object stores of schema format 4 hold: full-text indexes with each tokenizer,
/// with keys from a primary key below and above 0 and with counted keys.
enum GoldenObjectsOfSchemaFour: GoldenObjects {
    static let types: [ObjectBase.Type] = [GoldenPage.self, GoldenLine.self]

    static func fill(_ directory: TemporaryDirectory) throws -> Realm {
        let realm = try directory.open(types)
        try realm.write {
            for number in -3..<20 {
                let page = GoldenPage()
                page.id = number * 5
                page.words = "Page \(number), the words of Ærø" + (number == 7 ? " page page" : "")
                page.part = "part-number \(number)/東京"
                page.signs = number % 2 == 0 ? "東京タワー\(number)" : nil
                realm.add(page)
            }
            for number in 0..<40 {
                realm.create(GoldenLine.self, value: ["text": "line \(number % 4)"])
            }
            let long = String(repeating: "long ", count: 20)
            realm.create(GoldenLine.self, value: ["text": long])
        }
        return realm
    }

    static func change(_ realm: Realm) throws {
        try realm.write {
            realm.object(ofType: GoldenPage.self, forPrimaryKey: 35)?.words = "left"
            realm.delete(realm.objects(GoldenLine.self).where { $0.text == "line 3" })
        }
    }

    static func check(_ realm: Realm, isChanged: Bool) throws {
        let pages = realm.objects(GoldenPage.self)
        let lines = realm.objects(GoldenLine.self)
        QueryPlanning.$prefersIndexes.withValue(true) {
            let left = isChanged ? [35] : []
            #expect(pages.where { $0.words.fullText("page aero*") }.isEmpty)
            let seventh = pages.where { $0.words.fullText("\"the words\" ÆRØ 7") }
            #expect(seventh.map(\.id) == (isChanged ? [] : [35]))
            #expect(pages.where { $0.words.fullText("left") }.map(\.id) == left)
            #expect(pages.where { $0.words.fullText("page -1*") }.count == (isChanged ? 10 : 11))
            #expect(pages.where { $0.part.contains("ber 17/") }.map(\.id) == [85])
            #expect(pages.where { $0.part.fullText("/東京") }.count == 23)
            #expect(pages.where { $0.signs.fullText("京タワ") }.count == 11)
            #expect(lines.where { $0.text.fullText("line 3") }.count == (isChanged ? 0 : 10))
            #expect(lines.where { $0.text.fullText("line") }.count == (isChanged ? 30 : 40))
        }
        let ranked = pages.ranked(by: \.words, matching: "page OR left").map(\.object.id)
        #expect(ranked.count == 23 && ranked[0] == 35)
        let indexed = lines.ranked(by: \.text, matching: "long OR line").map(\.score)
        let scanned = QueryPlanning.$isScanOnly.withValue(true) {
            lines.ranked(by: \.text, matching: "long OR line").map(\.score)
        }
        #expect(indexed == scanned && indexed.count == (isChanged ? 31 : 41))
    }
}

class GoldenPage: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: .fullText) var words: String
    @Persisted(indexed: .fullText(.trigrams)) var part: String
    @Persisted(indexed: .fullText(.codePoints)) var signs: String?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class GoldenLine: Object {
    @Persisted(indexed: .fullText) var text: String
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
