import TestSupport
import Testing

@testable import Travertine

/// Columns of texts against plain loops.
@Suite("Columns of texts compare as plain loops do")
struct TextColumnTests {
    private static func column(_ texts: [[UInt8]?]) -> TextColumn {
        let builder = TextColumnBuilder(folding: [])
        builder.removeAll()
        for text in texts {
            if let text {
                text.withUnsafeBytes { builder.append(.bytes($0)) }
            } else {
                builder.append(.null)
            }
        }
        return TextColumn(builder)
    }

    private static func text(_ random: inout SeededRandom, _ countMax: Int) -> [UInt8] {
        (0..<random.below(countMax + 1)).map { _ in UInt8(random.pick([97, 97, 98, 0])) }
    }

    @Test("each operation, with texts that repeat, end and begin alike", arguments: 1...40)
    func operations(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        let operations: [Comparison.Operation] = [
            .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .contains,
            .beginsWith, .endsWith, .like,
        ]
        let count = random.pick([0, 1, 2, 15, 17, 100, 207, 208])
        let countMax = random.pick([1, 3, 8, 40])
        let nullPercent = random.pick([0, 0, 30, 100])
        let texts = (0..<count).map { _ in
            random.chance(nullPercent) ? nil : Self.text(&random, countMax)
        }
        let column = Self.column(texts)
        #expect(column.hasTexts && column.count == count)
        for _ in 0..<25 {
            let wanted = Self.text(&random, random.pick([1, 2, 3, 6, 20]))
            for operation in operations {
                let mask = UnsafeMutablePointer<UInt8>.allocate(capacity: LeafColumn.countMax)
                defer { mask.deallocate() }
                mask.initialize(repeating: 7, count: LeafColumn.countMax)
                wanted.withUnsafeBytes { column.compare(operation, $0, mask) }
                for (position, text) in texts.enumerated() {
                    let expected = text.map { Self.holds($0, operation, wanted) }
                    #expect(
                        (mask[position] == 1) == (expected ?? (operation == .notEqual)),
                        "seed \(seed): \(String(describing: text)) \(operation) \(wanted)")
                }
            }
            let set = TextSet((0..<random.below(12)).map { _ in Self.text(&random, countMax) })
            for text in texts.compactMap({ $0 }) {
                let found = text.withUnsafeBytes { set.contains($0) }
                #expect(found == set.texts.contains(text), "seed \(seed)")
            }
        }
    }

    private static func holds(
        _ text: [UInt8], _ operation: Comparison.Operation, _ wanted: [UInt8]
    ) -> Bool {
        switch operation {
        case .equal: text == wanted
        case .notEqual: text != wanted
        case .less: text.lexicographicallyPrecedes(wanted)
        case .lessOrEqual: !wanted.lexicographicallyPrecedes(text)
        case .greater: wanted.lexicographicallyPrecedes(text)
        case .greaterOrEqual: !text.lexicographicallyPrecedes(wanted)
        case .contains:
            wanted.isEmpty
                || text.indices.contains { text[$0...].starts(with: wanted) }
        case .beginsWith: text.starts(with: wanted)
        case .endsWith: text.reversed().starts(with: wanted.reversed())
        default: text == wanted
        }
    }

    @Test("texts that are too long together make no column, and rows answer")
    func tooLong() throws {
        let long = [UInt8](repeating: 97, count: 70_000)
        #expect(!Self.column([long]).hasTexts)
        #expect(!Self.column(Array(repeating: Array(long[..<40_000]), count: 2)).hasTexts)
        #expect(Self.column([Array(long[..<65_535])]).hasTexts)
        let directory = TemporaryDirectory()
        let realm = try directory.open([LongNote.self])
        try realm.write {
            for number in 0..<600 {
                let text = String(repeating: "ab ", count: number % 150 == 149 ? 30_000 : 2)
                realm.create(LongNote.self, value: ["number": number, "text": text + "\(number)"])
            }
        }
        let notes = realm.objects(LongNote.self)
        for _ in 0..<3 {
            #expect(notes.where { $0.text.contains("ab 59") }.count == 11)
            #expect(notes.where { $0.text.contains("ab 59") }.first?.number == 59)
            #expect(notes.where { $0.text.contains("ab 59") }.map(\.number).last == 599)
            #expect(notes.sorted(byKeyPath: "text").limit(2).map(\.number) == [0, 1])
            #expect(notes.where { $0.number > 590 && $0.text != "" }.count == 9)
            let sorted = notes.sorted(byKeyPath: "text").map(\.text)
            #expect(
                Array(sorted)
                    == notes.map(\.text).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        }
    }

    @Test("words are found in a table, of every width", arguments: 1...20)
    func words(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        let edges: [Int64] = [.min, .max, 0, -1, 1, 127, -128]
        let words = (0..<random.below(300)).map { _ in
            random.chance(20) ? random.pick(edges) : Int64(random.below(400)) - 50
        }
        let set = WordSet(words)
        #expect(set == WordSet(words.reversed()))
        let values = (0..<208).map { _ in
            random.chance(10) ? random.pick(edges) : Int64(random.below(600)) - 100
        }
        let mask = UnsafeMutablePointer<UInt8>.allocate(capacity: 208)
        defer { mask.deallocate() }
        mask.initialize(repeating: 7, count: 208)
        values.withUnsafeBufferPointer { set.test($0.baseAddress.unsafelyUnwrapped, 208, mask) }
        for position in 0..<208 {
            #expect((mask[position] == 1) == words.contains(values[position]), "seed \(seed)")
        }
    }

    @Test("texts are sorted by their bytes, whatever they have in common", arguments: 1...30)
    func sorting(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        let common = [UInt8](repeating: 97, count: 8)
        let count = random.pick([2, 10, 60, 500, 3000])
        let texts = (0..<count).map { _ -> [UInt8] in
            let middle = random.chance(50) ? [UInt8](repeating: 98, count: random.below(20)) : []
            return common + middle + Self.text(&random, 12)
        }
        let bytes = texts.map { text in
            let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: text.count, alignment: 1)
            copy.copyBytes(from: text)
            return UnsafeRawBufferPointer(copy)
        }
        defer { for text in bytes { text.deallocate() } }
        for ascending in [true, false] {
            var items = texts.indices.map { PrefixSort.Item(prefix: 0, position: $0) }
            items.withUnsafeMutableBufferPointer { items in
                bytes.withUnsafeBufferPointer {
                    TextSort($0, ascending: ascending).sort(items)
                }
            }
            let expected = texts.indices.sorted { left, right in
                let (first, second) =
                    ascending ? (texts[left], texts[right]) : (texts[right], texts[left])
                if first == second { return left < right }
                return first.lexicographicallyPrecedes(second)
            }
            #expect(items.map(\.position) == expected, "seed \(seed), \(ascending)")
        }
    }
}

class LongNote: Object {
    @Persisted var number: Int
    @Persisted var text: String
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
