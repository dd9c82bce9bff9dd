import Foundation
import PostgreSQLSync
import Testing
import Travertine

/// Some types of a realm, chosen by name.
@Suite("Chosen types")
struct ChosenTypeTests {
    private func fill(_ realm: Realm, _ ids: Range<Int>) throws {
        try realm.write {
            for id in ids {
                realm.dynamicCreate("Person", value: ["id": id, "marks": [id]] as [String: Any])
                realm.dynamicCreate("Box", value: ["code": "b\(id)"] as [String: Any])
            }
        }
    }

    @Test("only the chosen types have tables, and changes of others move the position")
    func chosen() throws {
        let fixture = try SyncFixture()
        let realm = try fixture.open(HistoryModels.types)
        try fill(realm, 0..<3)
        try fixture.sync(realm, types: ["Person"])
        #expect(try fixture.tables() == ["Person", "Person_home_rooms", "Person_marks"])
        let old = try fixture.value("SELECT position FROM travertine_sync")
        try realm.write {
            realm.dynamicCreate("Box", value: ["code": "other"] as [String: Any])
        }
        let summary = try fixture.sync(realm, types: ["Person"])
        #expect(summary.putCount == 0)
        #expect(try fixture.value("SELECT position FROM travertine_sync") != old)
    }

    @Test("types that are chosen later are filled, and those left out stay as they are")
    func others() throws {
        let fixture = try SyncFixture()
        let realm = try fixture.open(HistoryModels.types)
        try fill(realm, 0..<3)
        try fixture.sync(realm, types: ["Person"])
        try fill(realm, 3..<5)
        try fixture.sync(realm, types: ["Person", "Box"])
        #expect(try fixture.value("SELECT count(*) FROM \"Box\"") == "5")
        try fill(realm, 5..<6)
        try fixture.sync(realm, types: ["Box"])
        #expect(try fixture.value("SELECT count(*) FROM \"Box\"") == "6")
        #expect(try fixture.value("SELECT count(*) FROM \"Person\"") == "5")
        try fixture.sync(realm)
        #expect(try fixture.value("SELECT count(*) FROM \"Person\"") == "6")
        #expect(try fixture.differencesFromFreshCopy(realm) == [])
    }
}
