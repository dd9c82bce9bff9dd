import Foundation
import RealmSwift
import TestSupport
import Testing

@Suite("References to other threads")
struct ThreadSafeReferenceTests {
    private func configuration(_ directory: TemporaryDirectory) -> Realm.Configuration {
        Realm.Configuration(
            fileURL: directory.url, objectTypes: Valley.classes, durability: .unsynced)
    }

    private func valley(_ directory: TemporaryDirectory) throws -> Valley {
        let realm = try directory.open(Valley.classes)
        try realm.write { _ = addValley(realm, 1) }
        return try #require(realm.objects(Valley.self).first)
    }

    @Test("a reference to everything that has a realm is resolved on another thread, and is live")
    func resolving() throws {
        let directory = TemporaryDirectory()
        let valley = try valley(directory)
        let realm = try #require(valley.realm)
        let object = ThreadSafeReference(to: valley)
        let list = ThreadSafeReference(to: valley.glaciers)
        let set = ThreadSafeReference(to: valley.words)
        let map = ThreadSafeReference(to: valley.measures)
        let links = ThreadSafeReference(to: valley.streams)
        let results = ThreadSafeReference(to: realm.objects(Glacier.self).where { $0.length > 0 })
        let view = ThreadSafeReference(to: ValleyView(projecting: valley))
        let hut = ThreadSafeReference(to: try #require(valley.hut))
        let dynamic = ThreadSafeReference(to: realm.dynamicObjects("Valley")[0])
        #expect(!object.isInvalidated)
        let configuration = configuration(directory)
        try onThreads(1) { _ in
            let realm = try Realm(configuration: configuration)
            let valley = try #require(realm.resolve(object))
            try realm.write { valley.name = "changed elsewhere" }
            #expect(realm.resolve(list)?.count == 3 && realm.resolve(set)?.count == 2)
            #expect(realm.resolve(map)?["snow"] == 1 && realm.resolve(links)?.count == 1)
            let longer = try #require(realm.resolve(results))
            #expect(longer.count == 2 && !longer.isFrozen)
            #expect(realm.resolve(view)?.name == "changed elsewhere")
            #expect(realm.resolve(hut)?.beds == 1)
            #expect(realm.resolve(dynamic)?["name"] as? String == "changed elsewhere")
        }
        #expect(object.isInvalidated)
        realm.refresh()
        #expect(valley.name == "changed elsewhere")
    }

    @Test("resolving shows at least the version of the reference")
    func newer() throws {
        let directory = TemporaryDirectory()
        let valley = try valley(directory)
        let configuration = configuration(directory)
        let (isReady, isMade) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        nonisolated(unsafe) var reference: ThreadSafeReference<Valley>?
        let group = DispatchGroup()
        group.enter()
        nonisolated(unsafe) var name: String?
        Thread.detachNewThread {
            if let realm = try? Realm(configuration: configuration),
                realm.objects(Valley.self).count == 1
            {
                isReady.signal()
                isMade.wait()
                name = reference.flatMap { realm.resolve($0) }?.name
            }
            group.leave()
        }
        isReady.wait()
        try valley.realm?.write { valley.name = "newest" }
        reference = ThreadSafeReference(to: valley)
        isMade.signal()
        group.wait()
        #expect(name == "newest")
    }

    @Test("a reference to something that was deleted since is resolved to nil")
    func deleted() throws {
        let directory = TemporaryDirectory()
        let valley = try valley(directory)
        let realm = try #require(valley.realm)
        let (object, list) = (
            ThreadSafeReference(to: valley), ThreadSafeReference(to: valley.heights)
        )
        let links = ThreadSafeReference(to: valley.streams)
        let narrowed = ThreadSafeReference(to: valley.glaciers.where { $0.length > 0 })
        try realm.write { realm.delete(valley) }
        let configuration = configuration(directory)
        try onThreads(1) { _ in
            let realm = try Realm(configuration: configuration)
            #expect(realm.resolve(object) == nil && realm.resolve(list) == nil)
            #expect(realm.resolve(links) == nil && realm.resolve(narrowed) == nil)
        }
    }

    @Test("a reference is resolved inside a write transaction")
    func inWrite() throws {
        let directory = TemporaryDirectory()
        let valley = try valley(directory)
        let reference = ThreadSafeReference(to: valley)
        let configuration = configuration(directory)
        try onThreads(1) { _ in
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.resolve(reference)?.depth = 12 }
        }
        valley.realm?.refresh()
        #expect(valley.depth == 12)
    }

    @Test("a reference to something frozen is resolved to the live thing")
    func toFrozen() throws {
        let directory = TemporaryDirectory()
        let valley = try valley(directory)
        let realm = try #require(valley.realm)
        let reference = ThreadSafeReference(to: valley.freeze())
        #expect(realm.resolve(reference) == valley)
    }

    @Test("a ThreadSafe variable is live on each thread, and nil once its object was deleted")
    func variable() throws {
        let directory = TemporaryDirectory()
        let valley = try valley(directory)
        let realm = try #require(valley.realm)
        @ThreadSafe var shared: Valley? = valley
        @ThreadSafe var list: List<Int>? = valley.heights
        @ThreadSafe var frozen: Valley? = valley.freeze()
        let (held, heldList, heldFrozen) = ($shared, $list, $frozen)
        for number in 1...3 {
            try onThreads(1) { _ in
                let valley = try #require(held.wrappedValue)
                #expect(
                    !valley.isFrozen && valley.depth == (number == 1 ? 0.5 : Double(number - 1)))
                try valley.realm?.write { valley.depth = Double(number) }
                #expect(heldList.wrappedValue.map { Array($0) } == [1, 2])
                #expect(heldFrozen.wrappedValue?.depth == 0.5)
            }
        }
        #expect(shared?.depth == 3 && frozen?.isFrozen == true)
        try realm.write { realm.delete(valley) }
        #expect(shared == nil && list == nil && frozen?.name == "valley 1")
        shared = nil
        #expect(shared == nil)
    }

    @Test("thawing on a queue or an actor gives the realm of that")
    func confinements() async throws {
        let directory = TemporaryDirectory()
        let configuration = configuration(directory)
        let frozen = try {
            let realm = try Realm(configuration: configuration)
            try realm.write { _ = addValley(realm, 1) }
            return Frozen(realm.objects(Valley.self)[0])
        }()
        let queue = DispatchQueue(label: "frozen")
        let isSame = try queue.sync {
            let realm = try Realm(configuration: configuration, queue: queue)
            return frozen.value.thaw()?.realm == realm
        }
        #expect(isSame)
        #expect(try await ThawingActor().thaws(frozen, configuration))
    }
}

private actor ThawingActor {
    /// Whether thawing gives an object of the actor's realm.
    func thaws(_ frozen: Frozen<Valley>, _ configuration: Realm.Configuration) async throws -> Bool
    {
        let realm = try await Realm.open(configuration: configuration)
        let valley = frozen.value.thaw()
        await Task.yield()
        try realm.write { valley?.depth = 3 }
        return valley?.realm == realm && valley?.depth == 3
    }
}
