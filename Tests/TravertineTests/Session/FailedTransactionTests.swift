import Foundation
import RealmSwift
import TestSupport
import Testing

/// What is done in a transaction that has failed does nothing, and its commit throws the failure.
@Suite("Transactions that failed")
struct FailedTransactionTests {
    private let directory = TemporaryDirectory()

    private func failure(
        _ realm: Realm, _ body: () throws -> Void
    ) throws -> Realm.Error {
        try #require(throws: Realm.Error.self) { try realm.write(body) }
    }

    @Test("a dynamic object that was not made takes values and keeps none")
    func dynamicObjects() throws {
        let realm = try directory.open([Town.self, Nation.self, Bookcase.self, Book.self])
        let error = try failure(realm) {
            let town = realm.dynamicCreate("Town", value: ["id": "no number"])
            town["name"] = "Lisboa"
            town.nation = ["code": "PT"]
            #expect(town["name"] == nil)
            let shelf = realm.dynamicCreate("Bookcase", value: ["id": 1])
            shelf["labels"] = ["a"]
            shelf.dynamicList("row").append(shelf)
            shelf.dynamicMutableSet("books").insert(shelf)
            shelf.dynamicMap("named")["a"] = shelf
            realm.delete(shelf)
        }
        #expect(error.code == .invalidInput && error.message.contains("Town.id"))
        #expect(realm.isEmpty)
    }

    @Test("positions that are missing because of the failure are ignored")
    func lists() throws {
        let realm = try directory.open([Bookcase.self, Book.self, Nation.self])
        let shelf = Bookcase(value: ["id": 1])
        try realm.write { realm.add(shelf) }
        let error = try failure(realm) {
            realm.create(Nation.self, value: ["code": "PT"])
            realm.create(Nation.self, value: ["code": "PT"])
            shelf.row.append(Book(value: ["title": "a"]))
            shelf.row.append(Book(value: ["title": "b"]))
            shelf.row[1] = Book(value: ["title": "c"])
            shelf.row[1].title = "d"
            shelf.row.insert(Book(), at: 2)
            shelf.row.move(from: 0, to: 1)
            shelf.row.swapAt(0, 1)
            shelf.row.remove(at: 1)
            shelf.row.removeLast()
            shelf.books.insert(Book())
            #expect(shelf.books[0].title.isEmpty)
        }
        #expect(error.code == .duplicatePrimaryKey)
        #expect(shelf.row.isEmpty && realm.objects(Book.self).isEmpty)
    }

    @Test("a value that does not fit its property fails the transaction with the property's name")
    func mismatches() throws {
        let realm = try directory.open([
            Town.self, Nation.self, Anything.self, Tag.self, Address.self, Room.self,
        ])
        let town = Town(value: ["id": 1, "name": "Lisboa"])
        try realm.write { realm.add(town) }
        let changes: [(String, () -> Void)] = [
            ("Town.name", { realm.create(Town.self, value: ["id": 2, "name": 5]) }),
            ("Town.name", { realm.create(Town.self, value: ["id": 2, "name": NSNull()]) }),
            ("Nation.code", { realm.create(Town.self, value: ["id": 2, "nation": ["code": 1]]) }),
            ("Town.id", { realm.create(Town.self, value: ["id": "x"], update: .modified) }),
            (
                "Town.name",
                { realm.create(Town.self, value: ["id": 1, "name": 5], update: .modified) }
            ),
            (
                "Nation.code",
                {
                    realm.create(
                        Town.self, value: ["id": 1, "nation": ["code": 1]], update: .modified)
                }
            ),
            ("An array of 99 values", { realm.create(Town.self, value: [Int](1...99)) }),
            ("not from Int", { realm.create(Town.self, value: 1) }),
            ("Town.name", { town["name"] = 5 }),
            ("Town.name", { town.setValue(5, forKey: "name") }),
            ("Nation.code", { town["nation"] = ["code": 1] }),
            (
                "Anything.value",
                { realm.create(Anything.self, value: ["id": 1, "value": Set([1, 2])]) }
            ),
            (
                "Anything.value",
                { realm.create(Anything.self, value: ["id": 1, "value": Address()]) }
            ),
        ]
        for (text, change) in changes {
            let error = try failure(realm, change)
            #expect(error.code == .invalidInput && error.message.contains(text), "\(error)")
        }
        #expect(realm.objects(Town.self).map(\.name) == ["Lisboa"])
        #expect(realm.objects(Nation.self).isEmpty && realm.objects(Anything.self).isEmpty)
    }

    @Test("a class that is first used after the failure has no objects, and comes with the next")
    func firstClass() throws {
        let configuration = Realm.Configuration(fileURL: directory.url, durability: .unsynced)
        let realm = try Realm(configuration: configuration)
        let error = try failure(realm) {
            for _ in 0..<2 { realm.create(Nation.self, value: ["code": "PT"]) }
            realm.add(Straggler(value: ["id": 1]))
            realm.create(Straggler.self, value: ["id": 2], update: .modified)
            #expect(realm.objects(Straggler.self).isEmpty)
            #expect(realm.object(ofType: Straggler.self, forPrimaryKey: 1) == nil)
        }
        #expect(error.code == .duplicatePrimaryKey)
        #expect(realm.objects(Straggler.self).isEmpty)
        try realm.write { realm.add(Straggler(value: ["id": 3])) }
        #expect(realm.objects(Straggler.self).map(\.id) == [3])
    }
}

/// First used by a transaction.
class Straggler: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted(primaryKey: true) var id: Int
    @Persisted var next: Straggler?
}
