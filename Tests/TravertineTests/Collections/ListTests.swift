import Foundation
import RealmSwift
import TestSupport
import Testing

@Suite("Lists")
struct ListTests {
    @Test("random changes of lists give what an array gives", arguments: [1, 2, 3] as [UInt64])
    func randomChanges(seed: UInt64) throws {
        let directory = TemporaryDirectory()
        var random = SeededRandom(seed: seed)
        var texts: [String] = []
        var numbers: [Int?] = []
        do {
            let realm = try directory.open([Shelf.self])
            let shelf = Shelf()
            try realm.write { realm.add(shelf) }
            for round in 0..<60 {
                let before = (texts, numbers)
                do {
                    try realm.write {
                        for _ in 0..<random.below(6) {
                            Self.change(shelf.texts, &texts, &random) { $0.text() }
                            Self.change(shelf.numbers, &numbers, &random) {
                                $0.chance(20) ? nil : Int(truncatingIfNeeded: $0.next())
                            }
                        }
                        #expect(Array(shelf.texts) == texts, "seed \(seed), round \(round)")
                        if random.chance(20) { throw Stop() }
                    }
                } catch is Stop {
                    (texts, numbers) = before
                }
                #expect(Array(shelf.texts) == texts, "seed \(seed), round \(round)")
                #expect(Array(shelf.numbers) == numbers, "seed \(seed), round \(round)")
                #expect(shelf.texts.count == texts.count)
                if !texts.isEmpty {
                    let position = random.below(texts.count)
                    #expect(shelf.texts[position] == texts[position])
                }
            }
        }
        let realm = try directory.open([Shelf.self])
        let shelf = try #require(realm.objects(Shelf.self).first)
        #expect(Array(shelf.texts) == texts)
        #expect(Array(shelf.numbers) == numbers)
    }

    private static func change<Element>(
        _ list: List<Element>, _ model: inout [Element], _ random: inout SeededRandom,
        _ make: (inout SeededRandom) -> Element
    ) {
        switch random.below(10) {
        case 0:
            list.removeAll()
            model.removeAll()
        case 1, 2:
            let added = (0..<random.below(800)).map { _ in make(&random) }
            list.append(objectsIn: added)
            model.append(contentsOf: added)
        case 3:
            let place = random.below(model.count + 1)
            let added = (0..<random.below(300)).map { _ in make(&random) }
            list.insert(contentsOf: added, at: place)
            model.insert(contentsOf: added, at: place)
        case 4 where !model.isEmpty:
            let start = random.below(model.count)
            let end = start + random.below(model.count - start + 1)
            list.removeSubrange(start..<end)
            model.removeSubrange(start..<end)
        case 5 where !model.isEmpty:
            let place = random.below(model.count)
            let element = make(&random)
            list[place] = element
            model[place] = element
        case 6 where model.count > 1:
            let (from, to) = (random.below(model.count), random.below(model.count))
            list.move(from: from, to: to)
            model.insert(model.remove(at: from), at: to)
        default:
            let element = make(&random)
            list.append(element)
            model.append(element)
        }
    }

    @Test("a large list costs a few nodes to append to, and is read by position")
    func largeList() throws {
        let directory = TemporaryDirectory()
        let count = 60_000
        let realm = try directory.open([Shelf.self])
        let shelf = Shelf()
        try realm.write {
            shelf.numbers.append(objectsIn: (0..<count).map { $0 })
            realm.add(shelf)
        }
        let written = try realm.store.statistics.segments.reduce(0) { $0 + $1.writtenByteCount }
        for number in 0..<20 {
            try realm.write { shelf.numbers.append(count + number) }
        }
        let after = try realm.store.statistics.segments.reduce(0) { $0 + $1.writtenByteCount }
        #expect(after - written < 20 * 16_384)
        #expect(shelf.numbers.count == count + 20)
        for position in stride(from: 0, to: count, by: 7919) {
            #expect(shelf.numbers[position] == position)
        }
        #expect(shelf.numbers.last == count + 19)
        try realm.write { realm.delete(shelf) }
        let pieces = try realm.store.statistics.keyspaces.first { $0.name.hasSuffix("pieces") }
        #expect(pieces?.keyCount == 0)
    }

    @Test("appending one by one in a transaction fills nodes")
    func appendOneByOne() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Shelf.self])
        let shelf = Shelf()
        try realm.write {
            realm.add(shelf)
            for number in 0..<5000 { shelf.numbers.append(number) }
        }
        #expect(Array(shelf.numbers) == (0..<5000).map { $0 })
        let pieces = try realm.store.statistics.keyspaces.first { $0.name.hasSuffix("pieces") }
        #expect((pieces?.keyCount ?? 0) < 20)
    }

    @Test("an unmanaged list behaves like an array, and becomes the stored one")
    func unmanaged() throws {
        let directory = TemporaryDirectory()
        let shelf = Shelf()
        let list = shelf.texts
        list.append("a")
        list.insert("b", at: 0)
        list[1] = "c"
        #expect(Array(shelf.texts) == ["b", "c"])
        let other = Shelf()
        other.texts = shelf.texts
        #expect(Array(other.texts) == ["b", "c"] && other.texts !== shelf.texts)
        let realm = try directory.open([Shelf.self])
        try realm.write {
            realm.add(shelf)
            list.append("d")
        }
        #expect(shelf.texts === list && Array(shelf.texts) == ["b", "c", "d"])
        let found = try #require(realm.objects(Shelf.self).first)
        #expect(found.texts == list && Array(found.texts) == ["b", "c", "d"])
        try realm.write { found.texts = other.texts }
        #expect(Array(list) == ["b", "c"])
    }
}

class Shelf: Object {
    @Persisted var title: String
    @Persisted var texts: List<String>
    @Persisted var numbers: List<Int?>
}
