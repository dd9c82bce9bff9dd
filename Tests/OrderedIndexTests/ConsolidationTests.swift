import TestSupport
import Testing

@testable import OrderedIndex

/// Fewer and fuller leaves in place of those that insertions and removals left.
@Suite("Consolidation of leaves")
struct ConsolidationTests {
    @Test("the keys stay, in fewer leaves, whatever they look like", arguments: KeyShape.allCases)
    func keysStay(shape: KeyShape) throws {
        for seed in SampledNumbers.some(1, of: UInt64(1)...3) {
            var random = SeededRandom(seed: seed)
            let index = Index.make(treeCount: 3)
            var model = IndexModel()
            let count = [40, 1000, 2500][Int(seed) - 1]
            for start in stride(from: 0, to: count, by: 500) {
                try index.write { (writer: IndexWriter) throws -> Void in
                    for number in start..<min(count, start + 500) {
                        let key = shape.makeKey(number, &random)
                        model.values[key] = UInt64(number)
                        try writer.insert(key, UInt64(number))
                        try writer.insert(key, UInt64(number), in: 2)
                    }
                    for key in model.sortedKeys where random.below(10) == 0 {
                        model.values[key] = nil
                        try writer.remove(key)
                        try writer.remove(key, in: 2)
                    }
                }
            }
            let old = model
            let pin = index.pin(note: 0)
            let before = index.statistics.liveNodeByteCount
            _ = try index.consolidate()
            let text = "\(shape), seed \(seed)"
            try index.withPin { (root: UnsafePointer<RootHeader>) throws -> Void in
                try index.expect(root.pointee.tree(0), toBe: model, "\(text)")
                try index.expect(root.pointee.tree(2), toBe: model, "\(text), last tree")
            }
            try index.expect(pin.root.pointee.tree(0), toBe: old, "\(text), pinned")
            index.unpin(pin)
            index.reclaim()
            #expect(index.statistics.liveNodeByteCount <= before, "\(text)")
            // A second time there is little left to do.
            let after = index.statistics.liveNodeByteCount
            _ = try index.consolidate()
            index.reclaim()
            #expect(index.statistics.liveNodeByteCount * 10 >= after * 9, "\(text)")
        }
    }

    @Test("random keys take a quarter less")
    func randomKeys() throws {
        var random = SeededRandom(seed: 5)
        let index = Index.make()
        try index.write { (writer: IndexWriter) throws -> Void in
            for number in 0..<100_000 {
                try writer.insert(KeyShape.random16.makeKey(number, &random), 1)
            }
        }
        let before = index.statistics.liveNodeByteCount
        #expect(try index.consolidate() > 0)
        index.reclaim()
        #expect(Double(index.statistics.liveNodeByteCount) < Double(before) * 0.8)
    }

    @Test("what is written between the slices stays too")
    func writesBetween() throws {
        let seed: UInt64 = 7
        var random = SeededRandom(seed: seed)
        let index = Index.make()
        var model = IndexModel()
        try index.write { (writer: IndexWriter) throws -> Void in
            for number in 0..<25_000 {
                let key = KeyShape.random16.makeKey(number, &random)
                model.values[key] = 0
                try writer.insert(key, 0)
            }
        }
        var keys = model.sortedKeys
        var number: UInt64 = 0
        let changes = try index.consolidate { writer in
            for _ in 0..<300 {
                number += 1
                if random.below(3) == 0, !keys.isEmpty {
                    let key = keys.remove(at: random.below(keys.count))
                    model.values[key] = nil
                    try writer.remove(key)
                } else {
                    let key = KeyShape.random16.makeKey(Int(number), &random)
                    model.values[key] = number
                    try writer.insert(key, number)
                }
            }
        }
        #expect(changes > 1)
        try index.withPin { (root: UnsafePointer<RootHeader>) throws -> Void in
            try index.expect(root.pointee.tree(0), toBe: model, "seed \(seed)")
        }
    }

    @Test("one that is rolled back leaves everything as it was")
    func rollback() throws {
        var random = SeededRandom(seed: 9)
        let index = Index.make()
        var model = IndexModel()
        try index.write { (writer: IndexWriter) throws -> Void in
            for number in 0..<20_000 {
                let key = KeyShape.random16.makeKey(number, &random)
                model.values[key] = 1
                try writer.insert(key, 1)
            }
        }
        let before = index.statistics.liveNodeByteCount
        var consolidation = LeafConsolidation()
        try index.withPin { consolidation.findNext(in: $0, index.reader) }
        let writer = index.beginWrite()
        #expect(writer.consolidate(&consolidation))
        writer.rollback()
        #expect(index.statistics.liveNodeByteCount == before)
        try index.withPin { (root: UnsafePointer<RootHeader>) throws -> Void in
            try index.expect(root.pointee.tree(0), toBe: model, "rolled back")
        }
    }
}
