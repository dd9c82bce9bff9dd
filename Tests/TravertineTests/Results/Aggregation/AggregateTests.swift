import Foundation
import RealmSwift
import TestSupport
import Testing

@Suite("Aggregates")
struct AggregateTests {
    private func realm(_ directory: TemporaryDirectory) throws -> Realm {
        let realm = try directory.open([Account.self])
        try realm.write {
            for (id, text) in ["0.1", "0.2", "-12345678901234567890123456789.05"].enumerated() {
                let account = Account(value: ["id": id])
                account.balance = try Decimal128(string: text)
                account.limit = id == 1 ? nil : Decimal128(id)
                realm.add(account)
            }
        }
        return realm
    }

    @Test("decimals are added up exactly")
    func decimals() throws {
        let directory = TemporaryDirectory()
        let accounts = try realm(directory).objects(Account.self)
        let sum = try Decimal128(string: "-12345678901234567890123456788.75")
        #expect(accounts.sum(of: \.balance) == sum)
        #expect(accounts.average(of: \.balance) == sum / 3)
        #expect(accounts.sum(of: \.limit) == 2 && accounts.average(of: \.limit) == 1 as Decimal128)
        #expect(accounts.min(of: \.balance) == accounts[2].balance)
        #expect(accounts.max(of: \.balance) == accounts[1].balance)
        let real: Double = accounts.sum(ofProperty: "id")
        #expect(real == 3)
        let none = accounts.where { $0.id > 9 }
        #expect(none.sum(of: \.balance) == 0 && none.min(of: \.balance) == nil)
        let average: Decimal128? = none.average(of: \.balance)
        #expect(average == nil)
    }

    @Test("collections of values have a sum, a mean, a least and a greatest value")
    func collections() throws {
        let directory = TemporaryDirectory()
        let realm = try realm(directory)
        let account = try #require(realm.object(ofType: Account.self, forPrimaryKey: 0))
        func check() throws {
            #expect(account.numbers.sum() == 6 && account.numbers.average() == 2.0)
            #expect(account.numbers.min() == 1 && account.numbers.max() == 3)
            #expect(account.gaps.sum() == 5 && account.gaps.average() == 2.5)
            #expect(account.gaps.min() == 1 && account.gaps.max() == 4)
            #expect(account.prices.sum() == (try Decimal128(string: "0.3")))
            #expect(account.prices.average() == (try Decimal128(string: "0.15")))
            #expect(account.prices.min() == (try Decimal128(string: "0.1")))
            #expect(account.named.sum() == 3.5 && account.named.average() == 1.75)
            #expect(account.named.min() == 1 && account.named.max() == 2.5)
            #expect(account.parts.sum(of: \.id) == 3 && account.parts.average(of: \.id) == 1.5)
            #expect(account.parts.max(of: \.balance) == (try Decimal128(string: "0.2")))
        }
        try realm.write {
            account.numbers.append(objectsIn: [1, 2, 3])
            account.gaps.append(objectsIn: [nil, 4, 1])
            account.prices.insert(objectsIn: [
                try Decimal128(string: "0.1"), try Decimal128(string: "0.2"),
            ])
            account.named["a"] = 1
            account.named["b"] = 2.5
            account.parts.append(objectsIn: realm.objects(Account.self).filter { $0.id > 0 })
            try check()
        }
        try check()
        let empty = Account()
        #expect(empty.numbers.sum() == 0 && empty.numbers.average() == nil)
        #expect(empty.gaps.min() == nil && empty.named.max() == nil)
    }
}

class Account: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var balance: Decimal128
    @Persisted var limit: Decimal128?
    @Persisted var numbers: List<Int>
    @Persisted var gaps: List<Int?>
    @Persisted var prices: MutableSet<Decimal128>
    @Persisted var named: Map<String, Double>
    @Persisted var parts: List<Account>
}
