import Foundation
import RealmSwift
import TestSupport
import Testing
import TravertineStore

@testable import Travertine

@Suite("Renamed properties")
struct RenamedPropertyTests {
    private let directory = TemporaryDirectory()

    private static let names = [
        "id": "code", "text": "title", "words": "prose", "next": "follower", "many": "others",
        "part": "piece", "parts": "pieces", "set": "group", "map": "lookup", "mixed": "anything",
        "number": "amount", "must": "needed",
    ]

    private func configuration(
        _ types: [ObjectBase.Type], version: UInt64, isSubset: Bool = false,
        renaming: [(from: String, to: String)] = []
    ) -> Realm.Configuration {
        var configuration = Realm.Configuration(
            fileURL: directory.url, schemaVersion: version,
            migrationBlock: { migration, _ in
                for (from, to) in renaming {
                    migration.renameProperty(onType: "Chapter", from: from, to: to)
                }
            }, objectTypes: types, durability: .unsynced)
        configuration.schemaSubset = isSubset
        return configuration
    }

    private func fill() throws {
        let realm = try Realm(
            configuration: configuration([ChapterV1.self, Verse.self], version: 0))
        try realm.write {
            let first = realm.create(
                ChapterV1.self,
                value: [
                    "id": "a", "text": "first", "words": "rising sun", "part": ["x": 1],
                    "parts": [["x": 2], ["x": 3]], "set": [1, 2], "map": ["k": "v"],
                    "mixed": [1, ["n": [2]]], "number": 5,
                ])
            let second = realm.create(
                ChapterV1.self, value: ["id": "b", "text": "second", "words": "setting sun"])
            first.next = second
            second.must = first
            first.must = first
            first.many.append(objectsIn: [second, second, first])
            first.many.append(objectsIn: repeatElement(second, count: 3000))
        }
    }

    private func check(_ realm: Realm) throws {
        #expect(try realm.brokenInvariants() == [])
        let chapters = realm.objects(ChapterV2.self)
        let first = try #require(realm.object(ofType: ChapterV2.self, forPrimaryKey: "a"))
        #expect(chapters.where { $0.title == "second" }.map(\.code) == ["b"])
        #expect(chapters.where { $0.prose.fullText("sun") }.count == 2)
        #expect(first.follower?.code == "b" && first.others.count == 3003)
        #expect(first.piece?.x == 1 && first.pieces.map(\.x) == [2, 3])
        #expect(first.piece?.parent?.isSameObject(as: first) == true)
        #expect(first.group.contains(2) && first.lookup["k"] == "v" && first.amount == 5)
        let nested = first.anything.listValue?[1].dictionaryValue?["n"]?.listValue
        #expect(nested?.first == .int(2))
        #expect(first.follower?.before.map(\.code) == ["a"])
        #expect(first.holders.map(\.code) == ["a", "b"])
    }

    @Test("of every kind keep values, indexes, links, linking objects and what they own")
    func everyKind() throws {
        try fill()
        let renaming = Self.names.sorted { $0.key < $1.key }.map { (from: $0.key, to: $0.value) }
        do {
            let realm = try Realm(
                configuration: configuration(
                    [ChapterV2.self, Verse.self], version: 1, renaming: renaming))
            try check(realm)
            let error = #expect(throws: Realm.Error.self) {
                try realm.write {
                    let needed = realm.objects(ChapterV2.self)[0]
                    realm.create(
                        ChapterV2.self,
                        value: ["code": "c", "title": "second", "needed": needed])
                }
            }
            #expect(error?.code == .uniqueViolation)
        }
        let realm = try Realm(
            configuration: configuration([ChapterV2.self, Verse.self], version: 1))
        try check(realm)
        try realm.write { realm.delete(realm.objects(ChapterV2.self)) }
        #expect(try realm.session.access.count(in: "Verse", of: realm) == 0)
        try realm.store.close()
        #expect(try ObjectVerifier.verify(path: directory.url.path).findings.isEmpty)
    }

    @Test("may become optional, and need no other property of a class that leaves properties out")
    func optionalInSubset() throws {
        try fill()
        do {
            let realm = try Realm(
                configuration: configuration(
                    [ChapterPart.self], version: 1, isSubset: true,
                    renaming: [(from: "text", to: "heading")]))
            #expect(realm.objects(ChapterPart.self).map(\.heading) == ["first", "second"])
            try realm.write { realm.objects(ChapterPart.self)[0].heading = nil }
            #expect(try realm.brokenInvariants() == [])
        }
        let dynamic = try Realm(
            configuration: Realm.Configuration(
                fileURL: directory.url, schemaVersion: 1, objectTypes: []))
        let first = try #require(dynamic.dynamicObject(ofType: "Chapter", forPrimaryKey: "a"))
        #expect(first["heading"] == nil && first["number"] as? Int == 5)
        #expect((first["many"] as? List<DynamicObject>)?.count == 3003)
    }

    @Test("that are refused change nothing, and the error has all of them")
    func refused() throws {
        try fill()
        let error = #expect(throws: Realm.Error.self) {
            try Realm(
                configuration: configuration(
                    [ChapterV2.self, Verse.self], version: 1,
                    renaming: [
                        (from: "text", to: "title"), (from: "title", to: "prose"),
                        (from: "missing", to: "amount"), (from: "number", to: "nowhere"),
                        (from: "words", to: "amount"),
                    ]))
        }
        for text in [
            "Cannot rename property 'Chapter.missing' because it does not exist.",
            "Cannot rename property 'Chapter.number' to 'nowhere' because it does not exist.",
            "Cannot rename property 'Chapter.words' to 'amount' because it has another type.",
        ] {
            #expect(error?.message.contains(text) == true, "\(text): \(error?.message ?? "")")
        }
        let realm = try Realm(
            configuration: configuration([ChapterV1.self, Verse.self], version: 0))
        #expect(realm.objects(ChapterV1.self).map(\.text) == ["first", "second"])
    }
}

extension ReadAccess {
    /// The number of rows of a type.
    fileprivate func count(in type: String, of realm: Realm) throws -> Int {
        let rows = try #require(realm.session.shared.storedType(named: type)).rows
        var cursor = cursor(in: rows)
        var count = 0
        var isValid = try cursor.seekToFirst()
        while isValid {
            count += 1
            isValid = try cursor.next()
        }
        return count
    }
}

class Verse: EmbeddedObject {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted var x: Int
}

class ChapterModel: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    override class func objectTypeName() -> String { "Chapter" }
}

class ChapterV1: ChapterModel {
    @Persisted(primaryKey: true) var id: String
    @Persisted var text: String
    @Persisted(indexed: .fullText) var words: String
    @Persisted var next: ChapterV1?
    @Persisted var many: List<ChapterV1>
    @Persisted var part: Verse?
    @Persisted var parts: List<Verse>
    @Persisted var set: MutableSet<Int>
    @Persisted var map: Map<String, String>
    @Persisted var mixed: AnyRealmValue
    @Persisted(indexed: true) var number: Int
    @Persisted(required: true) var must: ChapterV1?

    override class func indexes() -> [ObjectIndex] { [ObjectIndex("text", isUnique: true)] }
}

class ChapterV2: ChapterModel {
    @Persisted(primaryKey: true) var code: String
    @Persisted var title: String
    @Persisted(indexed: .fullText) var prose: String
    @Persisted var follower: ChapterV2?
    @Persisted var others: List<ChapterV2>
    @Persisted var piece: Verse?
    @Persisted var pieces: List<Verse>
    @Persisted var group: MutableSet<Int>
    @Persisted var lookup: Map<String, String>
    @Persisted var anything: AnyRealmValue
    @Persisted(indexed: true) var amount: Int
    @Persisted(required: true) var needed: ChapterV2?
    @Persisted(originProperty: "follower") var before: LinkingObjects<ChapterV2>
    @Persisted(originProperty: "needed") var holders: LinkingObjects<ChapterV2>

    override class func indexes() -> [ObjectIndex] { [ObjectIndex("title", isUnique: true)] }
}

class ChapterPart: ChapterModel {
    @Persisted(primaryKey: true) var id: String
    @Persisted var heading: String?
}
