import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

@Suite("Values of any type")
struct MixedTests {
    private let types: [ObjectBase.Type] = [Anything.self, Tag.self, Book.self, Bookcase.self]

    private static var plain: [AnyRealmValue] {
        [
            AnyRealmValue.none, .int(-5), .bool(true), .float(1.5), .double(-2.25), .string("é"),
            .data(Data([0, 9])), .date(Date(timeIntervalSinceReferenceDate: 0.5)),
            .objectId(ObjectId("000000000000000000000007")), .decimal128("1.50"),
            .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9))),
        ]
    }

    @Test("an object is replaced by one that has its own stored collections in values of any type")
    func ownCollections() throws {
        let directory = TemporaryDirectory()
        do {
            let realm = try directory.open(types)
            let object = Anything(
                value: ["id": 1, "value": [1, [2, ["q": [3]]]]] as [String: Any])
            object.values.append(.fromArray([.int(4), .fromDictionary(["r": .int(5)])]))
            object.named["n"] = .fromArray([.int(6)])
            try realm.write { realm.add(object) }
            let text = object.description
            for update in [Realm.UpdatePolicy.modified, .all] {
                try realm.write { realm.add(Anything(value: object), update: update) }
                #expect(object.description == text)
                // What it has comes back inside of something new.
                let nested = Anything(value: ["id": 1])
                nested.value = .fromArray([.string("new"), object.value])
                nested.values.append(objectsIn: object.values)
                nested.named["n"] = object.named["n"]
                try realm.write { realm.add(nested, update: update) }
                #expect(nested.value.listValue?[1].listValue?[0] == .int(1))
                try realm.write { object.value = object.value.listValue?[1] ?? .none }
                #expect(object.description == text)
                #expect(try realm.brokenInvariants() == [])
            }
        }
        #expect(try ObjectVerifier.verify(path: directory.url.path).findings.isEmpty)
    }

    @Test("every type keeps its value, is found by it, and comes back by rollback")
    func plainValues() throws {
        let directory = TemporaryDirectory()
        do {
            let realm = try directory.open(types)
            try realm.write {
                for (id, value) in Self.plain.enumerated() {
                    let object = Anything(value: ["id": id, "value": value.plain as Any])
                    object.values.append(objectsIn: Self.plain)
                    object.different.insert(objectsIn: Self.plain + Self.plain)
                    object.named["x"] = value
                    #expect(object.value == value)
                    realm.add(object)
                }
            }
            let first = realm.objects(Anything.self)[1]
            #expect(throws: Stop.self) {
                try realm.write {
                    first.value = "other"
                    #expect(first.value.stringValue == "other")
                    throw Stop()
                }
            }
            #expect(first.value == .int(-5))
        }
        let realm = try directory.open(types)
        for (id, value) in Self.plain.enumerated() {
            let object = try #require(realm.object(ofType: Anything.self, forPrimaryKey: id))
            #expect(object.value == value && Array(object.values) == Self.plain)
            #expect(Set(object.different) == Set(Self.plain) && object.named["x"] == value)
            let found = realm.objects(Anything.self).where { $0.value == value }
            // Conditions compare numbers by value, whatever their types.
            let equal = Self.plain.indices.filter { Self.plain[$0].isSameNumber(as: value) }
            #expect(found.map(\.id) == (equal.isEmpty ? [id] : equal))
            #expect(object.different.contains(value))
        }
        #expect(try realm.brokenInvariants() == [])
    }

    @Test("equal values are one in sets, indexes and queries, and keep how they were written")
    func normalForms() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        let payload = Double(bitPattern: Double.nan.bitPattern | 5)
        // How many values conditions call equal to those of a group: numbers of other types that
        // have the same value too, and nothing to what is not a number.
        let equalCounts = [4, 8, 2, 0, 8, 0, 8, 0, 2, 4, 8, 1]
        let groups: [[AnyRealmValue]] = [
            [.decimal128("1"), .decimal128("1.0"), .decimal128("1.00")],
            [.decimal128("0"), .decimal128("-0.00"), .decimal128("0E5")],
            [.decimal128("1E6144"), .decimal128("1000E6141")],
            [.decimal128(.nan), .decimal128(-Decimal128.nan)],
            [.double(0), .double(-0.0)], [.double(.nan), .double(payload)],
            [.float(0), .float(-0.0)], [.float(.nan), .float(-Float.nan)],
            [
                .date(Date(timeIntervalSinceReferenceDate: 0)),
                .date(Date(timeIntervalSinceReferenceDate: -0.0)),
            ],
            [.double(1)], [.int(0)], [.decimal128("10")],
        ]
        let holder = Anything(value: ["id": -1, "value": "other"])
        try realm.write {
            realm.add(holder)
            var id = 0
            for group in groups {
                for value in group {
                    let object = Anything(value: ["id": id])
                    object.value = value
                    object.named["x"] = value
                    realm.add(object)
                    holder.different.insert(value)
                    id += 1
                }
            }
        }
        #expect(holder.different.count == groups.count)
        let unmanaged = Set(groups.flatMap { $0 })
        #expect(unmanaged.count == groups.count)
        for (group, equalCount) in zip(groups, equalCounts) {
            for value in group {
                #expect(holder.different.contains(value), "\(value)")
                let found = realm.objects(Anything.self).where { $0.value == value }
                #expect(found.count == equalCount, "index of \(value)")
                let scanned = realm.objects(Anything.self).where { !($0.value != value) }
                #expect(scanned.count == equalCount, "scan for \(value)")
                let member = realm.objects(Anything.self).where { $0.value.in([value]) }
                #expect(member.count == equalCount, "membership of \(value)")
            }
        }
        #expect(realm.objects(Anything.self).first { $0.id == 2 }?.value.description == "1.00")
        #expect(try realm.brokenInvariants() == [])
        try realm.write {
            for group in groups { if let value = group.last { holder.different.remove(value) } }
        }
        #expect(holder.different.isEmpty)
    }

    @Test("links are counted, and become none when their target is deleted")
    func links() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        let tag = Tag(value: ["text": "red"])
        let other = Tag(value: ["text": "blue"])
        let book = Book(value: ["title": "b"])
        let object = Anything(value: ["id": 1])
        object.value = .object(tag)
        object.values.append(objectsIn: [.object(tag), .object(book), .int(1), .object(tag)])
        object.different.insert(objectsIn: [.object(tag), .object(book)])
        object.named["tag"] = .object(tag)
        object.nested = .list([.dictionary(["deep": .object(tag), "kept": .object(other)])])
        try realm.write { realm.add(object) }
        #expect(object.value.object(Tag.self)?.text == "red" && object.different.count == 2)
        #expect(realm.objects(Anything.self).where { $0.value == .object(tag) }.count == 1)
        #expect(try realm.brokenInvariants() == [])
        try realm.write { realm.delete(tag) }
        #expect(object.value == .none && object.values[0] == .none && object.values[2] == .int(1))
        #expect(object.values[1].object(Book.self)?.title == "b" && object.values.count == 4)
        #expect(object.different.count == 1 && object.named["tag"] == AnyRealmValue.none)
        let deep = object.nested.listValue?[0].dictionaryValue
        #expect(deep?["deep"] == AnyRealmValue.none)
        #expect(deep?["kept"]?.object(Tag.self)?.text == "blue")
        #expect(try realm.brokenInvariants() == [])
        try realm.write { realm.delete(object) }
        let keys = try realm.store.statistics.keyspaces.filter { $0.name.hasPrefix("type.") }
        #expect(keys.reduce(0) { $0 + $1.keyCount } == 2, "only the book and the other tag stay")
    }

    @Test("an object among values is found by what it is, not by its handle")
    func positionsOfObjects() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        let (red, blue) = (Tag(value: ["text": "red"]), Tag(value: ["text": "blue"]))
        try realm.write {
            let object = Anything(value: ["id": 1])
            object.values.append(objectsIn: [.int(1), .object(red), .object(blue)])
            object.named["a"] = .object(blue)
            realm.add(object)
            realm.add(Tag(value: ["text": "green"]))
        }
        let object = try #require(realm.objects(Anything.self).first)
        let tags = realm.objects(Tag.self)
        let other = try #require(tags.where { $0.text == "blue" }.first)
        #expect(other !== blue && object.values.index(of: .object(other)) == 2)
        #expect(object.values._results.index(of: .object(other)) == 2)
        #expect(object.named.index(of: .object(other)) == object.named.startIndex)
        let green = try #require(tags.where { $0.text == "green" }.first)
        #expect(object.values.index(of: .object(green)) == nil)
        #expect(object.values.index(of: .int(1)) == 0 && object.values.index(of: .int(2)) == nil)
        let unmanaged = Anything(value: ["values": [AnyRealmValue.object(Tag()), .object(red)]])
        #expect(unmanaged.values.index(of: .object(red)) == 1)
    }

    @Test("nested lists and dictionaries are changed in place at any depth")
    func nesting() throws {
        let directory = TemporaryDirectory()
        do {
            let realm = try directory.open(types)
            let object = Anything(value: ["id": 1, "nested": ["a": [1, ["b": 2]], "c": 3]])
            try realm.write { realm.add(object) }
            let root = try #require(object.nested.dictionaryValue)
            let list = try #require(root["a"]?.listValue)
            #expect(root["c"] == 3 && list[0] == 1 && root.realm == realm)
            try realm.write {
                list[1].dictionaryValue?["b"] = "changed"
                list.append(.fromArray((0..<2000).map { .string("value \($0)") }))
                list.move(from: 2, to: 0)
            }
            #expect(list[0].listValue?.count == 2000)
            #expect(list[0].listValue?[1999] == "value 1999")
            #expect(throws: Stop.self) {
                try realm.write {
                    list.remove(at: 0)
                    root["c"] = .fromDictionary(["d": 5])
                    throw Stop()
                }
            }
            #expect(list.count == 3 && root["c"] == 3)
            let inner = try #require(list[0].listValue)
            try realm.write { list[0] = 7 }
            #expect(inner.isInvalidated && !list.isInvalidated)
        }
        let realm = try directory.open(types)
        let object = try #require(realm.objects(Anything.self).first)
        let list = try #require(object.nested.dictionaryValue?["a"]?.listValue)
        #expect(list[2].dictionaryValue?["b"] == "changed" && list[0] == 7)
        try realm.write { object.nested = .none }
        let pieces = try realm.store.statistics.keyspaces.filter { $0.name.hasSuffix("pieces") }
        #expect(pieces.reduce(0) { $0 + $1.keyCount } == 1, "only the numbering stays")
    }

    @Test("a hundred levels are stored, one more fails the transaction with its error")
    func depth() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(types)
        func value(_ depth: Int) -> AnyRealmValue {
            (0..<depth).reduce(.int(1)) { value, _ in .fromArray([value]) }
        }
        try realm.write {
            realm.add(Anything(value: ["id": 1, "nested": value(100).plain as Any]))
        }
        var found = try #require(realm.objects(Anything.self).first).nested
        for _ in 0..<100 { found = found.listValue?.first ?? .none }
        #expect(found == .int(1))
        let error = #expect(throws: Realm.Error.self) {
            try realm.write {
                realm.add(Anything(value: ["id": 2, "nested": value(101).plain as Any]))
            }
        }
        #expect(error?.code == .invalidInput && realm.objects(Anything.self).count == 1)
    }

    @Test("sets and embedded objects make no value")
    func refused() {
        #expect(AnyRealmValue(any: Set([1])) == nil)
        #expect(AnyRealmValue(any: Address()) == nil)
        #expect(AnyRealmValue(any: [1, "a", nil] as [Any?])?.listValue?.count == 3)
        #expect(AnyRealmValue(any: Int8(3)) == .int(3))
    }

    @Test("decimals keep their digits and are compared by value")
    func decimals() throws {
        let directory = TemporaryDirectory()
        do {
            let realm = try directory.open([Price.self])
            try realm.write {
                for (id, text) in ["1.50", "-3", "1.5", "0.1", "12E3"].enumerated() {
                    let price = Price(value: ["id": id, "amount": text])
                    price.steps.append(price.amount)
                    price.different.insert(objectsIn: ["1.0", "1", "2"])
                    if id == 1 { price.rebate = "0.5" }
                    realm.add(price)
                }
            }
        }
        let realm = try directory.open([Price.self])
        let prices = realm.objects(Price.self)
        #expect(prices.where { $0.amount == "1.500" }.map(\.id) == [0, 2])
        #expect(prices.where { $0.amount > 1 }.map(\.id) == [0, 2, 4])
        #expect(prices.where { $0.amount.in(["0.10", "3"]) }.map(\.id) == [3])
        #expect(prices.sorted(byKeyPath: "amount").map(\.id) == [1, 3, 0, 2, 4])
        #expect(prices.where { $0.rebate == nil }.count == 4)
        #expect(prices[0].amount.description == "1.50" && prices[0].different.count == 2)
        #expect(prices[4].steps[0] == 12000)
        try realm.write { prices[0].amount += "0.25" }
        #expect(prices[0].amount == "1.75")
    }
}

class Anything: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var value: AnyRealmValue
    @Persisted var values: List<AnyRealmValue>
    @Persisted var different: MutableSet<AnyRealmValue>
    @Persisted var named: Map<String, AnyRealmValue>
    @Persisted var nested: AnyRealmValue
}

class Price: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var amount: Decimal128
    @Persisted var rebate: Decimal128?
    @Persisted var steps: List<Decimal128>
    @Persisted var different: MutableSet<Decimal128>
}

extension AnyRealmValue {
    /// Whether both are numbers of the same value.
    fileprivate func isSameNumber(as other: AnyRealmValue) -> Bool {
        guard let first = decimal, let second = other.decimal else { return false }
        return first == second
    }

    private var decimal: Decimal128? {
        switch self {
        case .int(let number): Decimal128(number)
        case .float(let number): Decimal128(Double(number))
        case .double(let number): Decimal128(number)
        case .decimal128(let number): number
        default: nil
        }
    }
}
