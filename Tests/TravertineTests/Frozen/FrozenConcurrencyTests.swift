import Foundation
import RealmSwift
import TestSupport
import Testing

@Suite("Concurrent readers of frozen things", .serialized)
struct FrozenConcurrencyTests {
    private static let valleyCount = 40

    private func realm(_ directory: TemporaryDirectory) throws -> Realm {
        let realm = try directory.open(Valley.classes)
        try realm.write { for id in 0..<Self.valleyCount { _ = addValley(realm, id) } }
        return realm
    }

    /// Reads everything of a frozen realm whose valleys are those that `realm` added, `round`
    /// having been added to their depths.
    private static func check(_ realm: Realm, _ valleys: Results<Valley>, _ round: Int) {
        #expect(valleys.count == valleyCount)
        for (id, valley) in valleys.enumerated() {
            #expect(valley.id == id && valley.depth == Double(id) / 2 + Double(round))
            #expect(valley.name == "valley \(id)" && Array(valley.heights) == [id, id + 1])
            #expect(valley.glacier?.name == "g\(id).0" && valley.glaciers.last?.length == 2)
            #expect(valley.measures["snow"] == Double(id) && valley.words.contains("b"))
            #expect(valley.streams.first?.flow == id && valley.hut?.beds == id)
            #expect(valley.anything.listValue?[0] == .int(id))
        }
        let deep = valleys.where { $0.depth >= Double(round) + 5 }.sorted(by: \.name)
        #expect(deep.count == valleyCount - 10)
        #expect(deep.sum(of: \.id) == (10..<valleyCount).reduce(0, +))
        #expect(realm.objects(Glacier.self).where { $0.length == 1 }.count == valleyCount)
        #expect(realm.objects(Glacier.self).sectioned(by: \.length, ascending: true).count == 3)
        #expect(
            realm.objects(Stream.self).sorted(by: \.flow, ascending: false)[0].flow
                == valleyCount - 1)
    }

    @Test("readers on many threads see the frozen version while a writer changes everything")
    func readersAndWriter() throws {
        let directory = TemporaryDirectory()
        let realm = try realm(directory)
        for round in 0..<4 {
            nonisolated(unsafe) let frozen = realm.freeze()
            let valleys = Frozen(realm.objects(Valley.self))
            let isDone = Flag()
            let readers = Thread.reading(3) { _ in
                repeat { Self.check(frozen, valleys.value, round) } while !isDone.isSet
            }
            // The writer deletes and makes anew what is read, and the store moves it.
            for _ in 0..<3 {
                try realm.write {
                    realm.deleteAll()
                    for id in 0..<Self.valleyCount {
                        addValley(realm, id).depth += Double(round + 1)
                    }
                }
                try realm.store.checkpoint()
                try realm.store.compact()
            }
            isDone.set()
            readers.wait()
            Self.check(frozen, valleys.value, round)
        }
        #expect(try realm.store.statistics.snapshots.count <= 2)
    }

    @Test("handles of one thread are read, passed on and released by others")
    func passingOn() throws {
        let directory = TemporaryDirectory()
        let realm = try realm(directory)
        let (first, second) = (Mailbox(), Mailbox())
        let all = Frozen(realm.objects(Valley.self))
        let threads = Thread.reading(2) { number in
            let (own, other) = number == 0 ? (first, second) : (second, first)
            for round in 0..<300 {
                let valley = all.value[round % Self.valleyCount]
                other.put(Frozen(valley), valley.glacier.map { Frozen($0) }, Frozen(valley.heights))
                for letter in own.takeAll() {
                    let id = letter.valley.value.id
                    #expect(letter.glacier?.value.name == "g\(id).0")
                    #expect(letter.heights.value.last == id + 1)
                    #expect(letter.glacier?.value.valleys.first == letter.valley.value)
                }
            }
        }
        try realm.write { realm.deleteAll() }
        threads.wait()
    }

    @Test("threads freeze, thaw and let go of the same objects at once")
    func freezing() throws {
        let directory = TemporaryDirectory()
        let realm = try realm(directory)
        @ThreadSafe var shared: Valley? = realm.objects(Valley.self)[0]
        let variable = $shared
        try onThreads(3) { number in
            for _ in 0..<40 {
                let valley = try #require(variable.wrappedValue)
                try valley.realm?.write { valley.depth += 1 }
                let frozen = valley.freeze()
                #expect(frozen.depth >= 1 && frozen.thaw() == valley)
                if number == 0 { variable.wrappedValue = valley }
            }
        }
        realm.refresh()
        #expect(shared?.depth == 120)
    }
}

private final class Flag: @unchecked Sendable {
    private let lock = NSLock()
    private var value = false
    var isSet: Bool { lock.withLock { value } }
    func set() { lock.withLock { value = true } }
}

/// What one thread has sent to another.
private final class Mailbox: @unchecked Sendable {
    struct Letter: Sendable {
        let valley: Frozen<Valley>
        let glacier: Frozen<Glacier>?
        let heights: Frozen<List<Int>>
    }

    private let lock = NSLock()
    private var letters: [Letter] = []

    func put(_ valley: Frozen<Valley>, _ glacier: Frozen<Glacier>?, _ heights: Frozen<List<Int>>) {
        lock.withLock {
            letters.append(Letter(valley: valley, glacier: glacier, heights: heights))
        }
    }

    func takeAll() -> [Letter] {
        lock.withLock {
            defer { letters = [] }
            return letters
        }
    }
}

extension Thread {
    /// Starts threads; the group is left by each at its end.
    static func reading(
        _ count: Int, _ body: @escaping @Sendable (Int) -> Void
    ) -> DispatchGroup {
        let group = DispatchGroup()
        for number in 0..<count {
            group.enter()
            Thread.detachNewThread {
                body(number)
                group.leave()
            }
        }
        return group
    }
}
