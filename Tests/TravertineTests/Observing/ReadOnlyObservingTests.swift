import Dispatch
import Foundation
import TestSupport
import Testing

@testable import Travertine
@testable import TravertineStore

/// Documentation/Live.md 3, T7: read-only realms beside a writer.
@Suite("Observing in a read-only realm")
struct ReadOnlyObservingTests {
    let directory = try! TemporaryDirectory()

    private static func configuration(
        _ path: String, readOnly: Bool = false, durability: Durability = .commit
    ) -> Realm.Configuration {
        Realm.Configuration(
            fileURL: URL(filePath: path, directoryHint: .notDirectory), readOnly: readOnly,
            objectTypes: [ObservedPet.self, ObservedOwner.self, ObservedAddress.self],
            durability: durability)
    }

    private var path: String { directory.path("realm") }

    private func openWriter(_ durability: Durability = .commit) throws -> Realm {
        let realm = try Realm(configuration: Self.configuration(path, durability: durability))
        if realm.isEmpty {
            try realm.write {
                realm.create(ObservedOwner.self, value: ["id": 1, "name": "o"])
                    .pets.append(realm.create(ObservedPet.self, value: ["name": "p", "age": 1]))
            }
        }
        return realm
    }

    private func fill() throws { _ = try openWriter() }

    /// Not across an `await`, after which a task is elsewhere.
    private func add() throws {
        let realm = try openWriter()
        try realm.write { _ = realm.create(ObservedPet.self) }
    }

    private func openReader() throws -> Realm {
        try Realm(configuration: Self.configuration(path, readOnly: true))
    }

    @Test("on a queue its results, objects, collections and the realm are notified by themselves")
    func queue() throws {
        let writer = try openWriter()
        let queue = DispatchQueue(label: "reading")
        let reports = SharedReports()
        let held = Held()
        try queue.sync {
            let realm = try Realm(
                configuration: Self.configuration(path, readOnly: true), queue: queue)
            let owner = realm.objects(ObservedOwner.self)[0]
            held.tokens = [
                realm.objects(ObservedPet.self).where { $0.age > 1 }.observe { change in
                    if case .update(let pets, _, _, _) = change {
                        reports.note("results \(pets.count)")
                    }
                },
                owner.observe { change in
                    if case .change(let owner, let properties) = change {
                        reports.note("object \(owner.name) \(properties.map(\.name))")
                    }
                },
                owner.pets.observe { change in
                    if case .update(let pets, _, let insertions, _) = change {
                        reports.note("list \(pets.count) \(insertions)")
                    }
                },
                realm.observe { notification, _ in reports.note("realm \(notification)") },
            ]
        }
        queue.sync {}
        try writer.write {
            let owner = writer.objects(ObservedOwner.self)[0]
            owner.name = "q"
            owner.pets.append(writer.create(ObservedPet.self, value: ["name": "r", "age": 2]))
        }
        let expected = [
            "results 1", #"object q ["name", "pets"]"#, "list 2 [1]", "realm didChange",
        ]
        #expect(reports.wait { $0 == expected })
        queue.sync { held.tokens = [] }
    }

    private actor Watcher {
        private var counts: [Int] = []
        private var token: NotificationToken?

        func open(_ configuration: Realm.Configuration) async throws {
            let realm = try await Realm.open(configuration: configuration)
            token = await realm.objects(ObservedPet.self).observe(on: self) { watcher, change in
                if case .update(let pets, _, _, _) = change { watcher.counts.append(pets.count) }
            }
            // Reports `.initial`.
            realm.refresh()
        }

        func has(_ expected: [Int]) -> Bool { counts == expected }
        func end() { token = nil }
    }

    @Test("on an actor it is notified, and again after everybody had stopped observing")
    func onActor() async throws {
        try fill()
        for number in 2...3 {
            let watcher = Watcher()
            try await watcher.open(Self.configuration(path, readOnly: true))
            try add()
            let deadline = Deadline(seconds: 30)
            while await !watcher.has([number]), !deadline.isOver { await Task.yield() }
            #expect(await watcher.has([number]))
            await watcher.end()
        }
    }

    @Test("a commit is shown by refresh() once it is durable, and not before")
    func durableOnly() throws {
        let writer = try openWriter(.unsynced)
        try writer.store.sync()
        let reader = try openReader()
        let pets = reader.objects(ObservedPet.self)
        #expect(pets.count == 1)
        let reports = Reports()
        let token = pets.observe { reports.note($0) }
        _ = reader.refresh()
        #expect(reports.take() == ["initial"])
        try writer.write { _ = writer.create(ObservedPet.self) }
        #expect(!reader.refresh())
        #expect(pets.count == 1)
        try writer.store.sync()
        #expect(pets.count == 1)
        #expect(reader.refresh())
        #expect(pets.count == 2)
        #expect(reports.take() == ["-[] +[1] ~[]"])
        token.invalidate()
    }

    @Test("a realm that is opened later shows the newest durable commit")
    func openedLater() throws {
        let writer = try openWriter()
        let reader = try openReader()
        #expect(reader.objects(ObservedPet.self).count == 1)
        try writer.write { _ = writer.create(ObservedPet.self) }
        let configuration = Self.configuration(path, readOnly: true)
        let queue = DispatchQueue(label: "other")
        let count = try queue.sync {
            try Realm(configuration: configuration, queue: queue).objects(ObservedPet.self).count
        }
        #expect(count == 2)
        #expect(reader.objects(ObservedPet.self).count == 1)
    }

    @Test("without autorefresh it is notified that it can be refreshed")
    func autorefresh() throws {
        let writer = try openWriter()
        let queue = DispatchQueue(label: "reading")
        let reports = SharedReports()
        let held = Held()
        try queue.sync {
            let realm = try Realm(
                configuration: Self.configuration(path, readOnly: true), queue: queue)
            realm.autorefresh = false
            held.realm = realm
            held.tokens = [realm.observe { notification, _ in reports.note("\(notification)") }]
        }
        try writer.write { _ = writer.create(ObservedPet.self) }
        #expect(reports.wait { $0 == ["refreshRequired"] }, "\(reports.all)")
        queue.sync {
            #expect(held.realm?.objects(ObservedPet.self).count == 1)
            #expect(held.realm?.refresh() == true)
            #expect(held.realm?.objects(ObservedPet.self).count == 2)
            held.tokens = []
            held.realm = nil
        }
    }

    @Test("where the log can't be followed the files are opened anew, and changes are still right")
    func openedAnew() throws {
        let writer = try openWriter()
        try writer.write {
            for age in 2...600 { _ = writer.create(ObservedPet.self, value: ["age": age]) }
        }
        let reader = try openReader()
        let pets = reader.objects(ObservedPet.self)
        let old = pets.where { $0.age > 300 }
        // Columns and summaries of the first index are there.
        for _ in 0..<3 { #expect(old.count == 300) }
        let reports = Reports()
        let tokens = [old.observe { reports.note($0) }, pets[0].observe { reports.note($0) }]
        _ = reader.refresh()
        #expect(reports.take() == ["initial"])
        let followed = try #require(reader.session.shared.reader)
        let first = reader.freeze()
        for round in 1...5 {
            try writer.write {
                writer.objects(ObservedPet.self)[0].name = "n\(round)"
                writer.objects(ObservedPet.self)[300 + round].age = 10
            }
            if round % 2 == 1 { try followed.refresh(isFollowing: false) }
            #expect(reader.refresh())
            #expect(reports.take() == ["-[\(1)] +[] ~[]", "name"])
            for _ in 0..<3 { #expect(old.count == 300 - round) }
            #expect(pets.filter { $0.age > 300 }.count == 300 - round)
            #expect(pets[0].name == "n\(round)")
        }
        #expect(first.objects(ObservedPet.self).where { $0.age > 300 }.count == 300)
        #expect(first.thaw().objects(ObservedPet.self)[0].name == "n5")
        for token in tokens { token.invalidate() }
    }

    @Test("a store that took the place of the one that is read is refused, and never mixed with it")
    func replaced() throws {
        var writer: Realm? = try openWriter()
        var reader: Realm? = try openReader()
        #expect(reader?.objects(ObservedPet.self).count == 1)
        let reports = Reports()
        var token = reader?.objects(ObservedPet.self).observe { reports.note($0) }
        _ = reader?.refresh()
        writer = nil
        try FileManager.default.moveItem(atPath: path, toPath: directory.path("before"))
        let next = try openWriter()
        try next.write { _ = next.create(ObservedPet.self) }
        #expect(reader?.refresh() == false)
        #expect(reader?.objects(ObservedPet.self).count == 1)
        #expect(reports.take() == ["initial"])
        let error = #expect(throws: Realm.Error.self) { try openReader() }
        #expect(error?.description.contains("replaced by another") == true)
        token?.invalidate()
        token = nil
        reader = nil
        #expect(try openReader().objects(ObservedPet.self).count == 2)
    }

    @Test("where another store is in the place, nobody is called for it again and again")
    func replacedWhileFollowing() async throws {
        try fill()
        let reader = try StoreReader.open(at: path)
        let follower = ReaderFollower(reader)
        let reports = SharedReports()
        let subscription = follower.subscribe { reports.note("called") }
        try FileManager.default.moveItem(atPath: path, toPath: directory.path("before"))
        try add()
        #expect(reports.wait { $0 == ["called"] })
        let deadline = Deadline(seconds: 30)
        while follower.isFollowing, !deadline.isOver { await Task.yield() }
        #expect(!follower.isFollowing)
        #expect(reports.all == ["called"])
        withExtendedLifetime(subscription) {}
    }

    @Test("after the files were opened anew, the index before is let go of")
    func letsGo() throws {
        let writer = try openWriter()
        let reader = try openReader()
        let pets = reader.objects(ObservedPet.self)
        for _ in 0..<3 { #expect(pets.where { $0.age > 0 }.count == 1) }
        let reports = Reports()
        let token = pets.observe { reports.note($0) }
        reader.refresh()
        let followed = try #require(reader.session.shared.reader)
        weak let first = followed.currentStore
        #expect(first != nil)
        for _ in 0..<2 {
            try writer.write { _ = writer.create(ObservedPet.self, value: ["age": 1]) }
            try followed.refresh(isFollowing: false)
            #expect(reader.refresh())
            for _ in 0..<3 { _ = pets.where { $0.age > 0 }.count }
        }
        #expect(first == nil)
        #expect(reports.take() == ["initial", "-[] +[1] ~[]", "-[] +[2] ~[]"])
        token.invalidate()
    }

    @Test("without autorefresh it is not notified of what compaction commits")
    func maintenance() async throws {
        let (lsn, reports, held, queue) = try openUnrefreshed()
        try compact()
        let deadline = Deadline(seconds: 60)
        while lsn() <= lsn.before, !deadline.isOver { await Task.yield() }
        #expect(lsn() > lsn.before)
        // What a notification would come after.
        queue.sync {}
        queue.sync {}
        #expect(reports.all == [])
        try add()
        #expect(reports.wait { $0 == ["refreshRequired"] }, "\(reports.all)")
        queue.sync {
            held.tokens = []
            held.realm = nil
        }
    }

    /// What a reader has read.
    private struct ReadLSN {
        let reader: StoreReader
        let before: UInt64

        func callAsFunction() -> UInt64 { reader.lsn }
    }

    private func openUnrefreshed() throws -> (ReadLSN, SharedReports, Held, DispatchQueue) {
        let writer = try openWriter()
        try writer.write {
            for age in 0..<2000 { _ = writer.create(ObservedPet.self, value: ["age": age]) }
        }
        try writer.write { writer.delete(writer.objects(ObservedPet.self).where { $0.age > 2 }) }
        let queue = DispatchQueue(label: "reading")
        let reports = SharedReports()
        let held = Held()
        let lsn = try queue.sync {
            let realm = try Realm(
                configuration: Self.configuration(path, readOnly: true), queue: queue)
            realm.autorefresh = false
            held.realm = realm
            _ = realm.objects(ObservedPet.self).count
            held.tokens = [realm.observe { notification, _ in reports.note("\(notification)") }]
            let reader = try #require(realm.session.shared.reader)
            return ReadLSN(reader: reader, before: reader.lsn)
        }
        queue.sync {}
        return (lsn, reports, held, queue)
    }

    private func compact() throws {
        let writer = try openWriter()
        try writer.store.compact()
        withExtendedLifetime(writer) {}
    }

    @Test("a writer in another process wakes it, commit after commit")
    func otherProcess() async throws {
        _ = try openWriter()
        let queue = DispatchQueue(label: "reading")
        let reports = SharedReports()
        let held = Held()
        let path = path
        try queue.sync {
            let realm = try Realm(
                configuration: Self.configuration(path, readOnly: true), queue: queue)
            held.tokens = [
                realm.objects(ObservedPet.self).observe { change in
                    guard case .update(let pets, _, let insertions, _) = change else { return }
                    reports.note("\(insertions) \(pets.last?.name ?? "")")
                    FileManager.default.createFile(
                        atPath: path + ".seen\(pets.count - 1)", contents: nil)
                }
            ]
        }
        await #expect(processExitsWith: .success) { [path = path as String] in
            let realm = try Realm(configuration: ReadOnlyObservingTests.configuration(path))
            for number in 1...20 {
                try realm.write {
                    _ = realm.create(ObservedPet.self, value: ["name": "\(number)"])
                }
                let deadline = ContinuousClock.now + .seconds(60)
                while !FileManager.default.fileExists(atPath: path + ".seen\(number)") {
                    guard ContinuousClock.now < deadline else { throw Stop() }
                    usleep(500)
                }
            }
        }
        #expect(reports.all == (1...20).map { "[\($0)] \($0)" })
        queue.sync { held.tokens = [] }
    }
}
