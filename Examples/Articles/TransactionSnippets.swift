import Foundation
import Testing
import Travertine

@Suite("Snippets: transactions")
struct TransactionSnippets {
    class Account: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var balance: Int
    }

    @Test("a transaction is all or nothing")
    func writing() throws {
        let directory = SnippetDirectory()
        let realm = try directory.open([Account.self])
        let account = Account(value: ["id": 1, "balance": 100])
        try realm.write {
            realm.add(account)
        }
        // Another thread sees both changes or none, and so does the next start after a crash.
        try realm.write {
            account.balance -= 30
            realm.create(Account.self, value: ["id": 2, "balance": 30])
        }
        #expect(account.balance == 70 && realm.objects(Account.self).count == 2)
        do {
            try realm.write {
                account.balance -= 1_000
                if account.balance < 0 { throw OutOfMoney() }
            }
        } catch is OutOfMoney {
            print(account.balance)  // 70: as before
        }
        #expect(account.balance == 70)
        do {
            try realm.write {
                realm.add(Account(value: ["id": 1]))  // the key is taken
                account.balance = 0  // does nothing any more
            }
        } catch let error as Realm.Error where error.code == .duplicatePrimaryKey {
            print(error.message)
        }
        #expect(account.balance == 70)
        try realm.write {
            // Takes the values over that differ.
            realm.add(Account(value: ["id": 1, "balance": 80]), update: .modified)
        }
        #expect(account.balance == 80)
        try realm.write {
            account.balance += 5
            do {
                try realm.savepoint {
                    account.balance = 0
                    throw OutOfMoney()
                }
            } catch is OutOfMoney {
                print(account.balance)  // 85
            }
            do {
                try realm.insert(Account(value: ["id": 2]))
            } catch let error as Realm.Error {
                print(error.code)  // duplicatePrimaryKey, at once; the transaction goes on
            }
            try account.set(90, for: \.balance)
        }
        #expect(account.balance == 90)
        realm.beginWrite()
        account.balance = 0
        realm.cancelWrite()
        #expect(account.balance == 90)
    }

    @Test("every thread has its own realm, which shows one snapshot")
    func threads() throws {
        let directory = SnippetDirectory()
        let configuration = Realm.Configuration(
            fileURL: directory.url, objectTypes: [Account.self],
            durability: .unsynced)
        let realm = try Realm(configuration: configuration)
        #expect(realm.objects(Account.self).isEmpty)
        let before = realm.objects(Account.self).count
        let done = DispatchSemaphore(value: 0)
        Thread {
            do {
                // The thread's own realm; both share the store.
                let realm = try Realm(configuration: configuration)
                try realm.write { realm.create(Account.self, value: ["id": 3]) }
            } catch {
                print(error)
            }
            done.signal()
        }.start()
        done.wait()

        assert(realm.objects(Account.self).count == before)  // still the snapshot of before
        realm.refresh()
        assert(realm.objects(Account.self).count == before + 1)
        #expect(realm.objects(Account.self).count == 1)
    }
}
