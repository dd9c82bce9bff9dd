import RealmSwift
import TestSupport
import Testing

@testable import Travertine

/// Sorting, grouping and counting of links from what nodes have, against plain Swift.
@Suite("Order, groups and counts of links from columns and entries")
struct ColumnOrderTests {
    private static let ratios = [0, -0.0, .nan, .infinity, -.infinity, 1.5, 0.1, -2, 1e300, -1e300]

    private static func open(_ directory: TemporaryDirectory, budget: Int = 64 << 20) throws
        -> Realm
    {
        var configuration = Realm.Configuration(
            fileURL: directory.url, objectTypes: [WordOwner.self], durability: .unsynced)
        configuration.queryMemoryBudget = budget
        return try Realm(configuration: configuration)
    }

    /// Texts of which many are equal, or begin alike, or differ by zeros only.
    private static func word(_ random: inout SeededRandom, differing: Bool) -> String {
        if differing { return "word \(random.next() % 100_000)" }
        let starts = ["", "a", "abcdefgh", "abcdefgh\0", "abcdefghijklmnopqrs", "é", "zebra"]
        let ends = ["", "\0", "\0\0", "1", "12345678", "ü"]
        return random.pick(starts) + random.pick(ends)
    }

    private static func fill(
        _ realm: Realm, _ count: Int, _ random: inout SeededRandom, differing: Bool
    ) throws {
        try realm.write {
            for number in 0..<count {
                let owner = WordOwner()
                owner.id = (number - count / 2) * 3
                change(owner, &random, differing: differing)
                realm.add(owner)
            }
            let all = Array(realm.objects(WordOwner.self))
            for owner in all { link(owner, all, &random) }
        }
    }

    private static func change(
        _ owner: WordOwner, _ random: inout SeededRandom, differing: Bool
    ) {
        owner.word = word(&random, differing: differing)
        owner.maybe = random.chance(20) ? nil : word(&random, differing: differing)
        owner.weight = random.chance(10) ? nil : random.below(7)
        owner.wide = random.chance(50) ? random.below(20_000) : random.pick([.min, .max, 0])
        owner.tiny = Int8(truncatingIfNeeded: random.next())
        owner.ratio = random.pick(ratios)
    }

    private static func link(
        _ owner: WordOwner, _ all: [WordOwner], _ random: inout SeededRandom
    ) {
        // Few objects have most of the links, so that those of one lie in several leaves.
        let few = min(all.count, random.chance(50) ? 3 : all.count)
        owner.friend = random.chance(20) ? nil : all[random.below(few)]
        owner.friends.removeAll()
        for _ in 0..<random.below(3) { owner.friends.append(all[random.below(few)]) }
    }

    // MARK: Sorting

    private static func order(_ left: String, _ right: String) -> Int {
        let (first, second) = (Array(left.utf8), Array(right.utf8))
        return first == second ? 0 : first.lexicographicallyPrecedes(second) ? -1 : 1
    }

    private static func order(_ left: Double, _ right: Double) -> Int {
        if left.isNaN || right.isNaN { return (left.isNaN ? 0 : 1) - (right.isNaN ? 0 : 1) }
        return left == right ? 0 : left < right ? -1 : 1
    }

    private static let keys: [(name: String, order: @Sendable (WordFacts, WordFacts) -> Int)] = [
        ("word", { order($0.word, $1.word) }),
        (
            "maybe",
            {
                guard let left = $0.maybe, let right = $1.maybe else {
                    return ($0.maybe == nil ? 0 : 1) - ($1.maybe == nil ? 0 : 1)
                }
                return order(left, right)
            }
        ),
        ("weight", { ($0.weight ?? -1) - ($1.weight ?? -1) }),
        ("ratio", { order($0.ratio, $1.ratio) }),
        ("id", { $0.id - $1.id }),
    ]

    @Test(
        "rows sorted from columns are in the order of plain Swift, ties in key order",
        arguments: [(1, false), (2, true), (3, false)] as [(UInt64, Bool)])
    func sorting(seed: UInt64, differing: Bool) throws {
        let directory = TemporaryDirectory()
        let realm = try Self.open(directory)
        var random = SeededRandom(seed: seed)
        try Self.fill(realm, 900, &random, differing: differing)
        for round in 0..<40 {
            let chosen = (0...random.below(3)).map { _ in
                (key: random.pick(Self.keys), ascending: random.chance(50))
            }
            let limit = random.chance(30) ? random.below(6) : nil
            var owners = realm.objects(WordOwner.self)
            if let limit { owners = owners.where { $0.weight > limit } }
            let facts = owners.map { WordFacts($0) }
            let expected = facts.sorted { left, right in
                for (key, ascending) in chosen {
                    let order = key.order(left, right)
                    if order != 0 { return (order < 0) == ascending }
                }
                return left.id < right.id
            }.map(\.id)
            let sorted = owners.sorted(
                by: chosen.map { SortDescriptor(keyPath: $0.key.name, ascending: $0.ascending) })
            let hint = "\(chosen.map { ($0.key.name, $0.ascending) }), \(round), seed \(seed)"
            #expect(sorted.map(\.id) == expected, "\(hint)")
            try realm.write { #expect(sorted.map(\.id) == expected, "in a transaction: \(hint)") }
        }
    }

    @Test("texts are put in order as plain Swift does, equal ones as they are")
    func texts() {
        var random = SeededRandom(seed: 5)
        for count in [0, 1, 2, 255, 256, 300, 3000] {
            for differing in [false, true] {
                let words = (0..<count).map { _ in
                    Array(Self.word(&random, differing: differing).utf8)
                }
                for ascending in [true, false] {
                    let expected = words.indices.sorted { left, right in
                        if words[left] == words[right] { return left < right }
                        return words[left].lexicographicallyPrecedes(words[right]) == ascending
                    }
                    let (positions, runs) = Self.withTexts(words) {
                        TextOrder($0, ascending: ascending).sorted(findsRuns: true)
                    }
                    #expect(positions == expected, "\(count), \(differing), \(ascending)")
                    #expect(
                        runs
                            == TextOrder.runs(count) {
                                words[expected[$0]] == words[expected[$1]]
                            })
                }
            }
        }
    }

    private static func withTexts<Result>(
        _ words: [[UInt8]], _ body: ([TextOrder.Text]) -> Result
    ) -> Result {
        let all: [UInt8] = Array(words.joined()) + [0]
        return all.withUnsafeBytes { bytes in
            var start = 0
            return body(
                words.enumerated().map { position, word in
                    defer { start += word.count }
                    return TextOrder.Text(
                        UnsafeRawBufferPointer(rebasing: bytes[start..<start + word.count]),
                        position: position)
                })
        }
    }

    // MARK: Groups

    @Test(
        "groups from columns are those of rows in a transaction, and of plain Swift",
        arguments: [11, 12] as [UInt64])
    func groups(seed: UInt64) throws {
        let directory = TemporaryDirectory()
        let realm = try Self.open(directory)
        let plainDirectory = TemporaryDirectory()
        let plain = try Self.open(plainDirectory, budget: 0)
        for realm in [realm, plain] {
            var random = SeededRandom(seed: seed)
            try Self.fill(realm, 700, &random, differing: false)
        }
        for limit in [nil, 2, 6] {
            func text(_ realm: Realm) -> String {
                var owners = realm.objects(WordOwner.self)
                if let limit { owners = owners.where { $0.weight > limit } }
                return Self.text(owners)
            }
            let found = text(realm)
            #expect(found == text(plain), "without memory, seed \(seed)")
            try realm.write { #expect(found == text(realm), "in a transaction, seed \(seed)") }
        }
        let facts = realm.objects(WordOwner.self).map { WordFacts($0) }
        let byWeight = Dictionary(grouping: facts, by: \.weight)
        let groups = realm.objects(WordOwner.self).grouped(by: \.weight).aggregates(of: \.tiny)
        #expect(groups.map(\.key) == byWeight.keys.sorted { ($0 ?? -1) < ($1 ?? -1) })
        for group in groups {
            #expect(group.count == byWeight[group.key]?.count)
            let members = try #require(byWeight[group.key])
            #expect(group.max(of: \.tiny) == members.map(\.tiny).max())
        }
    }

    /// What grouping by each property gives, with the bits of sums.
    private static func text(_ owners: Results<WordOwner>) -> String {
        func lines<Key>(_ groups: GroupedResults<Key, WordOwner>) -> String {
            groups.aggregates(of: \.ratio, \.weight, \.wide).map { group in
                let mean = group.average(of: \.ratio).map { "\($0.bitPattern)" } ?? "-"
                return "\(group.key) \(group.count) \(mean) \(group.sum(of: \.weight) ?? 0) "
                    + "\(group.min(of: \.ratio) ?? 0) \(group.max(of: \.wide) ?? 0)"
            }.joined(separator: "\n")
        }
        return [
            lines(owners.grouped(by: \.weight)), lines(owners.grouped(by: \.word)),
            lines(owners.grouped(by: \.maybe)), lines(owners.grouped(by: \.ratio)),
            lines(owners.grouped(by: \.wide)), lines(owners.grouped(by: \.tiny)),
            lines(owners.grouped(by: \.friend?.weight)),
        ].joined(separator: "\n\n")
    }

    // MARK: Links

    @Test(
        "counts of links agree with plain Swift after every change",
        arguments: [21, 22] as [UInt64])
    func links(seed: UInt64) throws {
        let directory = TemporaryDirectory()
        let realm = try Self.open(directory)
        var random = SeededRandom(seed: seed)
        try Self.fill(realm, 600, &random, differing: false)
        for round in 0..<8 {
            try Self.checkLinks(realm, "round \(round), seed \(seed)")
            try realm.write {
                let all = Array(realm.objects(WordOwner.self))
                for _ in 0..<random.below(5) { realm.delete(all[random.below(all.count)]) }
                let left = Array(realm.objects(WordOwner.self))
                for _ in 0..<random.below(20) {
                    Self.link(left[random.below(left.count)], left, &random)
                }
                try Self.checkLinks(realm, "in a transaction, round \(round), seed \(seed)")
            }
        }
    }

    private static func checkLinks(_ realm: Realm, _ hint: String) throws {
        let owners = realm.objects(WordOwner.self)
        var followers: [Int: Int] = [:]
        var fans: [Int: Int] = [:]
        for owner in owners {
            if let friend = owner.friend { followers[friend.id, default: 0] += 1 }
            for friend in owner.friends { fans[friend.id, default: 0] += 1 }
        }
        let ids = owners.map(\.id)
        for (name, counts) in [("followers", followers), ("fans", fans)] {
            for (text, holds) in Self.comparisons {
                let expected = ids.filter { holds(counts[$0] ?? 0) }
                let format = text.replacing("#", with: "\(name).@count")
                // Twice: what is asked again is kept.
                #expect(owners.filter(format).count == expected.count, "\(format), \(hint)")
                #expect(owners.filter(format).count == expected.count, "\(format), \(hint)")
                #expect(owners.filter(format).map(\.id) == expected, "\(format), \(hint)")
            }
        }
        #expect(
            owners.where { $0.followers.count > 1 && $0.weight > 3 }.map(\.id)
                == owners.filter { (followers[$0.id] ?? 0) > 1 && ($0.weight ?? 0) > 3 }.map(\.id))
    }

    private static let comparisons: [(String, @Sendable (Int) -> Bool)] = [
        ("# > 3", { $0 > 3 }), ("# == 0", { $0 == 0 }), ("# != 1", { $0 != 1 }),
        ("# <= 1", { $0 <= 1 }), ("2 < #", { $0 > 2 }), ("# >= 100", { $0 >= 100 }),
        ("# < 0", { _ in false }), ("# >= 0", { _ in true }),
    ]

    @Test("links are counted alike however their entries are divided among nodes")
    func divisions() {
        var random = SeededRandom(seed: 31)
        for _ in 0..<400 {
            var entries: [(target: UInt64, count: Int64)] = []
            for target in 0..<random.below(12) {
                for _ in 0..<random.below(5) {
                    entries.append((UInt64(target), Int64(1 + random.below(2))))
                }
            }
            let comparison = LinkCountComparison(
                operation: random.pick([.greater, .equal, .less, .notEqual]),
                number: Int64(random.below(5)))
            func summary(_ range: Range<Int>, depth: Int) -> LinkCountSummary {
                if depth == 0 || range.count < 2 {
                    var leaf = LinkCountSummary(comparison)
                    for entry in entries[range] {
                        leaf.add(entry.count, to: entry.target, comparison)
                    }
                    return leaf
                }
                var sum = LinkCountSummary.none
                var start = range.lowerBound
                while start < range.upperBound {
                    let end = min(range.upperBound, start + 1 + random.below(4))
                    sum.add(summary(start..<end, depth: depth - 1))
                    start = end
                }
                return sum
            }
            let counts = Dictionary(grouping: entries, by: \.target)
                .mapValues { $0.reduce(0) { $0 + $1.count } }
            let found = summary(0..<entries.count, depth: random.below(3))
            #expect(found.targetCount == counts.count)
            #expect(found.matchCount == counts.values.count { comparison.holds($0) })
        }
    }
}

/// What a `WordOwner` has, read once.
private struct WordFacts {
    let id: Int
    let word: String
    let maybe: String?
    let weight: Int?
    let tiny: Int8
    let ratio: Double

    init(_ owner: WordOwner) {
        id = owner.id
        word = owner.word
        maybe = owner.maybe
        weight = owner.weight
        tiny = owner.tiny
        ratio = owner.ratio
    }
}

class WordOwner: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var word: String
    @Persisted var maybe: String?
    @Persisted var weight: Int?
    @Persisted var wide: Int
    @Persisted var tiny: Int8
    @Persisted var ratio: Double
    @Persisted var friend: WordOwner?
    @Persisted var friends: List<WordOwner>
    @Persisted(originProperty: "friend") var followers: LinkingObjects<WordOwner>
    @Persisted(originProperty: "friends") var fans: LinkingObjects<WordOwner>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
