import Foundation
import Testing
import Travertine

class Account: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var balance: Int
}

actor Accounts {
    private var realm: Realm!

    init(configuration: Realm.Configuration) async throws {
        realm = try await Realm(configuration: configuration, actor: self)
    }

    func balance(of id: Int) -> Int? {
        realm.object(ofType: Account.self, forPrimaryKey: id)?.balance
    }

    func deposit(_ amount: Int, to id: Int) async throws -> Int {
        try await realm.asyncWrite {
            let account =
                realm.object(ofType: Account.self, forPrimaryKey: id)
                ?? realm.create(Account.self, value: ["id": id])
            account.balance += amount
            return account.balance
        }
    }
}

extension Accounts {
    func rich() -> Frozen<Results<Account>> {
        Frozen(realm.objects(Account.self).where { $0.balance >= 1000 })
    }
}

@Suite("Snippets: concurrency")
struct ConcurrencySnippets {
    func report(_ configuration: Realm.Configuration) throws -> String {
        let realm = try Realm(configuration: configuration)
        let accounts = realm.objects(Account.self)
        return "\(accounts.count) accounts, \(accounts.sum(of: \.balance)) in all"
    }

    @MainActor
    func renameFirst(_ configuration: Realm.Configuration) async throws {
        let realm = try await Realm(configuration: configuration)
        try await realm.asyncWrite {
            realm.objects(Account.self).first?.name = "Ana"
        }
    }

    private func configuration(_ directory: SnippetDirectory) -> Realm.Configuration {
        Realm.Configuration(fileURL: directory.url, objectTypes: [Account.self])
    }

    @Test("an actor has a realm, and other code opens others")
    func actors() async throws {
        let directory = SnippetDirectory()
        let configuration = configuration(directory)
        let accounts = try await Accounts(configuration: configuration)
        let balance = try await accounts.deposit(100, to: 1)
        #expect(balance == 100)
        #expect(await accounts.balance(of: 1) == 100)
        let text = try report(configuration)
        #expect(text == "1 accounts, 100 in all")
        try await renameFirst(configuration)
    }

    @Test("frozen results of an actor are read by other tasks")
    func frozenResults() async throws {
        let directory = SnippetDirectory()
        let accounts = try await Accounts(configuration: configuration(directory))
        for (id, amount) in [(1, 1500), (2, 20), (3, 1000)] {
            _ = try await accounts.deposit(amount, to: id)
        }
        let rich = await accounts.rich()
        async let sum: Int = rich.value.sum(of: \.balance)
        async let names = rich.value.map(\.name)
        print(await sum, await names)
        #expect(await sum == 2500)
        #expect(await names == ["", ""])
        _ = try await accounts.deposit(1000, to: 2)
        #expect(rich.value.count == 2)
        #expect(await accounts.rich().value.count == 3)
    }

    @Test("a queue has a realm")
    func queues() async throws {
        let directory = SnippetDirectory()
        let configuration = configuration(directory)
        let failure = await withCheckedContinuation { continuation in
            let done: @Sendable ((any Error)?) -> Void = { continuation.resume(returning: $0) }
            let queue = DispatchQueue(label: "accounts")
            queue.async {
                do {
                    let realm = try Realm(configuration: configuration, queue: queue)
                    realm.writeAsync {
                        realm.create(Account.self, value: ["id": 2, "balance": 50])
                    } onComplete: { error in
                        done(error)
                    }
                } catch {
                    done(error)
                }
            }
        }
        #expect(failure == nil)
        #expect(try report(configuration) == "1 accounts, 50 in all")
    }
}
