import TestSupport
import Testing
import TravertineStore

@testable import Travertine

@Suite("What of a store belongs to a type")
struct TypeStorageTests {
    private let directory = TemporaryDirectory()

    private func open() throws -> Realm {
        try directory.open([StoredHouse.self, StoredStreet.self, StoredDoor.self])
    }

    @Test("each type has its objects and keyspaces, with what they hold and how much")
    func types() throws {
        let realm = try open()
        try realm.write {
            let street = StoredStreet(value: ["name": "Long"])
            for index in 0..<3 {
                let house = StoredHouse(value: ["number": index, "note": "two words"])
                house.street = street
                house.door = StoredDoor()
                realm.add(house)
            }
        }
        let storage = try realm.typeStorage()
        #expect(storage.map(\.typeName) == ["StoredDoor", "StoredHouse", "StoredStreet"])
        #expect(storage.map(\.objectCount) == [3, 3, 1])
        #expect(storage.map(\.isEmbedded) == [true, false, false])
        let house = storage[1]
        func part(_ role: TypeStorage.Part.Role, _ property: String) -> TypeStorage.Part? {
            house.parts.first { $0.role == role && $0.properties.contains(property) }
        }
        #expect(house.parts.first?.role == .rows && house.parts.first?.entryCount == 3)
        #expect(part(.index, "number")?.entryCount == 3)
        #expect(part(.fullText, "note") != nil)
        #expect(part(.backlinks, "street")?.entryCount == 3)
        #expect(part(.backlinks, "door")?.entryCount == 3)
        #expect(storage[2].parts.contains { $0.role == .primaryKey && $0.properties == ["name"] })
        // Rows can be read by their name.
        let rows = try #require(try realm.store.keyspace(named: house.parts[0].keyspace))
        #expect(try realm.store.snapshot().count(in: rows) == 3)
    }

    @Test("a frozen realm shows its version, a write transaction what it did")
    func versions() throws {
        let realm = try open()
        let older = realm.freeze()
        let count = try realm.write {
            realm.add(StoredStreet(value: ["name": "Short"]))
            return try realm.typeStorage()[2].objectCount
        }
        #expect(count == 1)
        #expect(try older.typeStorage()[2].objectCount == 0)
        #expect(try realm.typeStorage()[2].objectCount == 1)
    }
}

private class StoredHouse: Object {
    @Persisted(indexed: true) var number = 0
    @Persisted(indexed: .fullText) var note = ""
    @Persisted var street: StoredStreet?
    @Persisted var door: StoredDoor?
}

private class StoredStreet: Object {
    @Persisted(primaryKey: true) var name = ""
}

private class StoredDoor: EmbeddedObject {
    @Persisted var colour = ""
}
