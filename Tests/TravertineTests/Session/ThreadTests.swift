import Foundation
import RealmSwift
import TestSupport
import Testing

@Suite("Realms and threads", .serialized)
struct ThreadTests {
    /// Runs `body` on a separate thread and waits for it.
    private func onAnotherThread<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) throws -> Result {
        let done = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var outcome: Swift.Result<Result, any Error>?
        Thread.detachNewThread {
            outcome = Swift.Result { try body() }
            done.signal()
        }
        done.wait()
        return try #require(outcome).get()
    }

    @Test("opening twice on a thread gives one realm, another thread gets its own")
    func sharing() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Nation.self])
        #expect(try directory.open([Nation.self]) == realm)
        let url = directory.url
        try onAnotherThread {
            let other = try Realm(
                configuration: Realm.Configuration(fileURL: url, objectTypes: [Nation.self]))
            try other.write { other.add(Nation(value: ["PT", "Portugal"])) }
        }
        #expect(realm.objects(Nation.self).isEmpty || realm.objects(Nation.self).count == 1)
        realm.refresh()
        #expect(realm.objects(Nation.self).count == 1)
    }

    @Test("a realm whose last handle goes on another thread is not handed out again")
    func lastHandleElsewhere() throws {
        final class Box: @unchecked Sendable {
            var realm: Realm?
        }
        let directory = TemporaryDirectory()
        let kept = try directory.open([Nation.self, Town.self])
        for _ in 0..<3000 {
            let box = Box()
            box.realm = try directory.open([Nation.self])
            let isReady = DispatchSemaphore(value: 0)
            let isDone = DispatchSemaphore(value: 0)
            DispatchQueue.global().async {
                isReady.signal()
                box.realm = nil
                isDone.signal()
            }
            isReady.wait()
            let again = try directory.open([Nation.self])
            #expect(again.objects(Nation.self).isEmpty)
            isDone.wait()
        }
        #expect(kept.isEmpty)
    }

    @Test("a realm shows one snapshot until it is refreshed or writes")
    func isolation() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Town.self, Nation.self])
        let town = Town(value: ["id": 1, "name": "before"])
        try realm.write { realm.add(town) }
        #expect(town.name == "before")
        let url = directory.url
        try onAnotherThread {
            let other = try Realm(
                configuration: Realm.Configuration(
                    fileURL: url, objectTypes: [Town.self, Nation.self]))
            let town = try #require(other.object(ofType: Town.self, forPrimaryKey: 1))
            try other.write {
                town.name = "after"
                town.population = 1_000_000_000_000
                for id in 2..<300 { other.add(Town(value: ["id": id, "name": "\(id)"])) }
            }
        }
        #expect(town.name == "before" && realm.objects(Town.self).count == 1)
        #expect(realm.refresh())
        #expect(!realm.refresh())
        #expect(town.name == "after" && town.population == 1_000_000_000_000)
        #expect(realm.objects(Town.self).count == 299)
        #expect(realm.object(ofType: Town.self, forPrimaryKey: 299)?.name == "299")
        try realm.write { town.name = "again" }
        #expect(town.name == "again")
    }

    @Test("writers on several threads take turns, and nothing is lost")
    func writers() throws {
        let directory = TemporaryDirectory()
        let url = directory.url
        let realm = try directory.open([Tag.self])
        let threads = DispatchGroup()
        let failures = Failures()
        for writer in 0..<4 {
            threads.enter()
            Thread.detachNewThread {
                do {
                    let realm = try Realm(
                        configuration: Realm.Configuration(
                            fileURL: url, objectTypes: [Tag.self], durability: .unsynced
                        ))
                    for number in 0..<50 {
                        try realm.write { realm.add(Tag(value: ["\(writer) \(number)"])) }
                    }
                } catch {
                    failures.add(error)
                }
                threads.leave()
            }
        }
        threads.wait()
        #expect(failures.all.isEmpty)
        realm.refresh()
        #expect(Set(realm.objects(Tag.self).map(\.text)).count == 200)
    }

    @Test("writers on several threads widen layouts in turn, some undone, and every value is right")
    func wideningWriters() throws {
        let directory = TemporaryDirectory()
        let url = directory.url
        let realm = try directory.open([Town.self, Nation.self])
        let threads = DispatchGroup()
        let failures = Failures()
        for writer in 0..<4 {
            threads.enter()
            Thread.detachNewThread {
                do {
                    let realm = try Realm(
                        configuration: Realm.Configuration(
                            fileURL: url, objectTypes: [Town.self, Nation.self],
                            durability: .unsynced))
                    for number in 0..<60 {
                        let id = (writer * 60 + number) << (number % 50)
                        do {
                            try realm.write {
                                let town = Town(value: ["id": id, "population": -id])
                                town.name = String(repeating: "n", count: number * 9)
                                realm.add(town, update: .modified)
                                if number % 3 == 1 { throw Stop() }
                            }
                        } catch is Stop {}
                    }
                } catch {
                    failures.add(error)
                }
                threads.leave()
            }
        }
        threads.wait()
        #expect(failures.all.isEmpty)
        realm.refresh()
        var wanted: Set<Int> = []
        for writer in 0..<4 {
            for number in 0..<60 where number % 3 != 1 {
                wanted.insert((writer * 60 + number) << (number % 50))
            }
        }
        let towns = realm.objects(Town.self)
        #expect(Set(towns.map(\.id)) == wanted)
        #expect(towns.allSatisfy { $0.population == -$0.id })
        #expect(towns.allSatisfy { $0.name.utf8.allSatisfy { $0 == UInt8(ascii: "n") } })
    }

    @Test("a write outside a transaction stops with advice")
    func writeOutside() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let directory = TemporaryDirectory()
            let realm = try directory.open([Nation.self])
            let nation = Nation(value: ["PT", "Portugal"])
            try realm.write { realm.add(nation) }
            nation.name = "x"
        }
        #expect(result.errorText.contains("outside of a write transaction"))
    }

    @Test("an object used on another thread stops with advice")
    func wrongThread() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let directory = TemporaryDirectory()
            let realm = try directory.open([Nation.self])
            nonisolated(unsafe) let nation = Nation(value: ["PT", "Portugal"])
            try realm.write { realm.add(nation) }
            _ = nation.name
            let done = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                _ = nation.name
                done.signal()
            }
            done.wait()
        }
        #expect(result.errorText.contains("incorrect thread"))
    }

    @Test("a deleted object stops with advice")
    func deleted() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let directory = TemporaryDirectory()
            let realm = try directory.open([Nation.self])
            let nation = Nation(value: ["PT", "Portugal"])
            try realm.write {
                realm.add(nation)
                realm.delete(nation)
            }
            _ = nation.name
        }
        #expect(result.errorText.contains("deleted or invalidated"))
    }

    @Test("setting a primary key of a managed object stops with advice")
    func primaryKey() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let directory = TemporaryDirectory()
            let realm = try directory.open([Nation.self])
            let nation = Nation(value: ["PT", "Portugal"])
            try realm.write {
                realm.add(nation)
                nation.code = "PT"
                nation.code = "ES"
            }
        }
        #expect(result.errorText.contains("Primary key can't be changed"))
    }
}

private final class Failures: @unchecked Sendable {
    private let lock = NSLock()
    private var errors: [any Error] = []
    var all: [any Error] { lock.withLock { errors } }
    func add(_ error: any Error) { lock.withLock { errors.append(error) } }
}
