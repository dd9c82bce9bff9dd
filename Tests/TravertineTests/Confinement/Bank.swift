import CPlatform
import Foundation
import TestSupport
import Testing

@testable import Travertine
@testable import TravertineStore

/// An actor with a realm.
actor Bank {
    fileprivate var realm: Realm!

    init(_ configuration: Realm.Configuration) async throws {
        realm = try await Realm(configuration: configuration, actor: self)
    }

    var carriedRealm: ConfinedValue<Realm> { ConfinedValue(realm) }

    func hasOneRealm(_ configuration: Realm.Configuration) async throws -> Bool {
        try await Realm(configuration: configuration, actor: self) == realm
    }

    /// Pays one at a time and waits for other tasks between, so that the actor goes on with another
    /// thread now and then, until it has run on several. Returns how often it paid.
    func payOnSeveralThreads() async throws -> Int {
        var threads: Set<UInt> = []
        var count = 0
        let deadline = Deadline(seconds: 60)
        while threads.count < 2 || count < 100 {
            try #require(!deadline.isOver)
            try realm.write { realm.add(Payment(value: ["amount": 1])) }
            count += 1
            threads.insert(travertine_current_thread())
            await withTaskGroup { group in
                for _ in 0..<4 { group.addTask { for _ in 0..<50 { await Task.yield() } } }
            }
        }
        return count
    }

    func total() throws -> Int { realm.objects(Payment.self).sum(of: \.amount) }
}

final class Deposit: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var amount = 0
}

final class Payment: Object {
    @Persisted var amount = 0
}

/// Carries what is confined through code that does not use it.
struct ConfinedValue<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}

extension Bank {
    func begin() { realm.beginWrite() }

    func commitPaying() throws {
        realm.add(Payment(value: ["amount": 1]))
        try realm.commitWrite()
    }

    func pay() throws { try realm.write { realm.add(Payment(value: ["amount": 1])) } }

    func payAsync() async throws {
        try await realm.asyncWrite { realm.add(Payment(value: ["amount": 1])) }
    }

    func refreshedTotal() throws -> Int {
        realm.refresh()
        return realm.objects(Payment.self).sum(of: \.amount)
    }

    /// How many transactions wait for the open one.
    func lineLength() -> Int {
        let gate = realm.session.shared.store.gate
        return gate.monitor.withLock { gate.guests.count + gate.waiterCount }
    }

    /// What code that would wait for the actor's open transaction gets.
    func codesOfSelfWaiting(_ configuration: Realm.Configuration) -> [StoreError.Code?] {
        let store = realm.session.shared.store
        let direct = #expect(throws: StoreError.self) { try store.write { _ in } }
        let checkpoint = #expect(throws: StoreError.self) { try store.checkpoint() }
        return [direct?.code, checkpoint?.code]
    }
}

/// Writes down what was acknowledged, and is killed while more is being written.
struct AcknowledgingWriter {
    private let configuration: Realm.Configuration
    private let file: Int32

    init(_ path: String) throws {
        configuration = Realm.Configuration(
            fileURL: URL(filePath: path, directoryHint: .notDirectory),
            objectTypes: [Deposit.self, Payment.self])
        let acknowledged = URL(filePath: path).deletingLastPathComponent()
            .appending(path: "acknowledged").path
        file = creat(acknowledged, 0o600)
    }

    @MainActor
    func run() async throws {
        let realm = try await Realm(configuration: configuration)
        for id in 0..<20 {
            realm.writeAsync {
                realm.add(Deposit(value: ["id": 1_000 + id]))
            } onComplete: { error in
                if error == nil { note(1_000 + id) }
            }
            try await realm.asyncWrite { realm.add(Deposit(value: ["id": id])) }
            note(id)
        }
        for id in 20..<100 {
            realm.writeAsync {
                realm.add(Deposit(value: ["id": id]))
            } onComplete: { error in
                if error == nil { note(id) }
                if id == 50 { kill(getpid(), SIGKILL) }
            }
        }
        try await Task.sleep(for: .seconds(60))
    }

    private func note(_ id: Int) {
        let line = "\(id)\n"
        _ = line.withCString { write(file, $0, line.utf8.count) }
    }
}

extension Bank {
    /// Whether the actor's realm shows what it has just written.
    func depositAndFind(_ id: Int) async throws -> Bool {
        let deposit = try await realm.asyncWrite {
            realm.create(Deposit.self, value: ["id": id, "amount": id])
        }
        guard deposit.amount == id else { return false }
        return realm.object(ofType: Deposit.self, forPrimaryKey: id)?.amount == id
    }
}
