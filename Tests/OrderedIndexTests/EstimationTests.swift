import TestSupport
import Testing

@testable import OrderedIndex

@Suite("Numbers of keys in a range")
struct EstimationTests {
    @Test(
        "they are exact where both ends are near, and else within the bound of the fan-outs",
        arguments: KeyShape.allCases)
    func withinBound(shape: KeyShape) throws {
        let seed: UInt64 = 41
        var random = SeededRandom(seed: seed)
        let index = Index.make()
        var keys: Set<[UInt8]> = []
        try index.write { (writer: IndexWriter) throws -> Void in
            for number in 0..<3000 {
                let key = shape.makeKey(number, &random)
                try writer.insert(key, 1)
                keys.insert(key)
            }
            // Leaves that are filled differently.
            for key in keys.sorted(by: { $0.lexicographicallyPrecedes($1) })
            where random.chance(keys.count % 2 == 0 ? 40 : 20) {
                try writer.remove(key)
                keys.remove(key)
            }
        }
        let sorted = keys.sorted { $0.lexicographicallyPrecedes($1) }
        try index.withPin { (root: UnsafePointer<RootHeader>) throws -> Void in
            let tree = root.pointee.tree(0)
            let factor = try Self.boundFactor(of: tree, index.reader)
            for round in 0..<200 {
                var bounds = [shape.makeKey(random.below(3000), &random), random.pick(sorted)]
                if round % 5 == 0 { bounds[0] = [] }
                bounds.sort { $0.lexicographicallyPrecedes($1) }
                let end = round % 7 == 0 ? nil : bounds[1]
                let found = try index.reader.estimatedCount(bounds[0], end, in: tree)
                let first =
                    sorted.firstIndexSorted { !$0.lexicographicallyPrecedes(bounds[0]) }
                    ?? sorted.count
                let last =
                    end.map { end in
                        sorted.firstIndexSorted { !$0.lexicographicallyPrecedes(end) }
                            ?? sorted.count
                    } ?? sorted.count
                let count = max(0, last - first)
                let note: Comment = "seed \(seed), round \(round): \(found) for \(count)"
                if found.isExact {
                    #expect(found.count == count, note)
                } else {
                    #expect(found.count <= sorted.count, note)
                    #expect(Double(found.count) <= Double(count) * factor + 1, note)
                    #expect(Double(found.count + 1) >= Double(count) / factor, note)
                }
            }
        }
    }

    @Test("they are near the truth for keys that are spread evenly")
    func evenKeys() throws {
        var random = SeededRandom(seed: 42)
        let index = Index.make()
        var keys: [[UInt8]] = []
        try index.write { (writer: IndexWriter) throws -> Void in
            for number in 0..<12_000 {
                let key = KeyShape.random8.makeKey(number, &random)
                try writer.insert(key, 1)
                keys.append(key)
            }
        }
        keys.sort { $0.lexicographicallyPrecedes($1) }
        try index.withPin { (root: UnsafePointer<RootHeader>) throws -> Void in
            let tree = root.pointee.tree(0)
            for _ in 0..<200 {
                let places = [random.below(keys.count), random.below(keys.count)].sorted()
                let count = places[1] - places[0]
                let found = try index.reader.estimatedCount(
                    keys[places[0]], keys[places[1]], in: tree)
                #expect(Double(found.count) <= Double(count) * 1.5 + 10)
                #expect(Double(found.count) >= Double(count) / 1.5 - 10)
            }
        }
    }

    @Test("no keys are in an empty tree, nor between bounds in the wrong order")
    func nothing() throws {
        let index = Index.make()
        let none = KeyCount(count: 0, isExact: true)
        #expect(try index.reader.estimatedCount([], nil, in: .empty) == none)
        try index.write { (writer: IndexWriter) throws -> Void in
            for number in 0..<100 { try writer.insert([UInt8(number)], 1) }
        }
        try index.withPin { (root: UnsafePointer<RootHeader>) throws -> Void in
            let tree = root.pointee.tree(0)
            #expect(try index.reader.estimatedCount([9], [5], in: tree) == none)
            #expect(try index.reader.estimatedCount([5], [5], in: tree) == none)
            #expect(
                try index.reader.estimatedCount([5], [9], in: tree)
                    == KeyCount(count: 4, isExact: true))
        }
    }

    @Test("a cursor takes the values of a range leaf by leaf, and as many as are asked for")
    func values() throws {
        var random = SeededRandom(seed: 43)
        let index = Index.make()
        try index.write { (writer: IndexWriter) throws -> Void in
            for number in 0..<2000 {
                try writer.insert(KeyShape.sequential8.makeKey(number, &random), UInt64(number) + 7)
            }
        }
        try index.withPin { (root: UnsafePointer<RootHeader>) throws -> Void in
            var cursor = index.reader.makeCursor(over: root.pointee.tree(0))
            for round in 0..<200 {
                let start = round * 10
                let end = min(2100, start + random.below(300))
                let limit = random.chance(50) ? Int.max : random.below(200)
                let lower = KeyShape.sequential8.makeKey(start, &random)
                let upper = KeyShape.sequential8.makeKey(end, &random)
                let isValid = try lower.withUnsafeBytes { try cursor.seekForward(to: $0) }
                #expect(isValid)
                var values: [UInt64] = []
                let isComplete = try upper.withUnsafeBytes {
                    try cursor.appendValues(before: $0, upTo: limit, to: &values)
                }
                let expected = (start..<min(end, 2000)).map { UInt64($0) + 7 }
                #expect(values == Array(expected.prefix(limit)))
                #expect(isComplete == (expected.count <= limit))
                _ = try lower.withUnsafeBytes { try cursor.seek(atOrAfter: $0) }
                var numbers: [UInt64] = []
                let areAll = try upper.withUnsafeBytes {
                    try cursor.appendSuffixes(before: $0, upTo: limit, to: &numbers)
                }
                #expect(numbers == values.map { $0 - 7 } && areAll == isComplete)
                _ = try lower.withUnsafeBytes { try cursor.seek(atOrAfter: $0) }
            }
        }
    }

    /// The product over all levels but the root's of the largest fan-out by the smallest.
    private static func boundFactor(of tree: Tree, _ reader: IndexReader) throws -> Double {
        var least = [Int](repeating: .max, count: Int(tree.height))
        var most = [Int](repeating: 0, count: Int(tree.height))
        func visit(_ bits: UInt64, _ level: Int) throws {
            let node = try reader.node(bits, level: level)
            let fanOut = level == 0 ? node.count : node.count + 1
            least[level] = min(least[level], fanOut)
            most[level] = max(most[level], fanOut)
            if level == 0 { return }
            for child in 0...node.count { try visit(Inner(node).children[child], level - 1) }
        }
        try visit(tree.root.bits, Int(tree.height) - 1)
        return zip(least, most).reduce(1) { $0 * Double($1.1) / Double(max(1, $1.0)) }
    }
}

extension IndexReader {
    fileprivate func estimatedCount(
        _ start: [UInt8], _ end: [UInt8]?, in tree: Tree
    ) throws -> KeyCount {
        try start.withUnsafeBytes { start in
            guard let end else { return try estimatedCount(from: start, to: nil, in: tree) }
            return try end.withUnsafeBytes { try estimatedCount(from: start, to: $0, in: tree) }
        }
    }
}
