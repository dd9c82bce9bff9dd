import Foundation
import RealmSwift
import TestSupport
import Testing
import Travertine
import TravertineDocuments

@Suite("Links wait for their targets")
struct WaitingLinkTests {
    private let workspace: Workspace
    private let realm: Realm

    init() throws {
        workspace = Workspace()
        realm = try workspace.realm("a.realm", [Owner.self, Pet.self, Chip.self])
    }

    private func owner() throws -> Owner {
        try #require(realm.object(ofType: Owner.self, forPrimaryKey: "o"))
    }

    @Test("a link reads as nil until its target is stored, in a later transaction too")
    func single() throws {
        try realm.insertDocuments("Owner", #"{"_id": "o", "pet": 7}"#)
        #expect(try owner().pet == nil && realm.objects(Pet.self).isEmpty)
        #expect(try realm.documents("Owner")[0].contains(#""pet":7"#))
        try realm.insertDocuments("Pet", #"{"_id": 8}"#)
        #expect(try owner().pet == nil)
        try realm.insertDocuments("Pet", #"{"_id": 7, "name": "Rex"}"#)
        #expect(try owner().pet?.name == "Rex")
        #expect(realm.object(ofType: Pet.self, forPrimaryKey: 7)?.owners.count == 1)
        #expect(try realm.documents("Owner")[0].contains(#""pet":7"#))
    }

    @Test("an object can link to itself, and one to another that comes later in the transaction")
    func sameTransaction() throws {
        try realm.insertDocuments(
            "Pet", #"{"_id": 1, "friend": 1}"#, #"{"_id": 2, "friend": 3}"#, #"{"_id": 3}"#)
        let pets = realm.objects(Pet.self)
        #expect(pets[0].friend?._id == 1 && pets[1].friend?._id == 3)
    }

    @Test("links of a list come to their places in whatever order the targets are stored")
    func lists() throws {
        try realm.insertDocuments("Pet", #"{"_id": 3}"#)
        try realm.insertDocuments("Owner", #"{"_id": "o", "pets": [1, 3, 2, 1, 4]}"#)
        #expect(try owner().pets.map(\._id) == [3])
        #expect(try realm.documents("Owner")[0].contains(#""pets":[1,3,2,1,4]"#))
        try realm.insertDocuments("Pet", #"{"_id": 4}"#)
        #expect(try owner().pets.map(\._id) == [3, 4])
        #expect(try realm.documents("Owner")[0].contains(#""pets":[1,3,2,1,4]"#))
        try realm.insertDocuments("Pet", #"{"_id": 1}"#)
        #expect(try owner().pets.map(\._id) == [1, 3, 1, 4])
        try realm.insertDocuments("Pet", #"{"_id": 2}"#)
        #expect(try owner().pets.map(\._id) == [1, 3, 2, 1, 4])
    }

    @Test("so do those of sets, maps, embedded objects and mixed values")
    func everywhere() throws {
        try realm.insertDocuments(
            "Owner",
            """
            {"_id": "o", "petSet": [2, 1], "petMap": {"a": 1, "b": null, "c": 2},
             "chip": {"pet": 1}, "any": {"$ref": "Pet", "$id": 2}}
            """)
        let text = try realm.documents("Owner")[0]
        #expect(text.contains(#""petSet":[2,1]"#) || text.contains(#""petSet":[1,2]"#))
        #expect(text.contains(#""petMap":{"a":1,"b":null,"c":2},"chip":{"pet":1}"#), "\(text)")
        #expect(text.contains(#""any":{"$ref":"Pet","$id":2}"#), "\(text)")
        let before = try owner()
        #expect(before.petSet.isEmpty && before.petMap["a"] == .some(nil))
        #expect(before.chip != nil && before.chip?.pet == nil)
        try realm.insertDocuments("Pet", #"{"_id": 1}"#, #"{"_id": 2}"#)
        let after = try owner()
        #expect(after.petSet.count == 2 && after.petMap["a"]??._id == 1)
        #expect(after.petMap["c"]??._id == 2 && after.petMap["b"] == .some(nil))
        #expect(after.chip?.pet?._id == 1 && after.any.object(Pet.self)?._id == 2)
        #expect(try realm.documents("Owner")[0].contains(#""any":{"$ref":"Pet","$id":2}"#))
    }

    @Test("targets that came by other ways are found when they are looked for")
    func lookingForAll() throws {
        try realm.insertDocuments("Owner", #"{"_id": "o", "pet": 7}"#)
        try realm.write { realm.add(Pet(value: ["_id": 7])) }
        #expect(try owner().pet == nil)
        let importer = try DocumentImporter(realm, type: "Owner")
        #expect(try realm.write { try importer.resolveLinks() } == 1)
        #expect(try owner().pet?._id == 7)
        #expect(try realm.write { try importer.resolveLinks() } == 0)
    }

    @Test("a link that was set otherwise, or whose object is gone or replaced, is left alone")
    func overtaken() throws {
        try realm.insertDocuments("Pet", #"{"_id": 1}"#)
        try realm.insertDocuments(
            "Owner", #"{"_id": "o", "pet": 7}"#, #"{"_id": "gone", "pet": 7}"#)
        try realm.write {
            try owner().pet = realm.object(ofType: Pet.self, forPrimaryKey: 1)
            realm.object(ofType: Owner.self, forPrimaryKey: "gone").map { realm.delete($0) }
        }
        try realm.insertDocuments("Pet", #"{"_id": 7}"#)
        #expect(try owner().pet?._id == 1)
        try realm.insertDocuments("Owner", #"{"_id": "o", "pet": 9}"#, #"{"_id": "o"}"#)
        try realm.insertDocuments("Pet", #"{"_id": 9}"#)
        #expect(try owner().pet == nil)
    }

    @Test("an object that gets the key of a deleted one inherits none of its links")
    func successors() throws {
        try realm.insertDocuments("Pet", #"{"_id": 1, "friend": 9}"#, #"{"_id": 2, "friend": 9}"#)
        try realm.insertDocuments("Owner", #"{"_id": "o", "chip": {"pet": 9}}"#)
        try realm.write {
            realm.delete(realm.objects(Pet.self))
            realm.delete(try owner())
        }
        #expect(try !LinkResolver(realm).hasAny(), "no link outlives its object")
        try realm.insertDocuments("Pet", #"{"_id": 1}"#)
        try realm.write { realm.add(Pet(value: ["_id": 2])) }
        try realm.insertDocuments("Pet", #"{"_id": 9}"#)
        #expect(realm.objects(Pet.self).allSatisfy { $0.friend == nil })
        try realm.insertDocuments("Pet", #"{"_id": 1, "friend": 10}"#)
        try realm.insertDocuments("Owner", #"{"_id": "o", "chip": {"pet": 10}}"#, #"{"_id": "o"}"#)
        try realm.write { realm.deleteAll() }
        #expect(try !LinkResolver(realm).hasAny(), "nor one that was replaced")
    }

    @Test("links of a list that are looked for come to their places, also beside some that wait on")
    func lookingForLists() throws {
        try realm.insertDocuments("Pet", #"{"_id": 3}"#)
        try realm.insertDocuments("Owner", #"{"_id": "o", "pets": [5, 1, 3, 6, 2, 1]}"#)
        try realm.write { for id in [2, 1] { realm.add(Pet(value: ["_id": id])) } }
        let importer = try DocumentImporter(realm, type: "Owner")
        #expect(try realm.write { try importer.resolveLinks() } == 3)
        #expect(try owner().pets.map(\._id) == [1, 3, 2, 1])
        try realm.insertDocuments("Pet", #"{"_id": 6}"#, #"{"_id": 5}"#)
        #expect(try owner().pets.map(\._id) == [5, 1, 3, 6, 2, 1])
    }

    @Test("a large list takes in its targets from the back, each at its place")
    func largeLists() throws {
        let count = 20_000
        let ids = (1...count).map(String.init).joined(separator: ",")
        try realm.insertDocuments("Owner", "{\"_id\": \"o\", \"pets\": [\(ids)]}")
        let importer = try DocumentImporter(realm, type: "Pet")
        for start in stride(from: count, to: 0, by: -5_000) {
            try realm.write {
                for id in stride(from: start, to: start - 5_000, by: -1) where id % 7 != 3 {
                    try importer.insert(["_id": .int64(Int64(id))])
                }
            }
        }
        #expect(try owner().pets.map(\._id) == (1...count).filter { $0 % 7 != 3 })
        try realm.write {
            for id in stride(from: 3, through: count, by: 7) {
                try importer.insert(["_id": .int64(Int64(id))])
            }
        }
        #expect(try owner().pets.map(\._id) == Array(1...count))
    }

    @Test("places in large lists stay right when changes are undone, and when another realm writes")
    func largeListsUndone() throws {
        struct Stop: Error {}
        let ids = (1...400).map(String.init).joined(separator: ",")
        try realm.insertDocuments("Owner", "{\"_id\": \"o\", \"pets\": [\(ids)]}")
        let importer = try DocumentImporter(realm, type: "Pet")
        let other = try Realm(configuration: realm.configuration)
        func store(_ ids: some Sequence<Int>, _ importer: DocumentImporter) throws {
            for id in ids { try importer.insert(["_id": .int64(Int64(id))]) }
        }
        try realm.write {
            try store([400, 200], importer)
            try? realm.savepoint {
                try store(100..<200, importer)
                throw Stop()
            }
            try store([300], importer)
        }
        try? realm.write {
            try store(1..<150, importer)
            throw Stop()
        }
        let others = try DocumentImporter(other, type: "Pet")
        try other.write { try store(210..<290, others) }
        try realm.write { try store([305, 150, 1], importer) }
        let expected = [1, 150, 200] + (210..<290) + [300, 305, 400]
        #expect(try owner().pets.map(\._id) == expected)
    }

    @Test("links whose targets never came are reported by property, with keys")
    func linksWithoutTarget() throws {
        try realm.insertDocuments(
            "Owner", #"{"_id": "o", "pet": 7, "pets": [7, 8, 9]}"#, #"{"_id": "p", "pet": 7}"#)
        let importer = try DocumentImporter(realm, type: "Pet")
        let links = try importer.linksWithoutTarget(keyCountMax: 2)
        #expect(
            links.map(\.description) == [
                "Owner.pet: 2 links to objects of Pet that are not there: 7, …",
                "Owner.pets: 3 links to objects of Pet that are not there: 7, 8, …",
            ])
        #expect(links[1].keys == [7, 8].map { .int64($0) } && links[1].count == 3)
        try realm.insertDocuments("Pet", #"{"_id": 7}"#, #"{"_id": 8}"#, #"{"_id": 9}"#)
        #expect(try importer.linksWithoutTarget() == [])
    }

    @Test("a transaction that is rolled back leaves no link waiting")
    func rollback() throws {
        struct Stop: Error {}
        let importer = try DocumentImporter(realm, type: "Owner")
        #expect(throws: Stop.self) {
            try realm.write {
                try importer.insert(Document(extendedJSON: #"{"_id": "o", "pet": 7}"#))
                throw Stop()
            }
        }
        try realm.write { try importer.insert(Document(extendedJSON: #"{"_id": "o"}"#)) }
        try realm.insertDocuments("Pet", #"{"_id": 7}"#)
        #expect(try owner().pet == nil)
    }
}

final class Owner: HiddenObject {
    @Persisted(primaryKey: true) var _id: String
    @Persisted var pet: Pet?
    @Persisted var pets: List<Pet>
    @Persisted var petSet: MutableSet<Pet>
    @Persisted var petMap: Map<String, Pet?>
    @Persisted var chip: Chip?
    @Persisted var any: AnyRealmValue
}

final class Chip: HiddenEmbeddedObject {
    @Persisted var pet: Pet?
}

final class Pet: HiddenObject {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var name: String?
    @Persisted var friend: Pet?
    @Persisted(originProperty: "pet") var owners: LinkingObjects<Owner>
}
