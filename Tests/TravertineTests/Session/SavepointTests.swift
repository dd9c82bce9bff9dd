import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

@Suite("Savepoints, delete rules, copies, renaming")
struct SavepointTests {
    @Test("a savepoint that throws undoes its own part and leaves the rest")
    func savepoint() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Bookcase.self, Book.self, Folder.self, Sheet.self])
        let shelf = Bookcase(value: ["id": 1, "labels": ["a"]])
        let inner = Bookcase(value: ["id": 2])
        try realm.write {
            realm.add(shelf)
            for number in 0..<600 { shelf.labels.insert("before \(number)") }
            #expect(throws: Stop.self) {
                try realm.savepoint {
                    realm.add(inner)
                    for number in 0..<600 { shelf.labels.insert("within \(number)") }
                    shelf.counts["x"] = 1
                    throw Stop()
                }
            }
            #expect(inner.isInvalidated && shelf.labels.count == 601 && shelf.counts.isEmpty)
            let error = #expect(throws: Realm.Error.self) {
                try realm.insert(Bookcase(value: ["id": 1]))
            }
            #expect(error?.code == .duplicatePrimaryKey)
            try realm.savepoint { shelf.counts["y"] = 2 }
            try shelf.set(3, for: \.width)
        }
        #expect(shelf.counts.keys == ["y"] && shelf.width == 3 && shelf.labels.count == 601)
        #expect(realm.objects(Bookcase.self).count == 1)
    }

    @Test("a savepoint undoes changes through handles that the transaction changed before")
    func stagedHandles() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([StagedItem.self])
        let item = StagedItem()
        try realm.write {
            realm.add(item)
            item.age = 1
            item.rank = 1
            #expect(throws: Stop.self) {
                try realm.savepoint {
                    item.age = 2
                    item.rank = 2
                    do {
                        try realm.savepoint {
                            item.age = 3
                            throw Stop()
                        }
                    } catch is Stop {}
                    if item.age != 2 { Issue.record("the inner savepoint left \(item.age)") }
                    throw Stop()
                }
            }
            #expect(item.age == 1 && item.rank == 1)
            try realm.savepoint { item.age = 4 }
            item.rank = 5
        }
        #expect(item.age == 4 && item.rank == 5)
        #expect(realm.objects(StagedItem.self).where { $0.rank == 5 }.count == 1)
        #expect(realm.objects(StagedItem.self).where { $0.rank == 2 }.isEmpty)
    }

    @Test("a chain of cascades is deleted whatever its length")
    func longCascade() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([ChainLink.self])
        let count = 30_000
        try realm.write {
            var next: ChainLink?
            for _ in 0..<count {
                let link = ChainLink()
                link.next = next
                realm.add(link)
                next = link
            }
        }
        #expect(realm.objects(ChainLink.self).count == count)
        try realm.write { realm.delete(try #require(realm.objects(ChainLink.self).last)) }
        #expect(realm.objects(ChainLink.self).isEmpty)
    }

    @Test("a name that a stored property has is no target of a renaming, nor one used twice")
    func renamingOntoStored() throws {
        let directory = TemporaryDirectory()
        do {
            let realm = try directory.open([PetTitled.self])
            try realm.write { realm.add(PetTitled(value: ["name": "Rex", "title": "Dr"])) }
        }
        func open(_ type: ObjectBase.Type, _ renamings: [(String, String)]) throws -> Realm {
            try Realm(
                configuration: Realm.Configuration(
                    fileURL: directory.url, schemaVersion: 1,
                    migrationBlock: { migration, _ in
                        for (from, to) in renamings {
                            migration.renameProperty(onType: "Pet", from: from, to: to)
                        }
                    }, objectTypes: [type], durability: .unsynced))
        }
        for (type, renamings) in [
            (PetRenamed.self, [("name", "title")]),
            (PetSigned.self, [("name", "sign"), ("title", "sign")]),
        ] as [(ObjectBase.Type, [(String, String)])] {
            let error = #expect(throws: Realm.Error.self) { _ = try open(type, renamings) }
            #expect(error?.message.contains("a stored property has that name already") == true)
        }
        let realm = try open(PetSigned.self, [("title", "sign")])
        #expect(realm.objects(PetSigned.self).map(\.sign) == ["Dr"])
    }

    @Test("delete rules delete or keep what an object links to")
    func deleteRules() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Folder.self, Sheet.self])
        let folder = Folder(value: ["id": 1])
        folder.sheets.append(objectsIn: (0..<3).map { Sheet(value: ["number": $0]) })
        folder.cover = Sheet(value: ["number": 9])
        try realm.write { realm.add(folder) }
        #expect(folder.cover?.folder.map(\.id) == [1])
        let error = #expect(throws: Realm.Error.self) { try realm.write { realm.delete(folder) } }
        #expect(error?.message.contains("'cover'") == true)
        #expect(!folder.isInvalidated && realm.objects(Sheet.self).count == 4)
        try realm.write {
            folder.cover = nil
            realm.delete(folder)
        }
        #expect(realm.objects(Sheet.self).map(\.number) == [9])
    }

    @Test("deleting everything is denied by no link to what goes as well")
    func deletingAll() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Folder.self, Sheet.self, Binder.self, Clip.self])
        try realm.write {
            realm.create(Folder.self, value: ["id": 1, "cover": ["number": 1]])
            realm.create(Binder.self, value: ["folder": ["id": 2], "clip": ["number": 3]])
            realm.deleteAll()
        }
        #expect(realm.isEmpty)
        let clips = realm.session.table(of: Clip.self)
        #expect(realm.session.count(of: clips) == 0)
    }

    @Test("a detached copy has the whole graph, or as much as was asked for")
    func detached() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Node.self, Tag.self, Anything.self])
        let node = Node(value: ["id": 1, "name": "n", "tag": ["text": "t"]])
        let other = Node(value: ["id": 2])
        other.next = node
        node.children.append(objectsIn: [other, node])
        let anything = Anything(value: ["id": 1, "nested": ["a": [1, 2]]])
        try realm.write { realm.add([node, anything]) }
        let copy = node.detached()
        #expect(copy.realm == nil && copy.name == "n" && copy.tag?.text == "t")
        #expect(copy.children.count == 2 && copy.children[1] === copy)
        #expect(copy.children[0].next === copy && copy.children[0].realm == nil)
        let flat = node.detached(depth: 0)
        #expect(flat.tag == nil && flat.children.map { $0 === flat } == [true])
        let nested = anything.detached().nested.dictionaryValue?["a"]?.listValue
        #expect(nested?.realm == nil && nested.map { Array($0) } == [1, 2])
    }

    @Test("a renamed property keeps its values; what can't be renamed is reported")
    func renaming() throws {
        let directory = TemporaryDirectory()
        do {
            let realm = try directory.open([PetV1.self])
            try realm.write { realm.add(PetV1(value: ["name": "Rex", "age": 3])) }
        }
        func open(_ from: String, _ to: String) throws -> Realm {
            try Realm(
                configuration: Realm.Configuration(
                    fileURL: directory.url, schemaVersion: 1,
                    migrationBlock: { migration, version in
                        #expect(version == 0 && migration.oldSchema["Pet"]?["name"] != nil)
                        migration.renameProperty(onType: "PetRenamed", from: from, to: to)
                    }, objectTypes: [PetRenamed.self], durability: .unsynced))
        }
        let error = #expect(throws: Realm.Error.self) { _ = try open("age", "title") }
        #expect(error?.message.contains("still exists") == true)
        let missing = #expect(throws: Realm.Error.self) { _ = try open("none", "title") }
        #expect(missing?.message.contains("does not exist") == true)
        let realm = try open("name", "title")
        #expect(realm.objects(PetRenamed.self).first?.title == "Rex")
        #expect(realm.objects(PetRenamed.self).first?.age == 3)
    }

    @Test("every broken rule of a schema is named at once")
    func validation() throws {
        let directory = TemporaryDirectory()
        let error = #expect(throws: Realm.Error.self) {
            try directory.open([BrokenModel.self, BrokenPart.self, Tag.self])
        }
        let message = error?.message ?? ""
        for part in [
            "'BrokenModel.flag' cannot be the primary key: it is 'bool'",
            "'BrokenModel.tags' of type 'list of object' cannot be indexed",
            "'BrokenModel.parts' is a set of embedded objects 'BrokenPart'",
            "'BrokenModel.tags': objects in lists and sets cannot be optional",
            "'BrokenModel.byName': objects in maps must be optional",
            "'Tag.nothing' declared as origin of linking objects property 'BrokenModel.origin'",
            "'BrokenPart' holds itself by 'BrokenPart.inner'",
        ] {
            #expect(message.contains(part), "\(part) in \(message)")
        }
    }

    @Test("a naming policy makes stored names, a mapping wins, and both names are known")
    func naming() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Snaky.self])
        try realm.write {
            realm.add(Snaky(value: ["firstName": "A", "home_url": "u", "id3": 4]))
        }
        let schema = Snaky().objectSchema
        #expect(schema["firstName"]?.columnName == "first_name")
        #expect(schema["lastName"]?.columnName == "surname" && schema["id3"]?.columnName == "id3")
        let object = try #require(realm.objects(Snaky.self).where { $0.homeURL == "u" }.first)
        #expect(object["first_name"] as? String == "A" && object["firstName"] as? String == "A")
        #expect(realm.objects(Snaky.self).sorted(byKeyPath: "home_url").count == 1)
        #expect(NamingPolicy.snakeCase.storedName("URLText2Go") == "url_text2_go")
    }

    @Test("schemas are described as RealmSwift prints them")
    func description() {
        #expect(
            Tag().objectSchema.description == """
                Tag {
                \ttext {
                \t\ttype = string;
                \t\tcolumnName = text;
                \t\tindexed = NO;
                \t\tisPrimary = NO;
                \t\tarray = NO;
                \t\tset = NO;
                \t\tdictionary = NO;
                \t\toptional = NO;
                \t}
                }
                """)
    }
}

class Folder: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(deleteRule: .cascade) var sheets: List<Sheet>
    @Persisted(deleteRule: .deny) var cover: Sheet?
}

class Sheet: Object {
    @Persisted var number: Int
    @Persisted(originProperty: "cover") var folder: LinkingObjects<Folder>
}

class Binder: Object {
    @Persisted(deleteRule: .deny) var folder: Folder?
    @Persisted(deleteRule: .deny) var clip: Clip?
}

class Clip: EmbeddedObject {
    @Persisted var number: Int
}

class PetTitled: Object {
    @Persisted var name: String
    @Persisted var title: String

    override class func objectTypeName() -> String { "Pet" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class PetSigned: Object {
    @Persisted var sign: String

    override class func objectTypeName() -> String { "Pet" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class StagedItem: Object {
    @Persisted var age: Int
    @Persisted(indexed: true) var rank: Int

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class ChainLink: Object {
    @Persisted(deleteRule: .cascade) var next: ChainLink?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class PetRenamed: Object {
    @Persisted var title: String
    @Persisted var age: Int

    override class func objectTypeName() -> String { "Pet" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class BrokenModel: Object {
    @Persisted var flag: Bool
    @Persisted var parts: MutableSet<BrokenPart>
    @Persisted var tags: List<Tag?>
    @Persisted var byName: Map<String, Tag>
    @Persisted(originProperty: "nothing") var origin: LinkingObjects<Tag>

    override class func primaryKey() -> String? { "flag" }
    override class func indexedProperties() -> [String] { ["tags"] }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class BrokenPart: EmbeddedObject {
    @Persisted var inner: BrokenPart?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Snaky: Object {
    @Persisted var firstName: String
    @Persisted var lastName: String
    @Persisted var homeURL: String
    @Persisted var id3: Int

    override class func namingPolicy() -> NamingPolicy { .snakeCase }
    override class func propertiesMapping() -> [String: String] { ["lastName": "surname"] }
}
