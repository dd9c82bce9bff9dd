import Foundation
import RealmSwift
import TestSupport
import Testing
import TravertineStore

@testable import Travertine

/// Setting collections from collections of any kind.
@Suite("Setting collections from others")
struct CollectionSourceTests {
    private let directory = TemporaryDirectory()

    @Test(
        "a list and a set are set from results, linking objects, erased collections, the other kind",
        arguments: [false, true])
    func sources(isDynamic: Bool) throws {
        let realm = try directory.open([QuarryCart.self, QuarrySample.self])
        try realm.write {
            for count in 1...3 { realm.create(QuarrySample.self, value: ["count": count]) }
            realm.create(
                QuarryCart.self,
                value: ["id": 1, "samples": Array(realm.objects(QuarrySample.self))])
        }
        let cart = try #require(realm.objects(QuarryCart.self).first)
        let samples = realm.objects(QuarrySample.self)
        let dynamic = try #require(realm.dynamicObjects("QuarryCart").first)
        let receiver: Object = isDynamic ? dynamic : cart
        func counts(_ set: () -> Void) throws -> [[Int]] {
            try realm.write(set)
            return [cart.samples.map(\.count), cart.chosen.map(\.count).sorted()]
        }
        var found = try counts {
            receiver["samples"] = samples.where { $0.count > 1 }
            receiver["chosen"] = samples.sorted(byKeyPath: "count", ascending: false)
        }
        #expect(found == [[2, 3], [1, 2, 3]])
        found = try counts {
            receiver["chosen"] = cart.samples
            receiver["samples"] = AnyRealmCollection(samples)
        }
        #expect(found == [[1, 2, 3], [2, 3]])
        found = try counts {
            receiver["samples"] = cart.chosen
            receiver["chosen"] = cart.samples[0..<1]
        }
        #expect(found == [[2, 3], [2]])
        found = try counts {
            receiver["samples"] = cart.samples
            receiver["chosen"] = [QuarrySample]()
            receiver["numbers"] = Set([4])
            receiver["codes"] = cart.numbers
        }
        #expect(found == [[2, 3], []] && Array(cart.numbers) == [4] && Array(cart.codes) == [4])
        let carts = try #require(samples.last?.carts)
        try realm.write { receiver["others"] = carts }
        #expect(cart.others.map(\.id) == [1])
        try realm.write { receiver["numbers"] = nil }
        #expect(cart.numbers.isEmpty)
    }

    @Test("`create` takes collections of any kind, of the realm and of others")
    func creating() throws {
        let realm = try directory.open([QuarryCart.self, QuarrySample.self])
        let other = TemporaryDirectory()
        let elsewhere = try other.open([QuarryCart.self, QuarrySample.self])
        for realm in [realm, elsewhere] {
            try realm.write {
                for count in 1...2 { realm.create(QuarrySample.self, value: ["count": count]) }
            }
        }
        let own = realm.objects(QuarrySample.self)
        let foreign = elsewhere.objects(QuarrySample.self)
        try realm.write {
            realm.create(QuarryCart.self, value: ["id": 1, "samples": own, "chosen": own])
            realm.create(
                QuarryCart.self,
                value: ["id": 2, "samples": foreign, "chosen": AnyRealmCollection(foreign)])
        }
        let carts = Array(realm.objects(QuarryCart.self))
        #expect(carts[0].samples.map(\.count) == [1, 2] && carts[0].chosen.count == 2)
        #expect(carts[1].samples.map(\.count) == [1, 2] && carts[1].chosen.count == 2)
        #expect(own.count > 2 && foreign.count == 2)
    }

    @Test("what is no collection, or holds other values, can't be set")
    func otherValues() throws {
        let realm = try directory.open([QuarryCart.self, QuarrySample.self])
        try realm.write { realm.create(QuarryCart.self, value: ["id": 1, "numbers": [1]]) }
        let others: [Any] = ["", Data(), [String: Int](), ["a"], 5, [Date()]]
        for value in others {
            #expect(throws: Realm.Error.self, "\(value)") {
                try realm.write {
                    realm.create(
                        QuarryCart.self, value: ["id": 1, "numbers": value], update: .modified)
                }
            }
        }
        #expect(realm.objects(QuarryCart.self).first?.numbers.count == 1)
    }

    @Test("a range of a list is replaced by any number of elements")
    func slices() throws {
        let realm = try directory.open([QuarryCart.self, QuarrySample.self])
        let source: List<Int> = [7, 8, 9]
        let cart = QuarryCart(value: ["id": 1, "numbers": [1, 2, 3]])
        cart.numbers[0..<2] = source[0..<1]
        #expect(Array(cart.numbers) == [7, 3] && Array(cart.numbers[1..<2]) == [3])
        try realm.write {
            realm.add(cart)
            cart.numbers[1..<1] = source[0..<3]
            cart.numbers[0...1] = source[2..<3]
            cart.numbers[0..<3].swapAt(0, 2)
        }
        #expect(Array(cart.numbers) == [9, 8, 9, 3])
        try realm.write { cart.numbers[0..<4].sort() }
        #expect(Array(cart.numbers) == [3, 8, 9, 9])
    }
}
