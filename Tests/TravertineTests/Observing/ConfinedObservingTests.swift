import Dispatch
import Foundation
import RealmSwift
import TestSupport
import Testing

/// Documentation/Live.md, section 2: observations on queues and actors, and sequences.
@Suite("Observing on queues and actors")
struct ConfinedObservingTests {
    let directory = try! TemporaryDirectory()

    private var configuration: Realm.Configuration {
        Realm.Configuration(
            fileURL: directory.url,
            objectTypes: [ObservedPet.self, ObservedOwner.self, ObservedAddress.self],
            durability: .unsynced)
    }

    private func write(_ name: String) throws {
        let realm = try Realm(configuration: configuration)
        try realm.write { _ = realm.create(ObservedPet.self, value: ["name": name]) }
    }

    private func change(_ body: (ObservedPet) -> Void) throws {
        let realm = try Realm(configuration: configuration)
        try realm.write { body(realm.objects(ObservedPet.self)[0]) }
    }

    @Test("a realm of a queue is notified of the commits of other threads by itself")
    func queue() throws {
        let queue = DispatchQueue(label: "observing")
        let reports = SharedReports()
        let held = Held()
        try queue.sync {
            let realm = try Realm(configuration: configuration, queue: queue)
            held.tokens.append(realm.objects(ObservedPet.self).observe { reports.note($0) })
            held.tokens.append(realm.observe { notification, _ in reports.note("\(notification)") })
        }
        #expect(reports.wait { $0 == ["initial"] })
        try write("a")
        #expect(reports.wait { $0 == ["initial", "-[] +[0] ~[]", "didChange"] })
        queue.sync { held.tokens[0].invalidate() }
        try write("b")
        #expect(reports.wait { $0.count == 4 && $0[3] == "didChange" })
        queue.sync { held.tokens = [] }
    }

    @Test("without autorefresh a realm of a queue is notified that it can be refreshed")
    func autorefresh() throws {
        let queue = DispatchQueue(label: "observing")
        let reports = SharedReports()
        let held = Held()
        try queue.sync {
            let realm = try Realm(configuration: configuration, queue: queue)
            #expect(realm.autorefresh)
            realm.autorefresh = false
            held.realm = realm
            held.tokens.append(realm.observe { notification, _ in reports.note("\(notification)") })
        }
        try write("a")
        #expect(reports.wait { $0 == ["refreshRequired"] }, "\(reports.all)")
        queue.sync {
            #expect(held.realm?.objects(ObservedPet.self).count == 0)
            #expect(held.realm?.refresh() == true)
        }
        #expect(reports.wait { $0 == ["refreshRequired", "didChange"] })
        queue.sync {
            held.tokens = []
            held.realm = nil
        }
    }

    @Test("once autorefresh is set again, what was committed before is shown and reported")
    func autorefreshAgain() throws {
        let queue = DispatchQueue(label: "observing")
        let reports = SharedReports()
        let held = Held()
        try queue.sync {
            let realm = try Realm(configuration: configuration, queue: queue)
            held.realm = realm
            held.tokens.append(realm.objects(ObservedPet.self).observe { reports.note($0) })
            realm.refresh()
            realm.autorefresh = false
        }
        try write("a")
        // The block that the commit sent.
        queue.sync {}
        #expect(reports.all == ["initial"])
        queue.sync { held.realm?.autorefresh = true }
        #expect(reports.wait { $0 == ["initial", "-[] +[0] ~[]"] }, "\(reports.all)")
        queue.sync {
            held.tokens = []
            held.realm = nil
        }
    }

    @Test("with a queue, collections and objects are handed over and observed there")
    func onQueue() throws {
        let queue = DispatchQueue(label: "observing")
        let reports = SharedReports()
        let realm = try Realm(configuration: configuration)
        try write("a")
        realm.refresh()
        let pets = realm.objects(ObservedPet.self)
        let token = pets.observe(on: queue) { change in
            dispatchPrecondition(condition: .onQueue(queue))
            reports.note(change)
        }
        #expect(reports.wait { $0 == ["initial"] })
        let objectToken = pets[0].observe(on: queue) { change in
            dispatchPrecondition(condition: .onQueue(queue))
            if case .change(let pet, let properties) = change {
                reports.note("\(pet.name) \(properties.map(\.name))")
            }
        }
        queue.sync {}
        try realm.write { pets[0].name = "b" }
        #expect(reports.wait { $0.contains(#"b ["name"]"#) && $0.contains("-[] +[] ~[0]") })
        token.invalidate()
        objectToken.invalidate()
        queue.sync {}
        // The observation can't begin before it is ended.
        queue.suspend()
        let ended = pets.observe(on: queue) { _ in reports.note("late") }
        ended.invalidate()
        queue.resume()
        queue.sync {}
        #expect(!reports.all.contains("late"))
    }

    @Test("what is committed of an object on the way is reported where it arrives, once")
    func changedOnTheWay() throws {
        let queue = DispatchQueue(label: "observing")
        let reports = SharedReports()
        let realm = try Realm(configuration: configuration)
        try realm.write {
            _ = realm.create(ObservedPet.self, value: ["name": "a"])
            _ = realm.create(ObservedOwner.self, value: ["id": 1, "name": "o"])
        }
        let pet = realm.objects(ObservedPet.self)[0]
        let owner = realm.objects(ObservedOwner.self)[0]
        queue.suspend()
        let tokens = [
            pet.observe(on: queue) { change in
                guard case .change(_, let properties) = change else { return }
                for property in properties {
                    reports.note(
                        "\(property.name) \(property.oldValue ?? "") \(property.newValue ?? "")")
                }
            },
            ObservedOwnerView(projecting: owner).observe(on: queue) { reports.note($0) },
        ]
        try realm.write {
            pet.name = "b"
            owner.name = "p"
        }
        queue.resume()
        #expect(reports.wait { $0 == ["name a b", "title"] }, "\(reports.all)")
        try realm.write { pet.age = 3 }
        #expect(reports.wait { $0 == ["name a b", "title", "age 0 3"] }, "\(reports.all)")
        for token in tokens { token.invalidate() }
    }

    @Test("an object that is deleted on the way is reported as deleted, once")
    func deletedOnTheWay() throws {
        let queue = DispatchQueue(label: "observing")
        let (reports, views) = (SharedReports(), SharedReports())
        let realm = try Realm(configuration: configuration)
        try realm.write {
            _ = realm.create(ObservedPet.self, value: ["name": "a"])
            _ = realm.create(ObservedOwner.self, value: ["id": 1])
        }
        let pet = realm.objects(ObservedPet.self)[0]
        let owner = realm.objects(ObservedOwner.self)[0]
        let view = ObservedOwnerView(projecting: owner)
        queue.suspend()
        let tokens = [
            pet.observe(on: queue) { change in
                dispatchPrecondition(condition: .onQueue(queue))
                reports.note(change)
            },
            view.observe(on: queue) { views.note($0) },
        ]
        let ended = pet.observe(on: queue) { _ in reports.note("late") }
        ended.invalidate()
        try realm.write {
            realm.delete(pet)
            realm.delete(owner)
        }
        queue.resume()
        #expect(reports.wait { $0 == ["deleted"] } && views.wait { $0 == ["deleted"] })
        try realm.write { _ = realm.create(ObservedPet.self, value: ["name": "b"]) }
        queue.sync {}
        queue.sync {}
        #expect(reports.all == ["deleted"] && views.all == ["deleted"])
        withExtendedLifetime(tokens) {}
    }

    private actor Watcher {
        var reports: [String] = []
        var tokens: [NotificationToken] = []

        func open(_ configuration: Realm.Configuration) async throws {
            let realm = try await Realm.open(configuration: configuration)
            tokens.append(
                await realm.objects(ObservedPet.self).observe(on: self) { watcher, change in
                    if case .update(let pets, _, let insertions, _) = change {
                        watcher.reports.append("\(pets.count) \(insertions)")
                    }
                })
            realm.refresh()
        }

        func has(_ expected: [String]) -> Bool { reports == expected }
        func end() { tokens = [] }
    }

    @Test("an actor is notified on itself")
    func actor() async throws {
        let watcher = Watcher()
        try await watcher.open(configuration)
        try write("a")
        try await wait { await watcher.has(["1 [0]"]) }
        try write("b")
        try await wait { await watcher.has(["1 [0]", "2 [1]"]) }
        await watcher.end()
    }

    private actor Reader {
        private(set) var names: [String] = []
        private(set) var counts: [Int] = []
        private(set) var isReady = false

        func readChanges(_ configuration: Realm.Configuration) async throws {
            let realm = try await Realm.open(configuration: configuration)
            for await change in realm.objects(ObservedPet.self).changes {
                isReady = true
                switch change {
                case .initial(let pets): counts.append(pets.count)
                case .update(let pets, _, _, _): counts.append(pets.count)
                case .error: break
                }
                if counts.last == 3 { return }
            }
        }

        func readValues(_ configuration: Realm.Configuration) async throws {
            let realm = try await Realm.open(configuration: configuration)
            for await name in realm.objects(ObservedPet.self)[0].values(of: \.name) {
                isReady = true
                names.append(name)
            }
            names.append("end")
        }

        private var pet: ObservedPet?
        private var held: CheckedContinuation<Void, Never>?

        /// Stays with the first value until `goOn` is called.
        func readValuesSlowly(_ configuration: Realm.Configuration) async throws {
            let realm = try await Realm.open(configuration: configuration)
            let pet = realm.objects(ObservedPet.self)[0]
            self.pet = pet
            for await name in pet.values(of: \.name) {
                names.append(name)
                if names.count == 1 { await withCheckedContinuation { held = $0 } }
            }
            names.append("end")
        }

        func isHeld(showing name: String) -> Bool { held != nil && pet?.name == name }

        func goOn() {
            held?.resume()
            held = nil
        }

        func wait(for configuration: Realm.Configuration) async throws -> Int {
            let realm = try await Realm.open(configuration: configuration)
            var count = 0
            for await _ in realm.objects(ObservedPet.self).changes {
                isReady = true
                count += 1
            }
            return count
        }
    }

    @Test("a loop over changes gets those of several commits as one, and never misses the last")
    func changes() async throws {
        let reader = Reader()
        let configuration = configuration
        let task = Task { try await reader.readChanges(configuration) }
        try await wait { await reader.isReady }
        for name in ["a", "b", "c"] { try write(name) }
        try await task.value
        let counts = await reader.counts
        #expect(counts.first == 0 && counts.last == 3)
        #expect(zip(counts, counts.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test("a loop over the values of a property ends with the object")
    func values() async throws {
        try write("first")
        let reader = Reader()
        let configuration = configuration
        let task = Task { try await reader.readValues(configuration) }
        try await wait { await reader.isReady }
        try change { $0.name = "second" }
        try await wait { await reader.names.count == 2 }
        try change { $0.realm?.delete($0) }
        try await task.value
        #expect(await reader.names == ["first", "second", "end"])
    }

    @Test("a loop that takes long over a value gets the newest one next")
    func newestValue() async throws {
        try write("first")
        let reader = Reader()
        let configuration = configuration
        let task = Task { try await reader.readValuesSlowly(configuration) }
        try await wait { await reader.isHeld(showing: "first") }
        for name in ["b", "c", "d"] {
            try change { $0.name = name }
            try await wait { await reader.isHeld(showing: name) }
        }
        await reader.goOn()
        try await wait { await reader.names.count == 2 }
        try change { $0.realm?.delete($0) }
        try await task.value
        #expect(await reader.names == ["first", "d", "end"])
    }

    @Test("a cancelled loop ends")
    func cancelling() async throws {
        let reader = Reader()
        let configuration = configuration
        let task = Task { try await reader.wait(for: configuration) }
        try await wait { await reader.isReady }
        task.cancel()
        #expect(try await task.value == 1)
    }

    private func wait(_ condition: () async -> Bool) async throws {
        let end = Deadline(seconds: 60)
        while await !condition() {
            try #require(!end.isOver, "nothing was reported in a minute")
            try await Task.sleep(for: .milliseconds(2))
        }
    }
}
