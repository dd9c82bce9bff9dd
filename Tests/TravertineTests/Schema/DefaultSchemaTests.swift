import RealmSwift
import TestSupport
import Testing

@Suite("Realms without listed types")
struct DefaultSchemaTests {
    @Test("a realm has every class of the process, links and projections included")
    func everyClass() throws {
        let directory = TemporaryDirectory()
        let realm = try Realm(
            configuration: Realm.Configuration(
                fileURL: directory.url, durability: .unsynced))
        try realm.write {
            realm.create(Town.self, value: ["id": 3, "nation": ["code": "PT"]])
            realm.create(LateComer.self, value: ["note": "here"])
        }
        #expect(realm.objects(TownView.self).count == 1)
        #expect(realm.objects(LateComer.self).first?.note == "here")
        #expect(realm.schema["LateComer"] != nil && realm.schema["Pet"] == nil)
    }

    @Test("a class that is left out of the default schema enters when it is first used")
    func firstUse() throws {
        let directory = TemporaryDirectory()
        let realm = try Realm(
            configuration: Realm.Configuration(
                fileURL: directory.url, durability: .unsynced))
        #expect(realm.objects(PetV1.self).isEmpty)
        try realm.write { realm.add(PetV1(value: ["name": "Rex", "age": 2])) }
        #expect(realm.objects(PetV1.self).first?.age == 2)
    }

    @Test("a class without properties that says something for its subclasses is no type itself")
    func abstractClass() throws {
        let directory = TemporaryDirectory()
        let realm = try Realm(
            configuration: Realm.Configuration(fileURL: directory.url, durability: .unsynced))
        #expect(realm.schema["NamedModel"] == nil)
        try realm.write { realm.create(NamedThing.self, value: ["firstName": "a"]) }
        #expect(realm.objects(NamedThing.self).first?["first_name"] as? String == "a")
        let error = #expect(throws: Realm.Error.self) {
            try TemporaryDirectory().open([NamedModel.self])
        }
        #expect(error?.message.contains("No properties are defined for 'NamedModel'") == true)
    }

    @Test("a subclass has the properties of its base class and a separate table")
    func inheritance() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Nation.self, Kingdom.self])
        try realm.write {
            realm.add(Kingdom(value: ["code": "NO", "name": "Norge", "monarch": "Harald"]))
        }
        #expect(realm.object(ofType: Kingdom.self, forPrimaryKey: "NO")?.monarch == "Harald")
        #expect(
            realm.objects(Kingdom.self).where { $0.name == "Norge" && $0.reign == nil }.count == 1)
        #expect(realm.objects(Nation.self).isEmpty)
    }

    @Test("values of every kind that fit a property in place, and those that don't, survive growth")
    func growth() throws {
        let directory = TemporaryDirectory()
        let town = Town(value: ["id": 1])
        do {
            let realm = try directory.open([Nation.self, Town.self])
            try realm.write { realm.add(town) }
            for exponent in 0..<62 {
                try realm.write {
                    town.population = 1 << exponent
                    town.name = String(repeating: "x", count: exponent * exponent * 20)
                }
                #expect(town.population == 1 << exponent)
                #expect(town.name.utf8.count == exponent * exponent * 20)
            }
        }
        let realm = try directory.open([Nation.self, Town.self])
        #expect(realm.objects(Town.self).first?.name.utf8.count == 61 * 61 * 20)
        #expect(realm.layoutCount(of: Town.self) < 12)
    }
}

class NamedModel: Object {
    override class func namingPolicy() -> NamingPolicy { .snakeCase }
}

class NamedThing: NamedModel {
    @Persisted var firstName: String
}

class LateComer: Object {
    @Persisted var note: String
}

class Kingdom: Nation {
    @Persisted var monarch: String
    @Persisted var reign: Int?
}
