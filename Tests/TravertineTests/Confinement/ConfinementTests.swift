import Foundation
import TestSupport
import Testing

@testable import Travertine

/// Live 3: T-L1 and T-L4.
@Suite("Where a realm may be used", .serialized)
struct ConfinementTests {
    private let directory = TemporaryDirectory()

    private var configuration: Realm.Configuration {
        Realm.Configuration(
            fileURL: directory.url, objectTypes: [Deposit.self, Payment.self],
            durability: .unsynced)
    }

    /// Calls `body` in a block of the queue, and waits for it.
    private func on<Result: Sendable>(
        _ queue: DispatchQueue, _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Swift.Result { try body() }) }
        }
    }

    @Test("a realm of a queue is used in its blocks, whichever threads run them")
    func queue() async throws {
        let configuration = configuration
        let queue = DispatchQueue(label: "deposits")
        nonisolated(unsafe) let realm = try Realm(configuration: configuration, queue: queue)
        try await on(queue) { try realm.write { realm.add(Deposit(value: ["id": 1])) } }
        nonisolated(unsafe) let deposit = try await on(queue) {
            ConfinedValue(realm.object(ofType: Deposit.self, forPrimaryKey: 1))
        }.value
        // `sync` runs blocks on the calling threads, of which these are many.
        await withTaskGroup { group in
            for _ in 0..<200 {
                group.addTask {
                    queue.sync {
                        do {
                            try realm.write { deposit?.amount += 1 }
                        } catch {
                            Issue.record(error)
                        }
                    }
                }
            }
        }
        #expect(try await on(queue) { deposit?.amount } == 200)
    }

    @Test("queues with the same target as theirs share its realm")
    func targetQueues() async throws {
        let configuration = configuration
        let wide = DispatchQueue(label: "wide", attributes: .concurrent)
        let queue = DispatchQueue(label: "target", target: wide)
        nonisolated(unsafe) let realm = try Realm(configuration: configuration, queue: queue)
        let children = (0..<3).map { DispatchQueue(label: "child \($0)", target: queue) }
        let grandchild = DispatchQueue(label: "grandchild", target: children[0])
        for (id, child) in (children + [grandchild]).enumerated() {
            try await on(child) { try realm.write { realm.add(Deposit(value: ["id": id])) } }
        }
        #expect(try await on(queue) { realm.objects(Deposit.self).count } == 4)
        let isSame = try await on(grandchild) {
            try Realm(configuration: configuration, queue: queue) == realm
        }
        #expect(isSame)
    }

    @Test("there is one realm for a queue, one for an actor, and one for the main queue")
    func caching() async throws {
        let configuration = configuration
        let queue = DispatchQueue(label: "cached")
        let realm = try Realm(configuration: configuration, queue: queue)
        #expect(try Realm(configuration: configuration, queue: queue) == realm)
        let other = DispatchQueue(label: "cached")
        #expect(try Realm(configuration: configuration, queue: other) != realm)
        #expect(try await Bank(configuration).hasOneRealm(configuration))
        try await Self.mainRealms(configuration)
    }

    @MainActor
    private static func mainRealms(_ configuration: Realm.Configuration) async throws {
        let realm = try await Realm(configuration: configuration)
        #expect(try await Realm(configuration: configuration, actor: MainActor.shared) == realm)
        #expect(try opened(configuration) == realm)
        #expect(try opened(configuration, .main) == realm)
        let isSame = await withCheckedContinuation { continuation in
            DispatchQueue.main.async {
                continuation.resume(
                    returning: Result { try opened(configuration).session.confinement.key })
            }
        }
        #expect(try isSame.get() == realm.session.confinement.key)
    }

    /// In synchronous code, which has the initialisers that do not wait.
    private static func opened(
        _ configuration: Realm.Configuration, _ queue: DispatchQueue? = nil
    ) throws -> Realm {
        try Realm(configuration: configuration, queue: queue)
    }

    @Test("tasks that run on one thread of a pool do not get each other's realm")
    func tasks() async throws {
        let configuration = configuration
        // Each is kept open beyond its task.
        let realms = try await withThrowingTaskGroup { group in
            for _ in 0..<20 {
                group.addTask { ConfinedValue(try Self.opened(configuration)) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let sessions = Set(realms.map { ObjectIdentifier($0.value.session) })
        #expect(sessions.count == 20)
    }

    @Test("an actor goes on with its realm on other threads after an await")
    func actorThreads() async throws {
        let bank = try await Bank(configuration)
        let count = try await bank.payOnSeveralThreads()
        #expect(try await bank.total() == count)
    }

    @Test("a realm does not keep its actor, nor what its actor has")
    func actorsEnd() async throws {
        let configuration = configuration
        weak var bank: Bank?
        do {
            let opened = try await Bank(configuration)
            try await opened.pay()
            bank = opened
        }
        // The block that takes a thread's number back may still be on its way.
        let deadline = Deadline(seconds: 60)
        while bank != nil, !deadline.isOver { await Task.yield() }
        #expect(bank == nil)
        // As long as a realm is open its files can't be deleted.
        while (try? Realm.deleteFiles(for: configuration)) == nil {
            try #require(!deadline.isOver)
            await Task.yield()
        }
    }

    private actor Place {}

    @Test("an actor at the address of one that has ended does not get its realm (T-L1b)")
    func freedAddress() throws {
        func open(_ place: Place) throws -> RealmSession {
            try Realm(configuration, .on(place), isHere: false).session
        }
        for _ in 0..<10_000 {
            let (identity, session) = try { () throws -> (ObjectIdentifier, RealmSession) in
                let ended = Place()
                return (ObjectIdentifier(ended), try open(ended))
            }()
            let place = Place()
            if ObjectIdentifier(place) != identity { continue }
            let next = try open(place)
            #expect(next.confinement.key == session.confinement.key)
            #expect(next !== session && !next.confinement.isSame(as: session.confinement))
            #expect(try open(place) === next)
            return
        }
        Issue.record("no address was used twice")
    }

    @Test("the number that a block took is given back when the queue goes on")
    func clearing() async throws {
        let queue = DispatchQueue(label: "clearing")
        nonisolated(unsafe) let realm = try Realm(
            configuration: configuration, queue: queue)
        #expect(realm.session.generation.pointee.thread == 0)
        let number = try await on(queue) { () -> UInt in
            _ = realm.isEmpty
            return realm.session.generation.pointee.thread
        }
        #expect(number != 0)
        let after = try await on(queue) { realm.session.generation.pointee.thread }
        #expect(after == 0)
    }

    @Test("misuse says where the realm is confined, and what to do", arguments: Misuser.allCases)
    func messages(_ misuser: Misuser) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [misuser = misuser as Misuser] in
            try await misuser.run()
        }
        for text in misuser.texts { #expect(result.errorText.contains(text), "\(text)") }
    }
}

enum Misuser: String, CaseIterable, Codable, Sendable {
    case thread, otherQueue, otherActor, endedActor, outsideMain, concurrentQueue, globalQueue

    var texts: [String] {
        switch self {
        case .thread:
            [
                "incorrect thread", "confined to the thread that opened it",
                "`try await Realm.open()`",
            ]
        case .otherQueue:
            ["incorrect thread", "confined to the queue 'own'", "blocks of that queue"]
        case .otherActor: ["incorrect thread", "confined to the actor Bank", "code of that actor"]
        case .endedActor:
            ["in the `deinit` of the actor LateWriter", "before the last reference to the actor"]
        case .outsideMain: ["confined to the main queue", "main actor"]
        case .concurrentQueue:
            ["Invalid queue 'wide'", "Realms can only be confined to serial queues"]
        case .globalQueue: ["Realms can only be confined to serial queues"]
        }
    }

    func run() async throws {
        let directory = TemporaryDirectory()
        let configuration = Realm.Configuration(
            fileURL: directory.url, objectTypes: [Deposit.self, Payment.self])
        switch self {
        case .thread:
            let realm = ConfinedValue(try opened(configuration, nil))
            Thread.detachNewThread { _ = realm.value.isEmpty }
        case .otherQueue:
            let realm = ConfinedValue(try opened(configuration, DispatchQueue(label: "own")))
            DispatchQueue(label: "other").async { _ = realm.value.isEmpty }
        case .otherActor:
            let bank = try await Bank(configuration)
            let realm = await bank.carriedRealm
            DispatchQueue(label: "other").async {
                // An actor that has ended is another mistake.
                withExtendedLifetime(bank) { _ = realm.value.isEmpty }
            }
        case .endedActor: try await LateWriter().open(configuration)
        case .outsideMain:
            let realm = try await Self.mainRealm(configuration)
            DispatchQueue(label: "other").async { _ = realm.value.isEmpty }
        case .concurrentQueue:
            _ = try opened(configuration, DispatchQueue(label: "wide", attributes: .concurrent))
        case .globalQueue: _ = try opened(configuration, .global())
        }
        try await Task.sleep(for: .seconds(60))
    }

    private func opened(
        _ configuration: Realm.Configuration, _ queue: DispatchQueue?
    ) throws -> Realm {
        try Realm(configuration: configuration, queue: queue)
    }

    @MainActor
    private static func mainRealm(
        _ configuration: Realm.Configuration
    ) async throws -> ConfinedValue<Realm> {
        ConfinedValue(try await Realm(configuration: configuration))
    }
}

/// Writes when nothing can be sent to it any more.
private actor LateWriter {
    private nonisolated(unsafe) var realm: Realm?

    func open(_ configuration: Realm.Configuration) async throws {
        realm = try await Realm.open(configuration: configuration)
    }

    deinit { realm?.writeAsync {} }
}
