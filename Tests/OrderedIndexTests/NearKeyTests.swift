import TestSupport
import Testing

@testable import OrderedIndex

/// Short ways to keys: from another key's place, from the last insertion, and inside one leaf.
@Suite("Keys that are near")
struct NearKeyTests {
    @Test("a key is found from one before it as from the root", arguments: KeyShape.allCases)
    func behindAnother(shape: KeyShape) throws {
        let seed: UInt64 = 23
        var random = SeededRandom(seed: seed)
        let index = Index.make(treeCount: 2)
        var model = IndexModel()
        try index.write { (writer: IndexWriter) throws -> Void in
            for number in 0..<1500 {
                let key = shape.makeKey(number * 2, &random)
                model.values[key] = UInt64(number)
                try writer.insert(key, UInt64(number))
                try writer.insert(key, UInt64(number), in: 1)
            }
        }
        let old = model
        let pin = index.pin(note: 0)
        defer { index.unpin(pin) }
        for every in [1, 2, 7, 300] {
            var asked = model.sortedKeys
            asked += (0..<300).map { shape.makeKey($0 * 2 + 1, &random) }
            asked.sort { $0.lexicographicallyPrecedes($1) }
            try index.write { (writer: IndexWriter) throws -> Void in
                var before: IndexWriter.KeyPlace?
                for (number, key) in asked.enumerated() where number % every == 0 {
                    let found = try key.withUnsafeBytes {
                        try writer.place(of: $0, after: before, in: 0)
                    }
                    #expect(found?.value == model.values[key], "seed \(seed), every \(every)")
                    guard let found else { continue }
                    before = found
                    if random.below(2) == 0 {
                        let value = random.next()
                        writer.replaceValue(value, at: found)
                        model.values[key] = value
                    }
                }
                // A place in another tree leads nowhere here.
                if let key = asked.last {
                    let other = try key.withUnsafeBytes {
                        try writer.place(of: $0, after: before, in: 1)
                    }
                    #expect(other?.value == old.values[key])
                }
                try index.expect(writer.trees[0], toBe: model, "every \(every)")
            }
        }
        try index.expect(pin.root.pointee.tree(0), toBe: old, "the version before")
    }

    @Test("a key that is reported as after the last one is", arguments: KeyShape.allCases)
    func behindTheLast(shape: KeyShape) throws {
        let seed: UInt64 = 29
        var random = SeededRandom(seed: seed)
        let index = Index.make(treeCount: 2)
        // In order.
        var keys: [[UInt8]] = []
        var (told, number) = (0, 0)
        for _ in 0..<8 {
            try index.write { (writer: IndexWriter) throws -> Void in
                for _ in 0..<200 {
                    let key = shape.makeKey(number, &random)
                    let isBehind = key.withUnsafeBytes { writer.isAfterLast($0, in: 0) }
                    if isBehind {
                        told += 1
                        let isGreatest = keys.last?.lexicographicallyPrecedes(key) ?? true
                        #expect(isGreatest, "seed \(seed)")
                    }
                    switch random.below(12) {
                    case 0: try writer.insert(key, 1, in: 1)
                    case 1:
                        if keys.isEmpty { break }
                        try writer.remove(keys.remove(at: random.below(keys.count)))
                    case 2:
                        let savepoint = writer.savepoint()
                        try writer.insert(key, 1)
                        writer.rollback(to: savepoint)
                    default:
                        try writer.insert(key, 1)
                        let place =
                            keys.firstIndexSorted { !$0.lexicographicallyPrecedes(key) }
                            ?? keys.count
                        if place == keys.count || keys[place] != key {
                            keys.insert(key, at: place)
                        }
                    }
                    number += 1
                }
            }
        }
        if shape == .sequential8 { #expect(told > 1000) }
    }

    @Test("the keys of a leaf that begin alike are all there are, or others follow")
    func beginningsInALeaf() throws {
        let seed: UInt64 = 31
        var random = SeededRandom(seed: seed)
        let index = Index.make()
        var model = IndexModel()
        // Few beginnings with many keys, and many with few.
        func makeKey() -> [UInt8] {
            let beginning = UInt64(random.below(2) == 0 ? random.below(4) : random.below(3000))
            var rest = random.next()
            if random.below(3) > 0 { rest &= 0xff }
            return Self.bigEndian(beginning) + Self.bigEndian(rest)
        }
        #expect(try index.withPin { try visited([1], in: $0.pointee.tree(0), index) }.isComplete)
        try index.write { (writer: IndexWriter) throws -> Void in
            for number in 0..<5000 {
                let key = makeKey()
                model.values[key] = UInt64(number)
                try writer.insert(key, UInt64(number))
            }
        }
        let sorted = Dictionary(grouping: model.sortedKeys) { Array($0.prefix(8)) }
        try index.withPin { (root: UnsafePointer<RootHeader>) throws -> Void in
            var complete = 0
            for beginning in 0..<UInt64(3010) {
                let prefix = Self.bigEndian(beginning)
                let expected = sorted[prefix] ?? []
                let found = try visited(prefix, in: root.pointee.tree(0), index)
                #expect(Array(expected.prefix(found.keys.count)) == found.keys)
                #expect(found.values == found.keys.map { model.values[$0] })
                if found.isComplete {
                    complete += 1
                    #expect(found.keys == expected, "seed \(seed), \(beginning)")
                }
            }
            #expect(complete > 2000 && complete < 3010)
        }
    }

    private static func bigEndian(_ number: UInt64) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { [UInt8]($0) }
    }

    private func visited(
        _ prefix: [UInt8], in tree: Tree, _ index: Index
    ) throws -> (keys: [[UInt8]], values: [UInt64?], isComplete: Bool) {
        var (keys, values): ([[UInt8]], [UInt64?]) = ([], [])
        let isComplete = try prefix.withUnsafeBytes { prefix in
            try index.reader.visitLeaf(beginningWith: prefix, in: tree) {
                keys.append(Array($0))
                values.append($1)
            }
        }
        return (keys, values, isComplete)
    }
}
