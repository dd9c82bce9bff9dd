import RealmSwift
import TestSupport
import Testing

@testable import Travertine

@Suite("Adding and updating")
struct AddingTests {
    @Test("a second object with the same primary key fails the transaction, and nothing stays")
    func duplicate() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Nation.self, Town.self])
        try realm.write { realm.add(Nation(value: ["code": "PT", "name": "Portugal"])) }
        let error = #expect(throws: Realm.Error.self) {
            try realm.write {
                realm.add(Nation(value: ["code": "ES", "name": "España"]))
                realm.add(Nation(value: ["code": "PT", "name": "Other"]))
                realm.add(Nation(value: ["code": "FR", "name": "France"]))
            }
        }
        #expect(error?.code == .duplicatePrimaryKey)
        #expect(error?.message.contains("'PT'") == true)
        #expect(realm.objects(Nation.self).map(\.name) == ["Portugal"])
    }

    @Test("long primary keys that begin alike are distinguished")
    func longKeys() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Nation.self])
        let start = String(repeating: "x", count: 128)
        let codes = [
            start, start + "a", start + "b", start + String(repeating: "y", count: 400), "\u{0}",
            "",
        ]
        try realm.write {
            for code in codes { realm.add(Nation(value: ["code": code, "name": "of \(code)"])) }
        }
        for code in codes {
            #expect(realm.object(ofType: Nation.self, forPrimaryKey: code)?.name == "of \(code)")
        }
        #expect(realm.object(ofType: Nation.self, forPrimaryKey: start + "c") == nil)
        #expect(throws: Realm.Error.self) {
            try realm.write { realm.add(Nation(value: ["code": start + "b"])) }
        }
        try realm.write {
            realm.delete(
                try #require(realm.object(ofType: Nation.self, forPrimaryKey: start + "a")))
        }
        #expect(realm.object(ofType: Nation.self, forPrimaryKey: start + "a") == nil)
        let left = realm.object(ofType: Nation.self, forPrimaryKey: start + "b")
        #expect(left?.name == "of \(start)b")
        #expect(realm.objects(Nation.self).count == codes.count - 1)
    }

    @Test("updating changes the existing object, its index and its lists")
    func update() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Nation.self, Town.self])
        let town = Town(value: ["id": 1, "name": "a", "population": 5, "otherNames": ["x", "y"]])
        try realm.write { realm.add(town) }
        try realm.write {
            let other = Town(value: ["id": 1, "name": "b", "otherNames": ["z"]])
            realm.add(other, update: .all)
            #expect(other == town)
        }
        #expect(town.name == "b" && town.population == 0 && Array(town.otherNames) == ["z"])
        #expect(realm.objects(Town.self).where { $0.name == "a" }.isEmpty)
        #expect(realm.objects(Town.self).where { $0.name == "b" }.count == 1)
        try realm.write {
            realm.create(Town.self, value: ["id": 1, "population": 9], update: .modified)
        }
        #expect(town.name == "b" && town.population == 9 && Array(town.otherNames) == ["z"])
        try realm.write {
            let made = realm.create(
                Town.self, value: ["id": 2, "nation": ["code": "PT", "name": "Portugal"]])
            #expect(made.nation?.name == "Portugal")
        }
        #expect(realm.objects(Town.self).count == 2)
    }

    @Test("keys of deleted objects are not given out again")
    func keysAreNotReused() throws {
        let directory = TemporaryDirectory()
        var kept: [String] = []
        for round in 0..<4 {
            let realm = try directory.open([Tag.self])
            try realm.write {
                let tag = Tag(value: ["text": "\(round)"])
                realm.add(tag)
                let doomed = Tag(value: ["text": "doomed"])
                realm.add(doomed)
                realm.delete(doomed)
            }
            kept.append("\(round)")
            #expect(realm.objects(Tag.self).map(\.text) == kept)
        }
    }

    @Test("equality is identity of the stored object for types with a primary key")
    func equality() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Nation.self, Tag.self])
        let nation = Nation(value: ["code": "PT"])
        let tag = Tag()
        try realm.write {
            realm.add(nation)
            realm.add(tag)
        }
        let again = try #require(realm.object(ofType: Nation.self, forPrimaryKey: "PT"))
        #expect(again == nation && again !== nation && Set([again, nation]).count == 1)
        let tagAgain = try #require(realm.objects(Tag.self).first)
        #expect(tagAgain != tag && tagAgain.isSameObject(as: tag))
    }

    @Test("values by name: public names, conversions, and the description")
    func dynamicAccess() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Nation.self, Town.self])
        let town = Town(value: [
            7, "Faro", 64_560, Nation(value: ["PT", "Portugal"]), ["Ossonoba"],
        ])
        #expect(town["name"] as? String == "Faro")
        try realm.write { realm.add(town) }
        #expect(town["population"] as? Int == 64_560)
        #expect((town["nation"] as? Nation)?.code == "PT")
        try realm.write { town["population"] = 1.0 }
        #expect(town.population == 1)
        #expect(
            town.description.hasPrefix("Town {\n\tid = 7;\n\tname = Faro;\n\tpopulation = 1;\n"))
        #expect(town.objectSchema.primaryKeyProperty?.name == "id")
        #expect(realm.schema["Town"]?["otherNames"]?.isArray == true)
    }

    @Test("deleting everything leaves nothing, and the realm can still be used")
    func deleteAll() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Nation.self, Town.self])
        for _ in 0..<2 {
            try realm.write {
                for id in 0..<50 {
                    realm.add(
                        Town(value: [
                            "id": id, "name": "n", "nation": Nation(value: ["code": "\(id)"]),
                        ]))
                }
            }
            #expect(realm.objects(Town.self).count == 50)
            try realm.write { realm.deleteAll() }
            #expect(realm.isEmpty)
            let keys = try realm.store.statistics.keyspaces.filter { $0.name.hasPrefix("type.") }
            #expect(keys.allSatisfy { $0.keyCount == 0 })
        }
    }

    @Test("keys of deleted objects don't come again, in whatever order they were deleted")
    func keysStayUsed() throws {
        let directory = TemporaryDirectory()
        let key: UInt64
        do {
            let realm = try directory.open([Pad.self])
            try realm.write { for _ in 0..<3 { realm.add(Pad()) } }
            // The key of an insertion that is rolled back stands between the last one and the next.
            realm.beginWrite()
            realm.add(Pad())
            realm.cancelWrite()
            let last = try #require(realm.objects(Pad.self).last)
            key = last.key
            try realm.write { realm.delete(last) }
        }
        let realm = try directory.open([Pad.self])
        let pad = Pad()
        try realm.write { realm.add(pad) }
        #expect(pad.key > key)
    }
}
