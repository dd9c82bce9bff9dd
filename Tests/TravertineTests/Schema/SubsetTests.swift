import RealmSwift
import TestSupport
import Testing

@testable import Travertine

@Suite("Classes that leave properties out")
struct SubsetTests {
    private func open(
        _ directory: TemporaryDirectory, _ types: [ObjectBase.Type], isSubset: Bool = true,
        version: UInt64 = 0
    ) throws -> Realm {
        var configuration = Realm.Configuration(
            fileURL: directory.url, schemaVersion: version, objectTypes: types,
            durability: .unsynced)
        configuration.schemaSubset = isSubset
        return try Realm(configuration: configuration)
    }

    @Test("indexes over properties that a subset leaves out stay, and have its objects")
    func indexes() throws {
        let directory = TemporaryDirectory()
        do {
            let realm = try open(directory, [Card.self], isSubset: false)
            try realm.write {
                realm.create(Card.self, value: ["title": "a", "shelf": "s1", "text": "one two"])
            }
        }
        do {
            let realm = try open(directory, [CardPart.self])
            #expect(realm.session.table(of: CardPart.self).stored.indexes.count == 3)
            let first = try #require(realm.objects(CardPart.self).first)
            try realm.write {
                realm.add(CardPart(value: ["title": "b"]))
                first.title = "c"
            }
            #expect(try realm.brokenInvariants() == [])
            #expect(throws: Realm.Error.self) {
                try realm.write { realm.objects(CardPart.self)[1]["shelf"] = "s1" }
            }
        }
        do {
            // One that declares every property decides about the indexes.
            let realm = try open(directory, [CardWithoutIndexes.self])
            #expect(realm.session.table(of: CardWithoutIndexes.self).stored.indexes.isEmpty)
        }
        let realm = try open(directory, [Card.self], isSubset: false)
        #expect(try realm.brokenInvariants() == [])
        #expect(realm.objects(Card.self).where { $0.shelf == "s1" }.map(\.title) == ["c"])
    }

    @Test("a subset can't leave the primary key out, whatever the version", arguments: [0, 1])
    func primaryKey(version: UInt64) throws {
        let directory = TemporaryDirectory()
        do {
            let realm = try open(directory, [KeyedCard.self], isSubset: false)
            try realm.write { realm.create(KeyedCard.self, value: ["id": 7, "title": "a"]) }
        }
        let error = #expect(throws: Realm.Error.self) {
            try open(directory, [KeylessCard.self], version: version)
        }
        #expect(error?.code == .schemaMismatch)
        #expect(error?.message.contains("leaves the primary key 'id' out") == true)
        let realm = try open(directory, [KeyedCard.self], isSubset: false)
        #expect(realm.object(ofType: KeyedCard.self, forPrimaryKey: 7)?.title == "a")
    }

    @Test("a required link that a subset leaves out can't become nil; new objects have none")
    func requiredLink() throws {
        let directory = TemporaryDirectory()
        do {
            let realm = try open(directory, [Rack.self, Box.self], isSubset: false)
            try realm.write { realm.create(Box.self, value: ["shelf": ["name": "s"]]) }
        }
        let realm = try open(directory, [Rack.self, BoxPart.self])
        let shelf = try #require(realm.objects(Rack.self).first)
        let error = #expect(throws: Realm.Error.self) { try realm.write { realm.delete(shelf) } }
        #expect(error?.message.contains("Required link 'Box.shelf' is nil") == true)
        try realm.write { realm.add(BoxPart(value: ["size": 3])) }
        #expect(realm.objects(BoxPart.self).map(\.size) == [0, 3])
        #expect(realm.objects(Rack.self).count == 1)
    }

    @Test("classes are compared again when what declared the rest of them is not there any more")
    func comparedAgain() throws {
        let directory = TemporaryDirectory()
        var configuration = Realm.Configuration(
            fileURL: directory.url, objectTypes: [Rack.self], durability: .unsynced)
        configuration.objectSchemas = [
            ObjectSchema(extending: Rack.self, adding: [Property("width", .int)])
        ]
        let extended = try Realm(configuration: configuration)
        #expect(throws: Realm.Error.self) { try open(directory, [Rack.self], isSubset: false) }
        #expect(try open(directory, [Rack.self]).objects(Rack.self).isEmpty)
        #expect(throws: Realm.Error.self) { try open(directory, [Rack.self], isSubset: false) }
        #expect(extended.isEmpty)
    }
}

private class Card: Object {
    @Persisted var title: String
    @Persisted var shelf: String?
    @Persisted(indexed: .fullText) var text: String?
    override class func objectTypeName() -> String { "Card" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    override class func indexes() -> [ObjectIndex] {
        [ObjectIndex("title", "shelf"), ObjectIndex("shelf", isUnique: true)]
    }
}

private class CardPart: Object {
    @Persisted var title: String
    override class func objectTypeName() -> String { "Card" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class CardWithoutIndexes: Object {
    @Persisted var title: String
    @Persisted var shelf: String?
    @Persisted var text: String?
    override class func objectTypeName() -> String { "Card" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class KeyedCard: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var title: String
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class KeylessCard: Object {
    @Persisted var title: String
    override class func objectTypeName() -> String { "KeyedCard" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class Rack: Object {
    @Persisted var name: String
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class Box: Object {
    @Persisted var size: Int
    @Persisted(required: true) var shelf: Rack?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class BoxPart: Object {
    @Persisted var size: Int
    override class func objectTypeName() -> String { "Box" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
