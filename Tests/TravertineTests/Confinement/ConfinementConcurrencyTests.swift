import Foundation
import TestSupport
import Testing

@testable import Travertine

/// Many tasks, actors, queues and threads write at once; nothing is lost. Also run under the thread
/// sanitizer.
@Suite("Realms of actors and queues at once", .serialized)
struct ConfinementConcurrencyTests {
    private let directory = TemporaryDirectory()

    private func configuration(_ durability: Realm.Durability) -> Realm.Configuration {
        Realm.Configuration(
            fileURL: directory.url, objectTypes: [Deposit.self, Payment.self],
            durability: durability)
    }

    private static let rounds = 60

    @Test("no write of any of them is lost", arguments: [Realm.Durability.commit, .unsynced])
    func sums(_ durability: Realm.Durability) async throws {
        let configuration = configuration(durability)
        let banks = try await [
            Bank(configuration), Bank(configuration), Bank(configuration),
        ]
        try await withThrowingTaskGroup { group in
            for bank in banks {
                for round in 0..<Self.rounds {
                    group.addTask {
                        if round % 3 == 0 {
                            try await bank.pay()
                        } else {
                            try await bank.payAsync()
                        }
                    }
                }
            }
            for number in 0..<2 {
                group.addTask { await Self.payOnQueue(configuration, number) }
                group.addTask { await Self.payOnThread(configuration) }
            }
            group.addTask { try await Self.payOnMainActor(configuration) }
            try await group.waitForAll()
        }
        #expect(try await banks[0].refreshedTotal() == 8 * Self.rounds)
    }

    private static func payOnQueue(_ configuration: Realm.Configuration, _ number: Int) async {
        let queue = DispatchQueue(label: "payments \(number)")
        await withCheckedContinuation { continuation in
            queue.async {
                do {
                    let realm = try Realm(configuration: configuration, queue: queue)
                    var left = rounds
                    for _ in 0..<rounds {
                        realm.writeAsync {
                            realm.add(Payment(value: ["amount": 1]))
                        } onComplete: { error in
                            if let error { Issue.record(error) }
                            left -= 1
                            if left == 0 { continuation.resume() }
                        }
                    }
                } catch {
                    Issue.record(error)
                    continuation.resume()
                }
            }
        }
    }

    private static func payOnThread(_ configuration: Realm.Configuration) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                do {
                    let realm = try Realm(configuration: configuration)
                    for _ in 0..<rounds {
                        try realm.write { realm.add(Payment(value: ["amount": 1])) }
                    }
                } catch {
                    Issue.record(error)
                }
                continuation.resume()
            }
        }
    }

    @MainActor
    private static func payOnMainActor(_ configuration: Realm.Configuration) async throws {
        let realm = try await Realm.open(configuration: configuration)
        for _ in 0..<rounds {
            try await realm.asyncWrite { realm.add(Payment(value: ["amount": 1])) }
        }
    }

    @Test("every step of an actor sees all that its earlier ones wrote")
    func ownWrites() async throws {
        let banks = try await [
            Bank(configuration(.commit)), Bank(configuration(.commit)),
        ]
        try await withThrowingTaskGroup { group in
            for (number, bank) in banks.enumerated() {
                group.addTask {
                    for round in 0..<Self.rounds {
                        let isFound = try await bank.depositAndFind(1000 * number + round)
                        #expect(isFound)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("opening from many tasks at once gives each actor one realm of one store")
    func opening() async throws {
        let configuration = configuration(.unsynced)
        let banks = try await withThrowingTaskGroup { group in
            for _ in 0..<30 { group.addTask { try await Bank(configuration) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        for bank in banks { try await bank.pay() }
        #expect(try await banks[0].refreshedTotal() == 30)
    }
}
