import Foundation
import RealmSwift
import TestSupport
import Testing

@Suite("Frozen versions in random histories")
struct FrozenHistoryTests {
    /// A valley as Swift values.
    private struct Copy: Equatable, Sendable {
        let id: Int
        let name: String
        let depth: Double
        let note: String?
        let heights: [Int]
        let words: Set<String>
        let measures: [String: Double]
        let glaciers: [String]
        let beds: [Int]
        let flows: [Int]
        let anything: Int?

        init(_ valley: Valley) {
            id = valley.id
            name = valley.name
            depth = valley.depth
            note = valley.note
            heights = Array(valley.heights)
            words = Set(valley.words)
            measures = Dictionary(
                valley.measures.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
            glaciers = valley.glaciers.map { "\($0.name) \($0.length)" }
            beds = valley.huts.map(\.beds)
            flows = valley.streams.map(\.flow)
            anything = valley.anything.intValue
        }
    }

    /// One version: frozen, and as values.
    private struct Version: Sendable {
        let valleys: Frozen<Results<Valley>>
        let shallow: Frozen<Results<Valley>>
        let copies: [Copy]

        init(_ realm: Realm) {
            valleys = Frozen(realm.objects(Valley.self))
            shallow = Frozen(realm.objects(Valley.self).where { $0.depth < 50 })
            copies = realm.objects(Valley.self).map { Copy($0) }
        }

        /// Whether the frozen version is what it was, on this thread.
        func isRight() -> Bool {
            valleys.value.map { Copy($0) } == copies
                && shallow.value.map(\.id) == copies.filter { $0.depth < 50 }.map(\.id)
        }
    }

    @Test("a frozen version equals the Swift values of its time", arguments: [1, 2, 3])
    func history(_ round: Int) throws {
        let seed = UInt64.random(in: 1...1_000_000) &+ UInt64(round)
        var random = SeededRandom(seed: seed)
        let directory = TemporaryDirectory()
        let realm = try directory.open(Valley.classes)
        var versions: [Version] = []
        for _ in 0..<60 {
            try realm.write { for _ in 0..<random.below(6) { change(realm, &random) } }
            if random.below(8) == 0 { try realm.store.checkpoint() }
            if random.below(10) == 0 { try realm.store.compact() }
            if random.below(2) == 0 { versions.append(Version(realm)) }
            if versions.count > 6 { versions.remove(at: random.below(versions.count)) }
            if let version = versions.randomElement(using: &random) {
                #expect(version.isRight(), "seed \(seed)")
            }
        }
        let kept = versions
        try onThreads(3) { number in
            for version in number == 1 ? kept.reversed() : kept {
                #expect(version.isRight(), "seed \(seed), thread \(number)")
            }
        }
        versions = []
        realm.refresh()
        #expect(try realm.brokenInvariants().isEmpty, "seed \(seed)")
    }

    /// Changes one thing, or adds or deletes a valley.
    private func change(_ realm: Realm, _ random: inout SeededRandom) {
        let id = random.below(30)
        guard let valley = realm.object(ofType: Valley.self, forPrimaryKey: id) else {
            addValley(realm, id).anything = .int(id)
            return
        }
        switch random.below(11) {
        case 0: realm.delete(valley)
        case 1: valley.name += "x"
        case 2: valley.depth = Double(random.below(100))
        case 3: valley.note = valley.note == nil ? "note" : nil
        case 4:
            for number in 0..<random.below(200) { valley.heights.append(number) }
        case 5: if !valley.heights.isEmpty { valley.heights.removeFirst() }
        case 6: valley.words.insert("w\(random.below(50))")
        case 7: valley.measures["m\(random.below(5))"] = Double(id)
        case 8: valley.glaciers.first?.length += 1
        case 9: valley.anything = .int(random.below(1000))
        default:
            if let glacier = valley.glaciers.last { realm.delete(glacier) }
            realm.create(Stream.self, value: ["valley": valley, "flow": id])
        }
    }
}
