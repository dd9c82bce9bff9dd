import Dispatch
import Locks
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

/// Live 3, T-L3b: what asynchronous writes keep until they are done.
@Suite("Asynchronous writes of actors that nobody has any more")
struct AsyncWriteLifetimeTests {
    private let directory = TemporaryDirectory()

    private var configuration: Realm.Configuration {
        Realm.Configuration(
            fileURL: directory.url, objectTypes: [Deposit.self, Payment.self])
    }

    /// What completions were called with.
    private final class Outcomes: Sendable {
        private let errors = Locked<[(any Error)?]>([])

        func note(_ error: (any Error)?) { errors.withLock { $0.append(error) } }
        var count: Int { errors.withLock { $0.count } }
        var failures: [any Error] { errors.withLock { $0.compactMap(\.self) } }
    }

    /// Writes without a reference to itself in what it leaves to be called.
    private actor Writer {
        func write(_ configuration: Realm.Configuration, _ outcomes: Outcomes) async throws {
            let realm = try await Realm.open(configuration: configuration)
            realm.writeAsync {
                realm.add(Deposit(value: ["id": 1]))
            } onComplete: { error in
                outcomes.note(error)
            }
        }

        func begin(_ configuration: Realm.Configuration, _ outcomes: Outcomes) async throws {
            let realm = try await Realm.open(configuration: configuration)
            realm.beginAsyncWrite {
                realm.add(Deposit(value: ["id": 2]))
                realm.commitAsyncWrite { outcomes.note($0) }
            }
        }

        func commit(
            _ id: Int, _ configuration: Realm.Configuration, _ outcomes: Outcomes
        ) async throws {
            let realm = try await Realm.open(configuration: configuration)
            realm.beginWrite()
            realm.add(Deposit(value: ["id": id]))
            realm.commitAsyncWrite { outcomes.note($0) }
        }

        /// The realm, with a transaction that could not begin and was not ended.
        private var realm: Realm?

        func writeAfterFailedBeginning(
            _ configuration: Realm.Configuration, _ outcomes: Outcomes
        ) async throws {
            let realm = try await Realm.open(configuration: configuration)
            realm.session.damage = Realm.Error(.fail, "damaged")
            realm.beginWrite()
            self.realm = realm
            realm.writeAsync {
                realm.add(Deposit(value: ["id": 3]))
            } onComplete: { error in
                outcomes.note(error)
            }
        }

        func writeInTurn(_ configuration: Realm.Configuration) async throws {
            let realm = try await Realm.open(configuration: configuration)
            self.realm = realm
            try await realm.asyncWrite { realm.add(Deposit(value: ["id": 4])) }
        }

        func failBeginning() {
            realm?.session.damage = Realm.Error(.fail, "damaged")
            realm?.beginWrite()
        }

        /// Whether an `asyncWrite` has begun to wait for its turn.
        var isInLine: Bool { realm?.isPerformingAsynchronousWriteOperations ?? false }

        /// Whether the turn of an asynchronous write has come, and it waits for the other one.
        var isWaiting: Bool { realm?.session.asyncWrites.waiting != nil }

        func cancel() {
            realm?.cancelWrite()
            realm = nil
        }
    }

    private func wait(_ holds: () async -> Bool) async throws {
        let deadline = Deadline(seconds: 60)
        while await !holds() {
            try #require(!deadline.isOver, "it never happened")
            await Task.yield()
        }
    }

    private func ids() throws -> [Int] {
        try Realm(configuration: configuration).objects(Deposit.self).map(\.id).sorted()
    }

    /// A write transaction on a queue, for which others wait until it is cancelled.
    private func holdTurn() throws -> (DispatchQueue, Held) {
        let queue = DispatchQueue(label: "holder")
        let holder = Held()
        try queue.sync {
            holder.realm = try Realm(configuration: configuration, queue: queue)
            holder.realm?.beginWrite()
        }
        return (queue, holder)
    }

    @Test("what waits for its turn is written and reported, and lets go of the actor then")
    func pending() async throws {
        let configuration = configuration
        let (queue, holder) = try holdTurn()
        let outcomes = Outcomes()
        weak var first: Writer?
        weak var second: Writer?
        do {
            let (writer, beginner) = (Writer(), Writer())
            (first, second) = (writer, beginner)
            try await writer.write(configuration, outcomes)
            try await beginner.begin(configuration, outcomes)
        }
        #expect(outcomes.count == 0)
        queue.sync { holder.realm?.cancelWrite() }
        try await wait { outcomes.count == 2 }
        #expect(outcomes.failures.isEmpty)
        #expect(try ids() == [1, 2])
        try await wait { first == nil && second == nil }
        queue.sync { holder.realm = nil }
    }

    @Test("a write that waits gets the failure of a transaction that could not begin")
    func failedBeginningMeanwhile() async throws {
        let configuration = configuration
        let (queue, holder) = try holdTurn()
        let writer = Writer()
        let task = Task { try await writer.writeInTurn(configuration) }
        try await wait { await writer.isInLine }
        await writer.failBeginning()
        queue.sync { holder.realm?.cancelWrite() }
        let error = await #expect(throws: Realm.Error.self) { try await task.value }
        #expect(error?.message.contains("damaged") == true)
        await writer.cancel()
        #expect(try ids() == [])
        queue.sync { holder.realm = nil }
    }

    @Test("a commit that waits for the disk is reported")
    func committing() async throws {
        let configuration = configuration
        let outcomes = Outcomes()
        for id in 0..<20 {
            try await Writer().commit(id, configuration, outcomes)
        }
        try await wait { outcomes.count == 20 }
        #expect(outcomes.failures.isEmpty)
        #expect(try ids() == Array(0..<20))
    }

    @Test("what waits for the end of a transaction that could not begin is written after that")
    func afterFailedBeginning() async throws {
        let outcomes = Outcomes()
        weak var ended: Writer?
        do {
            let writer = Writer()
            ended = writer
            try await writer.writeAfterFailedBeginning(configuration, outcomes)
        }
        try await wait { await ended?.isWaiting ?? true }
        #expect(ended != nil, "it is kept")
        #expect(outcomes.count == 0)
        await ended?.cancel()
        try await wait { outcomes.count == 1 }
        #expect(outcomes.failures.isEmpty)
        #expect(try ids() == [3])
        try await wait { ended == nil }
    }
}
