import RealmSwift
import TestSupport
import Testing

/// Calls of collections as code for RealmSwift spells them.
@Suite("Spellings of collections")
struct CollectionSpellingTests {
    private func inBoth(_ body: (SpelledBox) throws -> Void) throws {
        try body(SpelledBox())
        let directory = TemporaryDirectory()
        let realm = try directory.open([SpelledBox.self])
        try realm.write { try body(realm.create(SpelledBox.self)) }
    }

    @Test("a map takes the entries of a map, of a dictionary and of pairs, labelled or not")
    func merging() throws {
        try inBoth { box in
            let map = box.numbers
            let other: Map<String, Int> = ["a": 10, "b": 20]
            map["a"] = 1
            map.merge(other) { $0 + $1 }
            #expect(map["a"] == 11 && map["b"] == 20)
            map.merge(other.asKeyValueSequence()) { $1 }
            #expect(map["a"] == 10)
            map.merge(["a": 5]) { $0 * $1 }
            map.merge([("a", 1), ("c", 3)]) { $0 + $1 }
            #expect(map["a"] == 51 && map["c"] == 3)
            map.merge(map) { first, _ in first }
            #expect(map.count == 3 && map["a"] == 51)
        }
    }

    @Test("a list replaces and removes ranges of every form")
    func ranges() throws {
        try inBoth { box in
            let list = box.texts
            list.append(objectsIn: ["a", "b", "c", "d", "e"])
            list.removeSubrange(0...1)
            #expect(Array(list) == ["c", "d", "e"])
            list.replaceSubrange(0...0, with: ["x", "y"])
            #expect(Array(list) == ["x", "y", "d", "e"])
            list.replaceSubrange(..<1, with: [])
            list.removeSubrange(2...)
            #expect(Array(list) == ["y", "d"])
            list.removeSubrange(0..<1)
            list.replaceSubrange(...0, with: ["z"])
            #expect(Array(list) == ["z"])
        }
    }

    @Test("collections are equal by their contents, and two managed ones if they are the same")
    func equality() throws {
        let (first, second) = (SpelledBox(), SpelledBox())
        #expect(first.texts == second.texts && first.flags == second.flags)
        #expect(first.numbers == second.numbers)
        first.texts.append("a")
        first.flags.insert(1)
        first.numbers["a"] = 1
        #expect(first.texts != second.texts && first.flags != second.flags)
        #expect(first.numbers != second.numbers)
        second.texts.append("a")
        second.flags.insert(1)
        second.numbers["a"] = 1
        #expect(first.texts == second.texts && first.flags == second.flags)
        #expect(first.numbers == second.numbers)
        let directory = TemporaryDirectory()
        let realm = try directory.open([SpelledBox.self])
        try realm.write { realm.add(first) }
        #expect(first.texts == second.texts && second.flags == first.flags)
        #expect(first.numbers == second.numbers && second.numbers == first.numbers)
        second.texts.append("b")
        second.flags.insert(2)
        second.numbers["a"] = 2
        #expect(first.texts != second.texts && second.flags != first.flags)
        #expect(first.numbers != second.numbers)
        second.texts.removeLast()
        second.flags.remove(2)
        second.numbers["a"] = 1
        try realm.write { realm.add(second) }
        // Two managed collections are equal if they are one.
        #expect(first.texts != second.texts && first.numbers != second.numbers)
        let again = try #require(realm.objects(SpelledBox.self).first)
        #expect(first.texts == again.texts && first.flags == again.flags)
    }

    @Test("values of any type with unmanaged contents are equal by these, and hash alike")
    func mixed() {
        func nested(_ number: Int) -> AnyRealmValue {
            .fromArray([.int(1), .fromDictionary(["a": .fromArray([.int(number)]), "b": .none])])
        }
        #expect(AnyRealmValue.fromArray([.int(1)]) == .fromArray([.int(1)]))
        #expect(nested(1) == nested(1) && nested(1) != nested(2))
        #expect(nested(1).hashValue == nested(1).hashValue)
        #expect(Set([nested(1), nested(1), nested(2)]).count == 2)
        #expect(AnyRealmValue.fromDictionary(["a": .none]) != .fromDictionary(["b": .none]))
        #expect(AnyRealmValue.fromArray([.int(1)]) != .fromArray([.int(1), .int(1)]))
    }

    @Test("comparing values that hold themselves ends")
    func cycles() {
        let (first, second) = (List<AnyRealmValue>(), List<AnyRealmValue>())
        for list in [first, second] { list.append(objectsIn: [.list(list), .list(list)]) }
        #expect(AnyRealmValue.list(first) != .list(second))
        #expect(AnyRealmValue.list(first) == .list(first))
        for list in [first, second] { list.removeAll() }
    }
}

final class SpelledBox: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    @Persisted var texts: List<String>
    @Persisted var flags: MutableSet<Int>
    @Persisted var numbers: Map<String, Int>
}
