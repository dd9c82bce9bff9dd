import Dispatch
import Foundation
import Observation
import RealmSwift
import Synchronization
import TestSupport
import Testing

/// Documentation/Live.md 2.4: `withObservationTracking` over objects of a realm.
@Suite("Tracking of reads")
struct ReadTrackingTests {
    let directory = try! TemporaryDirectory()
    private let calls = Calls()

    private final class Calls: Sendable {
        private let number = Atomic<Int>(0)

        func add() { number.add(1, ordering: .sequentiallyConsistent) }
        /// How many there were since the last question.
        func take() -> Int { number.exchange(0, ordering: .sequentiallyConsistent) }
        var isEmpty: Bool { number.load(ordering: .sequentiallyConsistent) == 0 }
    }

    private var configuration: Realm.Configuration {
        var configuration = Realm.Configuration(
            fileURL: directory.url,
            objectTypes: [ObservedPet.self, ObservedOwner.self, ObservedAddress.self],
            durability: .unsynced)
        configuration.tracksReads = true
        return configuration
    }

    /// A realm of the same file that tracks nothing.
    private func openOther() throws -> Realm {
        try directory.open([ObservedPet.self, ObservedOwner.self, ObservedAddress.self])
    }

    private func fill(_ realm: Realm) throws -> ObservedOwner {
        try realm.write {
            let owner = realm.create(ObservedOwner.self, value: ["id": 1, "name": "o"])
            owner.pets.append(realm.create(ObservedPet.self, value: ["name": "p", "age": 1]))
            owner.favourite = owner.pets[0]
            return owner
        }
    }

    private func track(_ body: () -> Void) {
        withObservationTracking(body) { [calls] in calls.add() }
    }

    @Test("a property that was read is notified of the realm's own write, once, and no other is")
    func ownWrites() throws {
        let realm = try Realm(configuration: configuration)
        let owner = try fill(realm)
        track { #expect(owner.name == "o" && owner.any == .none) }
        try realm.write { owner.numbers.append(1) }
        #expect(calls.take() == 0)
        try realm.write { owner.name = "q" }
        #expect(calls.take() == 1)
        #expect(owner.name == "q")
        try realm.write { owner.name = "r" }
        #expect(calls.take() == 0, "it was notified once")
        track { #expect(owner.name == "r") }
        try realm.write { owner.name = "r" }
        #expect(calls.take() == 0, "a value set to itself is no change")
        #expect(throws: Stop.self) {
            try realm.write {
                owner.name = "s"
                throw Stop()
            }
        }
        #expect(calls.take() == 0)
    }

    @Test("whether an object is there is notified of when it is deleted, and when it comes again")
    func existence() throws {
        let realm = try Realm(configuration: configuration)
        let owner = try fill(realm)
        track { #expect(!owner.isInvalidated) }
        try realm.write { owner.name = "q" }
        #expect(calls.take() == 0, "no property was read")
        try realm.write { realm.delete(owner) }
        #expect(calls.take() == 1)
        track { #expect(owner.isInvalidated) }
        try realm.write { _ = realm.create(ObservedOwner.self, value: ["id": 2, "name": "r"]) }
        #expect(calls.take() == 0, "another object was added")
        try realm.write { _ = realm.create(ObservedOwner.self, value: ["id": 1, "name": "s"]) }
        #expect(calls.take() == 1)
        #expect(!owner.isInvalidated && owner.name == "s")
        try realm.write { track { #expect(!owner.isInvalidated) } }
        #expect(calls.take() == 1, "what is read in a transaction is notified of at its end")
        realm.invalidate()
        track { #expect(owner.isInvalidated) }
        try realm.write { _ = realm.create(ObservedOwner.self, value: ["id": 3, "name": "t"]) }
        #expect(calls.take() == 0, "it is invalidated for ever")
    }

    @Test("invalidate() notifies of everything that was read, and what is read then is tracked")
    func invalidating() throws {
        let other = try openOther()
        let otherOwner = try fill(other)
        let realm = try Realm(configuration: configuration)
        let owner = realm.objects(ObservedOwner.self)[0]
        let reads: [() -> Void] = [
            { #expect(owner.name == "o") }, { #expect(!owner.isInvalidated) },
            { #expect(realm.objects(ObservedPet.self).count == 1) }, { _ = owner.pets.count },
        ]
        for read in reads { track(read) }
        realm.invalidate()
        #expect(calls.take() == reads.count && owner.isInvalidated)
        realm.invalidate()
        #expect(calls.take() == 0, "nothing was read since")
        track { #expect(realm.objects(ObservedOwner.self).first?.name == "o") }
        try other.write { otherOwner.name = "q" }
        #expect(realm.refresh())
        #expect(calls.take() == 1)
    }

    @Test("what is called by invalidate() may read, write and invalidate")
    func readingWhileInvalidated() throws {
        let realm = try Realm(configuration: configuration)
        let owner = try fill(realm)
        held.realm = realm
        let names = SharedReports()
        withObservationTracking {
            #expect(owner.name == "o")
        } onChange: { [held] in
            // It is tracked until this returns: what it does itself is notified, too.
            guard let realm = held.realm, names.all.isEmpty else {
                held.realm?.invalidate()
                return
            }
            let owner = realm.objects(ObservedOwner.self)[0]
            names.note(owner.name)
            try? realm.write { owner.name = "r" }
            realm.invalidate()
        }
        realm.invalidate()
        #expect(names.all == ["o"] && owner.isInvalidated)
        #expect(realm.objects(ObservedOwner.self).map(\.name) == ["r"])
        held.realm = nil
    }

    @Test("refresh() notifies of what others committed, through whatever handle it was read")
    func refreshing() throws {
        let other = try openOther()
        let otherOwner = try fill(other)
        let realm = try Realm(configuration: configuration)
        #expect(realm != other)
        track { #expect(realm.objects(ObservedOwner.self)[0].favourite?.age == 1) }
        try other.write { otherOwner.pets[0].age = 2 }
        #expect(calls.take() == 0)
        #expect(realm.refresh())
        #expect(calls.take() == 1)
        #expect(realm.objects(ObservedPet.self)[0].age == 2)
        track { #expect(realm.objects(ObservedPet.self).first?.name == "p") }
        try other.write { other.delete(otherOwner.pets[0]) }
        #expect(realm.refresh())
        #expect(calls.take() == 1)
    }

    @Test("optional values, links, collections and linking objects are tracked")
    func kinds() throws {
        let realm = try Realm(configuration: configuration)
        let owner = try fill(realm)
        let pet = owner.pets[0]
        let reads: [(String, () -> Void, () -> Void)] = [
            ("link", { _ = owner.favourite }, { owner.favourite = nil }),
            ("any", { _ = owner.any }, { owner.any = .int(3) }),
            ("list", { #expect(owner.pets.count == 1) }, { owner.pets.append(ObservedPet()) }),
            ("set", { _ = owner.tags.contains("a") }, { owner.tags.insert("a") }),
            ("map", { _ = owner.scores["a"] }, { owner.scores["a"] = 1 }),
            ("linking", { #expect(pet.owners.count == 1) }, { owner.pets.removeAll() }),
            ("embedded", { _ = owner.address }, { owner.address = ObservedAddress() }),
            ("by name", { _ = owner["name"] }, { owner["name"] = "n" }),
        ]
        for (name, read, change) in reads {
            track(read)
            try realm.write { pet.age += 1 }
            _ = calls.take()
            track(read)
            try realm.write(change)
            #expect(calls.take() >= 1, "\(name)")
        }
    }

    @Test("linking objects of derived classes are tracked, too")
    func derivedSources() throws {
        var configuration = configuration
        configuration.objectTypes = [
            TrackedTarget.self, TrackedSource.self, TrackedDerivedSource.self,
        ]
        let realm = try Realm(configuration: configuration)
        let target = try realm.write { realm.create(TrackedTarget.self) }
        track { #expect(target.sources.isEmpty) }
        let source = try realm.write {
            realm.create(TrackedDerivedSource.self, value: ["target": target])
        }
        #expect(calls.take() == 1)
        track { #expect(target.sources.map(\.name) == [""]) }
        try realm.write { source.target = nil }
        #expect(calls.take() == 1)
        track { #expect(target.sources.isEmpty) }
        try realm.write { source.target = target }
        #expect(calls.take() == 1)
        track { #expect(target.sources.count == 1) }
        try realm.write { realm.delete(source) }
        #expect(calls.take() == 1)
    }

    @Test("what was read in a transaction is notified when that is undone, or a part of it")
    func undone() throws {
        let realm = try Realm(configuration: configuration)
        let owner = try fill(realm)
        realm.beginWrite()
        owner.name = "undone"
        track { #expect(owner.name == "undone") }
        realm.cancelWrite()
        #expect(calls.take() == 1)
        #expect(owner.name == "o")
        try realm.write {
            try? realm.savepoint {
                owner.name = "undone"
                track { #expect(owner.name == "undone") }
                throw Stop()
            }
            #expect(owner.name == "o")
        }
        #expect(calls.take() == 1)
    }

    @Test("properties that are read by name through a dynamic object are tracked")
    func dynamic() throws {
        let realm = try Realm(configuration: configuration)
        let owner = try fill(realm)
        let found = try #require(realm.dynamicObjects("ObservedOwner").first)
        track { #expect(found["name"] as? String == "o") }
        try realm.write { owner.name = "q" }
        #expect(calls.take() == 1)
    }

    @Test("results are notified when an object comes, goes or changes that they may depend on")
    func results() throws {
        let realm = try Realm(configuration: configuration)
        let owner = try fill(realm)
        let old = realm.objects(ObservedPet.self).where { $0.age > 1 }
        let named = realm.objects(ObservedOwner.self).where { $0.favourite.name == "p" }
        func reads() -> [() -> Void] {
            [
                { _ = old.count }, { _ = old.first }, { for _ in old {} }, { _ = old.isEmpty },
                { _ = named.count },
            ]
        }
        for read in reads() {
            for _ in 0..<2 {
                track(read)
                try realm.write { owner.pets[0].age += 1 }
                #expect(calls.take() == 1)
            }
        }
        track { _ = old.count }
        try realm.write { owner.name += "x" }
        #expect(calls.take() == 0, "another type")
    }

    @Test("on a queue it is notified of commits of others by itself, and the realm still closes")
    func queue() throws {
        let other = try openOther()
        let otherOwner = try fill(other)
        let queue = DispatchQueue(label: "tracking")
        weak var released: AnyObject?
        try queue.sync {
            let realm = try Realm(configuration: configuration, queue: queue)
            let owner = realm.objects(ObservedOwner.self)[0]
            held.realm = realm
            track { #expect(owner.name == "o") }
            released = owner
        }
        try other.write { otherOwner.name = "x" }
        let end = Date(timeIntervalSinceNow: 60)
        while calls.isEmpty, Date() < end { usleep(1000) }
        #expect(calls.take() == 1)
        queue.sync {
            #expect(held.realm?.objects(ObservedOwner.self)[0].name == "x")
            let realm = held.realm!
            track { _ = realm.objects(ObservedOwner.self)[0].name }
            held.realm = nil
        }
        queue.sync {}
        #expect(released == nil)
    }

    @Test("once autorefresh is set again it is notified of what was committed before")
    func autorefreshAgain() throws {
        let other = try openOther()
        let otherOwner = try fill(other)
        let queue = DispatchQueue(label: "tracking")
        try queue.sync {
            let realm = try Realm(configuration: configuration, queue: queue)
            held.realm = realm
            realm.autorefresh = false
            track { #expect(realm.objects(ObservedOwner.self)[0].name == "o") }
        }
        queue.sync {}
        try other.write { otherOwner.name = "x" }
        // The block that the commit sent.
        queue.sync {}
        #expect(calls.isEmpty)
        queue.sync { held.realm?.autorefresh = true }
        let deadline = Deadline(seconds: 60)
        while calls.isEmpty, !deadline.isOver { usleep(1000) }
        #expect(calls.take() == 1)
        queue.sync { held.realm = nil }
    }

    @Test("a commit of others that came before a transaction over two turns is notified at its end")
    func longTransaction() throws {
        let other = try openOther()
        let otherOwner = try fill(other)
        let queue = DispatchQueue(label: "tracking")
        try queue.sync {
            let realm = try Realm(configuration: configuration, queue: queue)
            held.realm = realm
            track { #expect(realm.objects(ObservedOwner.self)[0].name == "o") }
        }
        // The block that the subscription sent.
        queue.sync {}
        let hasBegun = DispatchSemaphore(value: 0)
        let mayBegin = DispatchSemaphore(value: 0)
        queue.async { [held] in
            mayBegin.wait()
            held.realm?.beginWrite()
            hasBegun.signal()
        }
        try other.write { otherOwner.name = "x" }
        mayBegin.signal()
        hasBegun.wait()
        // The block that the commit sent finds the transaction open.
        queue.sync {}
        #expect(calls.isEmpty)
        queue.sync { held.realm?.cancelWrite() }
        #expect(calls.take() == 1)
        queue.sync { held.realm = nil }
    }

    private let held = Held()

    @Test("objects that are read in a loop, frozen or in another realm are read as ever")
    func others() throws {
        let realm = try Realm(configuration: configuration)
        let owner = try fill(realm)
        try realm.write {
            for age in 2...100 { _ = realm.create(ObservedPet.self, value: ["age": age]) }
        }
        track {
            #expect(realm.objects(ObservedPet.self).reduce(0) { $0 + $1.age } == 5050)
            #expect(realm.objects(ObservedPet.self).sum(of: \.age) == 5050)
        }
        try realm.write { realm.objects(ObservedPet.self)[50].age = 0 }
        #expect(calls.take() == 1)
        let frozen = owner.freeze()
        track { #expect(frozen.name == "o" && frozen.pets.count == 1) }
        try realm.write { owner.name = "n" }
        #expect(calls.take() == 0)
        #expect(frozen.name == "o" && frozen.thaw()?.name == "n")
        let plain = ObservedOwner(value: ["name": "plain"])
        track { #expect(plain.name == "plain") }
        plain.name = "other"
        #expect(calls.take() == 0)
    }
}

class TrackedTarget: Object {
    @Persisted(originProperty: "target") var sources: LinkingObjects<TrackedSource>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class TrackedSource: Object {
    @Persisted var name: String
    @Persisted var target: TrackedTarget?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class TrackedDerivedSource: TrackedSource {}
