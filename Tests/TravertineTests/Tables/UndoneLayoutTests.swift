import RealmSwift
import TestSupport
import Testing

@testable import Travertine

/// A transaction that is cancelled leaves the numbers of its layouts to the next one.
@Suite("Layouts of a cancelled transaction")
struct UndoneLayoutTests {
    // Found by a random history (2000899): the rows of the other realm were read by the layout that
    // was undone.
    @Test("are forgotten, also if another realm uses their numbers before the next read")
    func reused() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([WideNumbers.self])
        // With the same configuration it would be the same realm, on one thread.
        var configuration = realm.configuration
        configuration.verification = .always
        let other = try Realm(configuration: configuration)
        #expect(other.session !== realm.session)
        try realm.write { realm.create(WideNumbers.self, value: ["id": 1]) }
        other.refresh()
        #expect(other.objects(WideNumbers.self).count == 1)
        other.beginWrite()
        other.create(WideNumbers.self, value: ["id": 2, "first": Int.max])
        other.cancelWrite()
        try realm.write {
            realm.create(
                WideNumbers.self, value: ["id": 3, "second": Int.max - 1, "text": "three"])
        }
        other.refresh()
        let found = try #require(other.object(ofType: WideNumbers.self, forPrimaryKey: 3))
        #expect(found.first == 0 && found.second == Int.max - 1 && found.text == "three")
        try other.write { found.first = Int.max - 2 }
        realm.refresh()
        let shown = try #require(realm.object(ofType: WideNumbers.self, forPrimaryKey: 3))
        #expect(shown.first == Int.max - 2 && shown.second == Int.max - 1)
        #expect(try realm.brokenInvariants() == [])
    }
}

class WideNumbers: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var first: Int
    @Persisted var second: Int
    @Persisted var text: String
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
