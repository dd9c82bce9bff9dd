import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

@Suite("Primary keys that change")
struct ChangedKeyTests {
    private let directory = TemporaryDirectory()

    private func check<Model: CoinModel>(
        _ type: Model.Type, version: UInt64, _ body: (Realm) throws -> Void
    ) throws {
        do {
            let realm = try directory.open([type], version: version)
            let coins = realm.objects(type)
            #expect(coins.count == 3 && coins.map(\.label) == ["a", "b", "c"])
            #expect(coins.map { ($0["next"] as? CoinModel)?.label } == ["b", "c", "a"])
            #expect(try realm.brokenInvariants() == [])
            try body(realm)
            try realm.store.close()
        }
        #expect(try ObjectVerifier.verify(path: directory.url.path).findings.isEmpty)
    }

    @Test("leave objects, links and their order as they are, whatever the types")
    func changes() throws {
        do {
            let realm = try directory.open([CoinByNumber.self])
            try realm.write {
                let coins = [(-5, "a"), (0, "b"), (9, "c")].map { number, name in
                    realm.create(CoinByNumber.self, value: ["number": number, "name": name])
                }
                for place in 0..<3 { coins[place].next = coins[(place + 1) % 3] }
            }
        }
        try check(CoinByName.self, version: 1) { realm in
            #expect(realm.object(ofType: CoinByName.self, forPrimaryKey: "b")?.number == 0)
            let error = #expect(throws: Realm.Error.self) {
                try realm.write { realm.create(CoinByName.self, value: ["name": "c"]) }
            }
            #expect(error?.code == .duplicatePrimaryKey)
            try realm.write {
                let coin = realm.create(CoinByName.self, value: ["name": "d", "number": 9])
                realm.delete(coin)
            }
        }
        try check(CoinByNumber.self, version: 2) { realm in
            #expect(realm.object(ofType: CoinByNumber.self, forPrimaryKey: -5)?.name == "a")
            try realm.write {
                realm.create(
                    CoinByNumber.self, value: ["number": 9, "name": "c"], update: .modified)
            }
        }
        try check(CoinByBoth.self, version: 3) { realm in
            #expect(realm.object(ofType: CoinByBoth.self, forPrimaryKey: 9)?.name == "c")
            let none: Int? = nil
            try realm.write {
                realm.delete(realm.create(CoinByBoth.self, value: ["name": "nil"]))
            }
            #expect(realm.object(ofType: CoinByBoth.self, forPrimaryKey: none) == nil)
        }
        try check(CoinWithoutKey.self, version: 4) { realm in
            try realm.write {
                realm.delete(realm.create(CoinWithoutKey.self, value: ["name": "e"]))
            }
        }
        try check(CoinByName.self, version: 5) { realm in
            #expect(realm.object(ofType: CoinByName.self, forPrimaryKey: "a")?.number == -5)
        }
    }
}

class CoinModel: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    override class func objectTypeName() -> String { "Coin" }
    var label: String { self["name"] as? String ?? "" }
}

class CoinByNumber: CoinModel {
    @Persisted(primaryKey: true) var number: Int
    @Persisted var name: String
    @Persisted var next: CoinByNumber?
}

class CoinByName: CoinModel {
    @Persisted var number: Int
    @Persisted(primaryKey: true) var name: String
    @Persisted var next: CoinByName?
}

class CoinByBoth: CoinModel {
    @Persisted(primaryKey: true) var number: Int?
    @Persisted(indexed: true) var name: String
    @Persisted var next: CoinByBoth?
}

class CoinWithoutKey: CoinModel {
    @Persisted var number: Int?
    @Persisted var name: String
    @Persisted var next: CoinWithoutKey?
}
