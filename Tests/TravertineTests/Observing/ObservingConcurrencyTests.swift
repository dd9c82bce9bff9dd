import Dispatch
import Foundation
import Locks
import Observation
import TestSupport
import Testing

@testable import Travertine

/// Documentation/Live.md, section 2, while several threads write. Also run under the thread
/// sanitizer.
@Suite("Observing while threads write", .serialized)
struct ObservingConcurrencyTests {
    private let directory = TemporaryDirectory()
    private let watch = HerdWatch()

    private static let writerCount = 3
    private static let roundCount = 40

    private func configuration(tracksReads: Bool = false) -> Realm.Configuration {
        var configuration = Realm.Configuration(
            fileURL: directory.url,
            objectTypes: [ObservedPet.self, ObservedOwner.self, ObservedAddress.self],
            durability: .unsynced)
        configuration.tracksReads = tracksReads
        return configuration
    }

    private func open() throws -> Realm {
        let realm = try Realm(configuration: configuration())
        if realm.isEmpty { try realm.write { Herd.fill(realm) } }
        return realm
    }

    /// Starts threads that write. Now and then each waits until observers have noticed something.
    private func startWriters() -> DispatchGroup {
        let configuration = configuration()
        return Self.start(Self.writerCount) { [watch] number in
            var random = SeededRandom(seed: UInt64(number))
            do {
                let realm = try Realm(configuration: configuration)
                for round in 0..<Self.roundCount {
                    let before = watch.noticeCount
                    try realm.write { Herd.change(realm, "\(number).\(round)", &random) }
                    if round % 8 == 0, !watch.wait({ $0.noticeCount > before }) { return }
                }
            } catch {
                watch.fail("writer \(number): \(error)")
            }
        }
    }

    /// Starts threads; the group is left by each at its end.
    private static func start(
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

    private func writeEnd() throws {
        let realm = try open()
        try realm.write { _ = realm.create(ObservedPet.self, value: ["name": Herd.end]) }
    }

    // MARK: Queues, actors and sequences

    private struct Held: @unchecked Sendable {
        // Used on its queue.
        var realm: Realm
        var token: NotificationToken
    }

    private func follow(on queue: DispatchQueue, sorted: Bool) throws -> Held {
        let follower = HerdFollower(queue.label, watch)
        return try queue.sync {
            let realm = try Realm(configuration: configuration(), queue: queue)
            let pets = realm.objects(ObservedPet.self)
            let shown = sorted ? pets.sorted(byKeyPath: "age") : pets
            return Held(realm: realm, token: shown.observe { follower.take($0) })
        }
    }

    /// Observes on a queue what the calling thread has.
    private func followElsewhere(on queue: DispatchQueue) throws -> NotificationToken {
        let follower = HerdFollower(queue.label, watch)
        return try open().objects(ObservedPet.self).observe(keyPaths: ["age"], on: queue) {
            follower.take($0)
        }
    }

    private actor Pen {
        private var realm: Realm?
        private var token: NotificationToken?

        func follow(_ name: String, _ watch: HerdWatch, _ configuration: Realm.Configuration)
            async throws
        {
            let realm = try await Realm.open(configuration: configuration)
            self.realm = realm
            let follower = HerdFollower(name, watch)
            token = await realm.objects(ObservedPet.self).observe(on: self) { _, change in
                follower.take(change)
            }
        }

        func loop(_ name: String, _ watch: HerdWatch, _ configuration: Realm.Configuration)
            async throws
        {
            let realm = try await Realm.open(configuration: configuration)
            let follower = HerdFollower(name, watch)
            for await change in realm.objects(ObservedPet.self).sorted(byKeyPath: "age").changes {
                follower.take(change)
                if watch.hasEnded(name) { return }
            }
        }

        func takeToken() -> NotificationToken? {
            realm = nil
            return token.take()
        }
    }

    @Test("observers of queues, actors and loops go step by step to the last commit")
    func following() async throws {
        _ = try open()
        let (plain, sorted) = (DispatchQueue(label: "plain"), DispatchQueue(label: "sorted"))
        let elsewhere = DispatchQueue(label: "elsewhere")
        var held = [try follow(on: plain, sorted: false), try follow(on: sorted, sorted: true)]
        var tokens = [try followElsewhere(on: elsewhere)]
        let pens = [Pen(), Pen()]
        for (number, pen) in pens.enumerated() {
            try await pen.follow("actor \(number)", watch, configuration())
        }
        let configuration = configuration()
        let loop = Task { [watch] in try await Pen().loop("loop", watch, configuration) }
        let writers = startWriters()
        await withCheckedContinuation { continuation in
            writers.notify(queue: .global()) { continuation.resume() }
        }
        try writeEnd()
        try await loop.value
        let names = ["plain", "sorted", "elsewhere", "actor 0", "actor 1", "loop"]
        let deadline = Deadline(seconds: 60)
        while !names.allSatisfy({ watch.hasEnded($0) }), !deadline.isOver { await Task.yield() }
        #expect(names.filter { !watch.hasEnded($0) } == [])
        #expect(watch.problems == [])
        // Released here, where none of the realms is used.
        for pen in pens { tokens += [await pen.takeToken()].compactMap(\.self) }
        tokens += held.map(\.token)
        for (queue, one) in zip([plain, sorted], held) {
            queue.sync { #expect(!one.realm.session.observations.isEmpty) }
        }
        held = []
        tokens = []
        while (try? Realm.deleteFiles(for: configuration)) == nil {
            try #require(!deadline.isOver, "something keeps the realm open")
            await Task.yield()
        }
    }

    // MARK: Tokens

    /// An observation, with another one that its block ends.
    private final class Pair: @unchecked Sendable {
        // Used on the queue.
        var second: NotificationToken?
        var isSecondEnded = false
    }

    @Test("tokens end on other threads, and in blocks, while blocks are called")
    func tokens() throws {
        _ = try open()
        let queue = DispatchQueue(label: "observed")
        nonisolated(unsafe) var realm: Realm?
        try queue.sync { realm = try Realm(configuration: configuration(), queue: queue) }
        // Somebody is notified until the writers have ended.
        let keptQueue = DispatchQueue(label: "kept")
        let kept = try follow(on: keptQueue, sorted: false)
        let ended = HerdLine<NotificationToken>()
        let enders = Self.start(2) { number in
            while let token = ended.next() {
                // The other thread lets go of it.
                if number == 0 { token.invalidate() }
            }
        }
        let writers = startWriters()
        var pairs: [Pair] = []
        for round in 0..<80 {
            let pair = Pair()
            pairs.append(pair)
            let tokens = queue.sync { () -> [NotificationToken] in
                let pets = realm!.objects(ObservedPet.self)
                let first = pets.observe { [watch] _ in
                    pair.second?.invalidate()
                    pair.isSecondEnded = true
                    watch.notice()
                }
                pair.second = pets.observe { [watch] _ in
                    if pair.isSecondEnded { watch.fail("called after the end") }
                }
                return [first, realm!.observe { [watch] _, _ in watch.notice() }]
            }
            ended.put(try followElsewhere(on: queue))
            if round % 4 == 0 { queue.sync { pair.second = nil } }
            // Some are ended before they were notified, others after that.
            if round % 2 == 0 { queue.sync {} }
            for token in tokens { ended.put(token) }
        }
        writers.wait()
        ended.end(2)
        enders.wait()
        kept.token.invalidate()
        keptQueue.sync {}
        queue.sync { for pair in pairs { pair.second = nil } }
        let count = watch.noticeCount
        try writeEnd()
        for _ in 0..<2 { queue.sync {} }
        keptQueue.sync {}
        #expect(watch.noticeCount == count)
        queue.sync {
            #expect(realm!.session.observations.isEmpty)
            realm = nil
        }
        #expect(watch.problems == [])
    }

    // MARK: Tracked reads and frozen results

    private struct Seen: Sendable {
        let pets: Frozen<Results<ObservedPet>>
        let names: [String]
    }

    /// Reads everything, tracked, and again after each change; used on its queue.
    private final class TrackingReader: @unchecked Sendable {
        private let queue: DispatchQueue
        private let watch: HerdWatch
        private let seen: HerdLine<Seen>
        private var realm: Realm?

        init(
            _ queue: DispatchQueue, _ watch: HerdWatch, _ seen: HerdLine<Seen>,
            _ configuration: Realm.Configuration
        ) throws {
            (self.queue, self.watch, self.seen) = (queue, watch, seen)
            realm = try queue.sync { try Realm(configuration: configuration, queue: queue) }
        }

        func read() {
            guard let pets = realm?.objects(ObservedPet.self) else { return }
            var (names, sum) = ([String](), 0)
            withObservationTracking {
                for pet in pets {
                    names.append(pet.name)
                    sum += pet.age
                }
            } onChange: { [self] in
                queue.async { [self] in read() }
            }
            if sum != Herd.sum { watch.fail("tracked: the sum is \(sum)") }
            seen.put(Seen(pets: Frozen(pets), names: names))
            watch.notice()
            if names.contains(Herd.end) {
                watch.end("tracked")
                realm = nil
            }
        }
    }

    @Test("what is tracked is read up to the last commit, and its frozen versions elsewhere")
    func trackedAndFrozen() throws {
        _ = try open()
        let queue = DispatchQueue(label: "tracked")
        let seen = HerdLine<Seen>()
        let reader = try TrackingReader(queue, watch, seen, configuration(tracksReads: true))
        let readers = Self.start(2) { [watch] _ in
            while let next = seen.next() {
                let pets = next.pets.value
                for _ in 0..<2 where pets.map(\.name) != next.names {
                    watch.fail("frozen: the names differ")
                }
                if pets.sum(of: \.age) != Herd.sum { watch.fail("frozen: another sum") }
                if pets.where({ $0.name == "0" }).count != next.names.count(where: { $0 == "0" }) {
                    watch.fail("frozen: a query finds others")
                }
            }
        }
        queue.sync { reader.read() }
        let writers = startWriters()
        writers.wait()
        try writeEnd()
        #expect(watch.wait { $0.ended.contains("tracked") })
        seen.end(2)
        readers.wait()
        #expect(watch.problems == [])
    }
}
