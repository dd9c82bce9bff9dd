import Foundation
import RealmSwift
import TestSupport
import Testing
import TravertineStore

/// What errors of data say: stored names, the key, and what helps.
@Suite("Messages of errors of data")
struct DataErrorTests {
    private let directory = TemporaryDirectory()

    private func open() throws -> Realm {
        var configuration = Realm.Configuration(
            fileURL: directory.url, objectTypes: [MailGuest.self, MailRoom.self, MailBox.self],
            durability: .unsynced)
        configuration.objectSchemas = [try ObjectSchema(MailVisit.self)]
        return try Realm(configuration: configuration)
    }

    private func message(_ realm: Realm, _ change: () throws -> Void) -> String {
        #expect(throws: Realm.Error.self) { try realm.write { try change() } }?.message ?? ""
    }

    @Test("a second key: the stored names and the value, whatever call adds it")
    func duplicates() throws {
        let realm = try open()
        try realm.write {
            realm.create(MailRoom.self, value: ["number": 7])
            try realm.insert(MailVisit(_id: .generate(), count: 1))
        }
        for change in [
            { _ = realm.create(MailRoom.self, value: ["number": 7]) },
            { realm.add(MailRoom(value: ["number": 7])) },
            { _ = realm.dynamicCreate("mail_rooms", value: ["room_number": 7]) },
        ] {
            let text = message(realm, change)
            #expect(text.contains("of type 'mail_rooms' with an existing primary key value '7'"))
            #expect(!text.contains("generate()"))
        }
    }

    @Test("a second key of zeros suggests `generate()`: of an object, a dictionary, a struct")
    func zeros() throws {
        let realm = try open()
        // As written, it stays zero.
        #expect(MailGuest().id == ObjectId() && MailGuest()["id"] as? ObjectId == ObjectId())
        try realm.write {
            realm.add(MailGuest())
            try realm.insert(MailVisit(count: 1))
        }
        #expect(realm.objects(MailGuest.self).first?.id == ObjectId())
        let hint = "The identifier is all zeros: use `ObjectId.generate()`."
        let zeros = "'000000000000000000000000'"
        for change in [
            { realm.add(MailGuest()) }, { _ = realm.create(MailGuest.self) },
            { _ = realm.dynamicCreate("mail_guests", value: ["_id": ObjectId()]) },
            { try realm.insert(MailGuest()) }, { _ = try realm.insert(MailVisit(count: 2)) },
        ] as [() throws -> Void] {
            let text = message(realm, change)
            #expect(text.contains(hint) && text.contains(zeros), "\(text)")
        }
    }

    @Test("a denied deletion, a value that does not fit")
    func others() throws {
        let realm = try open()
        let room = try realm.write {
            realm.create(
                MailRoom.self, value: ["number": 7, "guests": [["id": ObjectId.generate()]]])
        }
        let denied = message(realm) { realm.delete(room) }
        #expect(denied.contains("'mail_rooms'") && denied.contains("'room_guests'"))
        #expect(denied.contains("'mail_guests'") && !denied.contains("Mail"))
        let wrong = message(realm) { room["size"] = "x" }
        #expect(wrong.hasPrefix("mail_rooms.room_size has type Int"))
    }

    @Test("`localizedDescription` is the message")
    func localized() throws {
        let realm = try open()
        try realm.write { realm.add(MailGuest()) }
        let error = #expect(throws: Realm.Error.self) {
            try realm.write { realm.add(MailGuest()) }
        }
        #expect((error as (any Error)?)?.localizedDescription == error?.message)
        let stored = StoreError(.misuse, "Something.")
        #expect((stored as any Error).localizedDescription == "Something.")
    }
}

final class MailGuest: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    override class func objectTypeName() -> String { "mail_guests" }
    override class func propertiesMapping() -> [String: String] { ["id": "_id"] }

    @Persisted(primaryKey: true) var id = ObjectId()
}

final class MailRoom: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    override class func objectTypeName() -> String { "mail_rooms" }
    override class func propertiesMapping() -> [String: String] {
        ["number": "room_number", "guests": "room_guests", "size": "room_size"]
    }

    @Persisted(primaryKey: true) var number: Int
    @Persisted(deleteRule: .deny) var guests: List<MailGuest>
    @Persisted var size: Int
}

final class MailBox: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    @Persisted var guest: MailGuest?
}

private struct MailVisit: PersistedStruct {
    var _id = ObjectId()
    var count = 0

    static func primaryKey() -> String? { "_id" }
}
