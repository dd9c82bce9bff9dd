import Foundation
import TestSupport
import Testing

@testable import SegmentLog
@testable import Travertine
@testable import TravertineStore

/// Live 3: T-L2 and T-L3.
@Suite("Asynchronous writing", .serialized)
struct AsyncWriteTests {
    private let directory = TemporaryDirectory()

    private var configuration: Realm.Configuration {
        Realm.Configuration(
            fileURL: directory.url, objectTypes: [Deposit.self, Payment.self])
    }

    @Test("asyncWrite returns what its block does, when it is durable and visible")
    @MainActor
    func asyncWrite() async throws {
        let realm = try await Realm(configuration: configuration)
        let deposit = try await realm.asyncWrite {
            realm.create(Deposit.self, value: ["id": 1, "amount": 7])
        }
        #expect(deposit.amount == 7 && !realm.isInWriteTransaction)
        #expect(!realm.isPerformingAsynchronousWriteOperations)
        let statistics = try realm.store.statistics
        #expect(statistics.durableLSN == statistics.lastLSN)
    }

    @Test("a block that throws rolls its transaction back, and the next one writes")
    @MainActor
    func throwing() async throws {
        let realm = try await Realm(configuration: configuration)
        await #expect(throws: Stop.self) {
            try await realm.asyncWrite {
                realm.add(Deposit(value: ["id": 1]))
                throw Stop()
            }
        }
        #expect(realm.isEmpty && !realm.isInWriteTransaction)
        // A failure of what can't throw itself is the transaction's.
        let error = await #expect(throws: Realm.Error.self) {
            try await realm.asyncWrite {
                realm.add(Deposit(value: ["id": 1]))
                realm.add(Deposit(value: ["id": 1]))
            }
        }
        #expect(error?.code == .duplicatePrimaryKey)
        try await realm.asyncWrite { realm.add(Deposit(value: ["id": 2])) }
        #expect(realm.objects(Deposit.self).map(\.id) == [2])
    }

    @Test("an actor's open transaction keeps others waiting, on whatever thread its steps run")
    func openAcrossAwaits() async throws {
        let first = try await Bank(configuration)
        let second = try await Bank(configuration)
        for _ in 0..<20 {
            await first.begin()
            let others = (0..<3).map { _ in Task { try await second.pay() } }
            await Task.yield()
            try await first.commitPaying()
            for other in others { try await other.value }
        }
        #expect(try await first.refreshedTotal() == 80)
    }

    @Test("code of an actor that waits for the actor's own transaction gets an error")
    func actorsOwnTransaction() async throws {
        let bank = try await Bank(configuration)
        await bank.begin()
        let codes = await bank.codesOfSelfWaiting(configuration)
        #expect(codes == [.misuse, .misuse])
        try await bank.commitPaying()
    }

    @Test("a queue's open transaction does not stop other work of the thread that began it")
    func openAcrossBlocks() async throws {
        let configuration = configuration
        let queue = DispatchQueue(label: "open")
        let realm = ConfinedValue(try Self.open(configuration, queue))
        // Both queues run on this thread.
        queue.sync { realm.value.beginWrite() }
        let gate = realm.value.session.shared.store.gate
        let isInside: @Sendable () -> Bool = {
            let outcome = capture { () throws(StoreError) in try gate.checkNotInside() }
            if case .failure(let error) = outcome { return error.code == .misuse }
            return false
        }
        let other = DispatchQueue(label: "other")
        #expect(!other.sync(execute: isInside) && queue.sync(execute: isInside))
        try queue.sync { try realm.value.commitWrite() }
    }

    private static func open(
        _ configuration: Realm.Configuration, _ queue: DispatchQueue?
    ) throws -> Realm {
        try Realm(configuration: configuration, queue: queue)
    }

    @Test("a task that is cancelled while it waits leaves the line, and changes nothing")
    func cancelling() async throws {
        let holder = try await Bank(configuration)
        let waiting = try await Bank(configuration)
        await holder.begin()
        let tasks = (0..<10).map { _ in Task { try await waiting.payAsync() } }
        try await Self.waitUntil { await holder.lineLength() == 10 }
        for (index, task) in tasks.enumerated() where index % 2 == 0 { task.cancel() }
        for (index, task) in tasks.enumerated() where index % 2 == 0 {
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        #expect(await holder.lineLength() == 5)
        try await holder.commitPaying()
        for (index, task) in tasks.enumerated() where index % 2 == 1 { try await task.value }
        #expect(try await holder.refreshedTotal() == 6)
    }

    private static func waitUntil(_ condition: () async -> Bool) async throws {
        let deadline = Deadline(seconds: 60)
        while !(await condition()) {
            try #require(!deadline.isOver)
            await Task.yield()
        }
    }

    @Test("writes of callbacks run in order, and report when they are on the disk")
    @MainActor
    func callbacks() async throws {
        let realm = try await Realm(configuration: configuration)
        var events: [String] = []
        await withCheckedContinuation { continuation in
            realm.writeAsync {
                events.append("first")
                realm.add(Deposit(value: ["id": 1]))
            } onComplete: { error in
                events.append("first is done \(error == nil)")
            }
            realm.writeAsync {
                events.append("second")
                realm.add(Deposit(value: ["id": 2]))
                throw Stop()
            } onComplete: { error in
                events.append("second is done \(error == nil)")
            }
            realm.beginAsyncWrite {
                events.append("third")
                #expect(realm.isInWriteTransaction)
                realm.add(Deposit(value: ["id": 3]))
            }
            realm.beginAsyncWrite {
                realm.add(Deposit(value: ["id": 4]))
                realm.commitAsyncWrite { error in
                    events.append("fourth is done \(error == nil)")
                    continuation.resume()
                }
                #expect(!realm.isInWriteTransaction)
            }
            #expect(events.isEmpty && realm.isPerformingAsynchronousWriteOperations)
        }
        #expect(events.filter { !$0.contains("done") } == ["first", "second", "third"])
        #expect(events.contains("first is done true") && events.contains("second is done false"))
        #expect(events.last == "fourth is done true")
        #expect(realm.objects(Deposit.self).map(\.id) == [1, 4])
        #expect(!realm.isPerformingAsynchronousWriteOperations)
    }

    @Test("a cancelled write is not called; of a cancelled commit only the report is dropped")
    @MainActor
    func cancellingCallbacks() async throws {
        let realm = try await Realm(configuration: configuration)
        let cancelled = realm.writeAsync { Issue.record("it was cancelled") }
        try realm.cancelAsyncWrite(cancelled)
        #expect(!realm.isPerformingAsynchronousWriteOperations)
        realm.beginWrite()
        realm.add(Deposit(value: ["id": 1]))
        try realm.cancelAsyncWrite(
            realm.commitAsyncWrite { _ in Issue.record("it was cancelled") })
        try await realm.asyncWrite { realm.add(Deposit(value: ["id": 2])) }
        #expect(realm.objects(Deposit.self).count == 2)
        while realm.isPerformingAsynchronousWriteOperations { await Task.yield() }
    }

    @Test("a synchronous write goes before asynchronous ones that wait on the same queue")
    @MainActor
    func synchronousBetween() async throws {
        let realm = try await Realm(configuration: configuration)
        var done = 0
        for id in 0..<20 {
            realm.writeAsync {
                realm.add(Deposit(value: ["id": 2 * id]))
            } onComplete: { _ in
                done += 1
            }
            try Self.write(realm) { realm.add(Deposit(value: ["id": 2 * id + 1])) }
            if id % 5 == 0 { await Task.yield() }
        }
        while done < 20 { await Task.yield() }
        #expect(realm.objects(Deposit.self).count == 40)
    }

    private static func write(_ realm: Realm, _ block: () -> Void) throws {
        try realm.write { block() }
    }

    @Test("a read-only realm reports that it can't be written, by throwing and by callbacks")
    @MainActor
    func readOnly() async throws {
        let realm = try await Realm(configuration: configuration)
        try await realm.asyncWrite { realm.add(Deposit(value: ["id": 1])) }
        var configuration = configuration
        configuration.readOnly = true
        let reader = try await Realm(configuration: configuration)
        let refusal = await #expect(throws: Realm.Error.self) {
            try await reader.asyncWrite { Issue.record("it is read-only") }
        }
        #expect(refusal?.message.contains("The realm was opened with `readOnly: true`") == true)
        let errors = await withCheckedContinuation { continuation in
            var errors: [Bool] = []
            reader.writeAsync {
                Issue.record("it is read-only")
            } onComplete: {
                errors.append($0 != nil)
            }
            reader.beginAsyncWrite {
                reader.commitAsyncWrite {
                    errors.append($0 != nil)
                    continuation.resume(returning: errors)
                }
            }
        }
        #expect(errors == [true, true])
    }

    @Test("more states in use than allowed refuse the next transaction")
    @MainActor
    func activeVersions() async throws {
        var configuration = configuration
        configuration.maximumNumberOfActiveVersions = 3
        let realm = try await Realm(configuration: configuration)
        var snapshots: [Snapshot] = []
        for id in 0..<3 {
            try await realm.asyncWrite { realm.add(Deposit(value: ["id": id])) }
            snapshots.append(try realm.store.snapshot())
        }
        try await realm.asyncWrite { realm.add(Deposit(value: ["id": 3])) }
        let error = await #expect(throws: Realm.Error.self) {
            try await realm.asyncWrite { realm.add(Deposit(value: ["id": 4])) }
        }
        #expect(error?.message.contains("exceeded the limit of 3") == true)
        #expect(throws: Realm.Error.self) {
            try Self.write(realm) { realm.add(Deposit(value: ["id": 4])) }
        }
        snapshots = []
        try await realm.asyncWrite { realm.add(Deposit(value: ["id": 4])) }
        #expect(realm.objects(Deposit.self).count == 5)
    }

    // The store's own thread had the last reference, closed the store, and waited for itself.
    @Test("the last reference to a realm may be that of its asynchronous write")
    func lastReference() async throws {
        let configuration = configuration
        let deadline = Deadline(seconds: 60)
        for _ in 0..<30 {
            let error = await withCheckedContinuation { continuation in
                let queue = DispatchQueue(label: "last")
                queue.async {
                    do {
                        let realm = try Realm(configuration: configuration, queue: queue)
                        realm.writeAsync {
                            realm.add(Deposit(value: ["id": 1]))
                        } onComplete: { error in
                            continuation.resume(returning: error)
                        }
                    } catch {
                        continuation.resume(returning: error)
                    }
                }
            }
            #expect(error == nil)
            while (try? Realm.deleteFiles(for: configuration)) == nil {
                try #require(!deadline.isOver)
                await Task.yield()
            }
        }
    }

    @Test("a killed process has what asyncWrite and onComplete acknowledged")
    func killed() async throws {
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = directory.url.path as String] in
            try await AcknowledgingWriter(path).run()
        }
        let acknowledged = try String(
            contentsOfFile: directory.path("acknowledged"), encoding: .utf8
        ).split(separator: "\n").compactMap { Int($0) }
        #expect(acknowledged.count >= 20)
        let realm = try Self.open(configuration, nil)
        let ids = Set(realm.objects(Deposit.self).map(\.id))
        #expect(acknowledged.allSatisfy(ids.contains))
    }
}
