import Foundation
import RealmSwift
import TestSupport
import Testing

/// Objects made of dictionaries and arrays that are nested in each other deeper than a stack.
@Suite("Deeply nested values")
struct NestedValuesTests {
    private static let depth = 20_000

    /// A dictionary in a dictionary, and so on; every fifth one is the element of an array.
    private static func nested(
        _ depth: Int, keyed: Bool = false, adding: Int = 0, _ innermost: [String: Any] = [:]
    ) -> [String: Any] {
        var values = innermost
        for number in (0..<depth).reversed() {
            let inner = values
            values = ["number": number + adding]
            if keyed { values["id"] = number }
            if number % 5 == 4 { values["others"] = [inner] } else { values["next"] = inner }
        }
        return values
    }

    /// Takes a dictionary apart: the release of one goes down it by itself.
    private static func takeApart(_ values: inout [String: Any]) {
        while true {
            let inner =
                values["next"] as? [String: Any]
                ?? (values["others"] as? [[String: Any]])?.first
            guard let inner else { return }
            values = inner
        }
    }

    private static func length(of first: NestedLoop) -> Int {
        var (loop, count) = (first, 0)
        while let next = loop.next ?? loop.others.first {
            #expect(loop.number == count)
            loop = next
            count += 1
        }
        return count
    }

    @Test("make an unmanaged object, and one in a realm")
    func creating() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([NestedLoop.self])
        var values = Self.nested(Self.depth)
        #expect(Self.length(of: NestedLoop(value: values)) == Self.depth)
        let loop = try realm.write { realm.create(NestedLoop.self, value: values) }
        #expect(Self.length(of: loop) == Self.depth)
        #expect(realm.objects(NestedLoop.self).count == Self.depth + 1)
        try realm.write {
            loop.next = nil
            loop["next"] = values
        }
        #expect(loop.next.map(Self.lengthWithoutNumbers) == Self.depth)
        Self.takeApart(&values)
    }

    private static func lengthWithoutNumbers(of first: NestedLoop) -> Int {
        var (loop, count) = (first, 0)
        while let next = loop.next ?? loop.others.first { (loop, count) = (next, count + 1) }
        return count
    }

    @Test("update objects with primary keys, those that are there and those that are not")
    func updating() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([KeyedLoop.self])
        var half = Self.nested(Self.depth / 2, keyed: true, ["id": -1])
        try realm.write { realm.create(KeyedLoop.self, value: half, update: .modified) }
        #expect(realm.objects(KeyedLoop.self).count == Self.depth / 2 + 1)
        Self.takeApart(&half)
        var values = Self.nested(Self.depth, keyed: true, adding: 7, ["id": -2])
        try realm.write { realm.create(KeyedLoop.self, value: values, update: .modified) }
        #expect(realm.objects(KeyedLoop.self).count == Self.depth + 2)
        #expect(
            realm.objects(KeyedLoop.self).where { $0.id >= 0 }.allSatisfy {
                $0.number == $0.id + 7 && ($0.next != nil || $0.others.count == 1)
            })
        Self.takeApart(&values)
    }

    @Test("make unmanaged embedded objects")
    func embedded() {
        var values: [String: Any] = [:]
        for number in 0..<Self.depth { values = ["number": number, "next": values] }
        let owner = ChainOwner(value: ["ring": values])
        #expect(Self.numbers(of: owner) == (0..<Self.depth).reversed() + [0])
        Self.takeApart(&values)
    }

    private static func numbers(of owner: ChainOwner) -> [Int] {
        var (ring, numbers) = (owner.ring, [Int]())
        while let current = ring {
            numbers.append(current.number)
            ring = current.next
        }
        return numbers
    }

    @Test("whose innermost one does not fit fail the transaction")
    func wrongValue() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([NestedLoop.self])
        var values = Self.nested(Self.depth, ["number": "many"])
        let error = try #require(throws: Realm.Error.self) {
            try realm.write { realm.create(NestedLoop.self, value: values) }
        }
        #expect(error.code == .invalidInput && error.message.contains("number"))
        #expect(realm.isEmpty)
        Self.takeApart(&values)
    }

    @Test("with an unmanaged object at the bottom are refused where it can't be copied")
    func objectAtTheBottom() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([NestedLoop.self])
        let bottom = NestedLoop()
        var near = Self.nested(20, ["next": bottom])
        try realm.write { realm.create(NestedLoop.self, value: near) }
        #expect(realm.objects(NestedLoop.self).count == 22 && bottom.realm == nil)
        Self.takeApart(&near)
        var far = Self.nested(Self.depth, ["next": bottom])
        #expect(throws: Realm.Error.self) {
            try realm.write { realm.create(NestedLoop.self, value: far) }
        }
        #expect(realm.objects(NestedLoop.self).count == 22)
        Self.takeApart(&far)
    }

    @Test("of any type are refused beyond the room that there is for them")
    func mixed() throws {
        var values: [Any] = []
        for _ in 0..<Self.depth { values = [values] }
        let object = NestedLoop()
        let directory = TemporaryDirectory()
        let realm = try directory.open([NestedLoop.self])
        let error = try #require(throws: Realm.Error.self) {
            try realm.write { realm.create(NestedLoop.self, value: ["mixed": values]) }
        }
        #expect(error.code == .invalidInput)
        #expect(object.mixed == .none && AnyRealmValue(any: values) == nil)
        while let inner = values.first as? [Any] { values = inner }
    }
}

class NestedLoop: Object {
    @Persisted var number: Int
    @Persisted var next: NestedLoop?
    @Persisted var others: List<NestedLoop>
    @Persisted var mixed: AnyRealmValue
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class KeyedLoop: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var number: Int
    @Persisted var next: KeyedLoop?
    @Persisted var others: List<KeyedLoop>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
