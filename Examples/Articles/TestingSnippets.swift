import Foundation
import Testing
import Travertine

class Chore: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var title: String
    @Persisted var isDone = false
}

struct NoTitle: Error {}

/// What is tested: the chores of a household.
struct Chores {
    let configuration: Realm.Configuration

    func add(_ titles: String...) throws {
        let realm = try Realm(configuration: configuration)
        try realm.write {
            for title in titles {
                if title.isEmpty { throw NoTitle() }
                realm.create(Chore.self, value: ["title": title])
            }
        }
    }

    func open() throws -> [String] {
        try Realm(configuration: configuration).objects(Chore.self)
            .where { !$0.isDone }.sorted(by: \.title).map(\.title)
    }
}

actor Watcher {
    /// Returns when there are as many chores.
    func wait(for count: Int, in chores: Chores) async throws {
        let realm = try await Realm.open(configuration: chores.configuration)
        let all = realm.objects(Chore.self)
        for await _ in all.changes where all.count == count { return }
    }
}

@Suite("Chores")
struct ChoreTests {
    let chores = Chores(
        configuration: Realm.Configuration(
            inMemoryIdentifier: UUID().uuidString, objectTypes: [Chore.self]))

    @Test("chores are listed by title")
    func list() throws {
        let realm = try Realm(configuration: chores.configuration)
        try chores.add("Water the plants", "Buy bread")
        #expect(try chores.open() == ["Buy bread", "Water the plants"])
        #expect(realm.objects(Chore.self).count == 2)
    }

    @Test("of chores one of which has no title none is added")
    func noTitle() throws {
        let realm = try Realm(configuration: chores.configuration)
        #expect(throws: NoTitle.self) { try chores.add("Buy bread", "") }
        #expect(realm.isEmpty)
    }
}

@Suite("Chores in files")
final class StoredChoreTests {
    let chores = Chores(
        configuration: Realm.Configuration(
            fileURL: FileManager.default.temporaryDirectory
                .appendingPathComponent("chores-\(UUID().uuidString)"),
            objectTypes: [Chore.self], durability: .unsynced))

    deinit {
        do {
            try Realm.deleteFiles(for: chores.configuration)
        } catch {
            Issue.record(error)
        }
    }

    @Test("chores are there when the program starts again")
    func reopened() throws {
        try chores.add("Buy bread")  // opens the realm, and closes it
        #expect(try chores.open() == ["Buy bread"])
    }

    @Test("an actor is notified of chores that others add", .timeLimit(.minutes(1)))
    func notified() async throws {
        let chores = chores
        async let waiting: Void = Watcher().wait(for: 1, in: chores)
        try chores.add("Buy bread")
        try await waiting
    }
}
