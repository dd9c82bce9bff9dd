import RealmSwift
import TestSupport
import Testing

@testable import Travertine

@Suite("Lists that are sorted in place")
struct ListSortingTests {
    @Test(
        "keep embedded objects, links and nested values, whatever their size", arguments: [5, 3000])
    func sorting(count: Int) throws {
        let directory = TemporaryDirectory()
        let seed = UInt64.random(in: 0..<1 << 32)
        var random = SeededRandom(seed: seed)
        let realm = try directory.open([SortedPile.self, SortedCard.self])
        let numbers = (0..<count).map { _ in random.below(count / 2) }
        let pile = try realm.write {
            realm.create(
                SortedPile.self,
                value: [
                    "numbers": numbers, "cards": numbers.map { ["rank": $0] },
                    "mixed": numbers.map { [$0, ["k": $0]] as [Any] },
                ])
        }
        let handles = Array(pile.cards)
        try realm.write {
            pile.links.append(objectsIn: repeatElement(pile, count: 3))
            pile.numbers.sort()
            pile.cards.sort { $0.rank < $1.rank }
            pile.mixed.sort {
                ($0.listValue?[0].intValue ?? 0) > ($1.listValue?[0].intValue ?? 0)
            }
            pile.links.sort { _, _ in false }
        }
        let sorted = numbers.sorted()
        #expect(Array(pile.numbers) == sorted, "seed \(seed)")
        #expect(pile.cards.map(\.rank) == sorted && pile.links.count == 3, "seed \(seed)")
        #expect(
            handles.allSatisfy { !$0.isInvalidated && $0.parent?.isSameObject(as: pile) == true })
        let nested = pile.mixed.map { $0.listValue?[1].dictionaryValue?["k"]?.intValue }
        #expect(nested == sorted.reversed(), "seed \(seed)")
        #expect(try realm.brokenInvariants() == [])
        try realm.store.close()
        #expect(try ObjectVerifier.verify(path: directory.url.path).findings.isEmpty)
    }

    @Test("of no realm are sorted as arrays are")
    func unmanaged() {
        let pile = SortedPile(value: ["numbers": [3, 1, 2]])
        pile.numbers.sort()
        #expect(Array(pile.numbers) == [1, 2, 3])
        pile.numbers.sort(by: >)
        #expect(Array(pile.numbers) == [3, 2, 1])
    }

    @Test("and lose elements while they are compared stop with advice")
    func changedMeanwhile() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let directory = TemporaryDirectory()
            let realm = try directory.open([SortedPile.self, SortedCard.self])
            try realm.write {
                let pile = realm.create(SortedPile.self, value: ["numbers": [3, 1, 2]])
                pile.numbers.sort {
                    pile.numbers.removeAll()
                    return $0 < $1
                }
            }
        }
        let message = result.errorText
        #expect(message.contains("changed while it was being sorted"))
    }

    @Test("in a transaction that failed stay as they are")
    func failed() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([SortedPile.self, SortedCard.self])
        let pile = try realm.write { realm.create(SortedPile.self, value: ["numbers": [2, 1]]) }
        #expect(throws: Realm.Error.self) {
            try realm.write {
                pile["numbers"] = "no list"
                pile.numbers.sort()
            }
        }
        #expect(Array(pile.numbers) == [2, 1])
    }
}

class SortedCard: EmbeddedObject {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted var rank: Int
}

class SortedPile: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted var numbers: List<Int>
    @Persisted var cards: List<SortedCard>
    @Persisted var mixed: List<AnyRealmValue>
    @Persisted var links: List<SortedPile>
}
