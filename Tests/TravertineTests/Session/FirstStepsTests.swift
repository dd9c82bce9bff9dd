import Foundation
import RealmSwift
import TestSupport
import Testing

@Suite("First steps")
struct FirstStepsTests {
    @Test("an object that was added is found by its primary key, also after reopening")
    func addAndFind() throws {
        let directory = TemporaryDirectory()
        do {
            let realm = try directory.open([Town.self, Nation.self])
            try realm.write {
                let portugal = Nation(value: ["code": "PT", "name": "Portugal"])
                let lisbon = Town()
                lisbon.id = 1
                lisbon.name = "Lisboa"
                lisbon.population = 517_802
                lisbon.nation = portugal
                lisbon.otherNames.append(objectsIn: ["Lisbon", "Lissabon", ""])
                realm.add(lisbon)
                #expect(lisbon.name == "Lisboa")
                #expect(lisbon.nation?.name == "Portugal")
            }
            #expect(realm.objects(Town.self).count == 1)
        }
        let realm = try directory.open([Town.self, Nation.self])
        let lisbon = try #require(realm.object(ofType: Town.self, forPrimaryKey: 1))
        #expect(lisbon.name == "Lisboa")
        #expect(lisbon.population == 517_802)
        #expect(lisbon.nation?.code == "PT")
        #expect(Array(lisbon.otherNames) == ["Lisbon", "Lissabon", ""])
        #expect(realm.object(ofType: Nation.self, forPrimaryKey: "PT")?.name == "Portugal")
        #expect(realm.object(ofType: Nation.self, forPrimaryKey: "ES") == nil)
        let large = realm.objects(Town.self).where {
            $0.population > 1000 && $0.nation.code == "PT"
        }
        #expect(large.count == 1)
        #expect(large.first?.id == 1)
    }

    @Test("a throw rolls everything back, and handles show what they showed before")
    func rollback() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Town.self, Nation.self])
        let town = Town()
        town.name = "Porto"
        try realm.write { realm.add(town) }
        let lost = Town()
        lost.id = 2
        #expect(throws: Stop.self) {
            try realm.write {
                town.name = "Oporto"
                town.population = 231_800_000_000
                realm.add(lost)
                #expect(town.name == "Oporto")
                throw Stop()
            }
        }
        #expect(town.name == "Porto")
        #expect(town.population == 0)
        #expect(lost.isInvalidated)
        #expect(realm.objects(Town.self).count == 1)
    }
}

class Nation: Object {
    @Persisted(primaryKey: true) var code: String
    @Persisted var name: String
}

class Town: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name: String
    @Persisted var population = 0
    @Persisted var nation: Nation?
    @Persisted var otherNames: List<String>
}
