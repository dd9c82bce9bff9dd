import TestSupport
import Testing

@testable import OrderedIndex

@Suite("Differences of versions")
struct DifferenceTests {
    private struct Change: Equatable {
        var key: [UInt8]
        var old: UInt64?
        var new: UInt64?
    }

    private func changes(_ index: Index, _ old: Tree, _ new: Tree) throws -> [Change] {
        var changes: [Change] = []
        try index.difference(from: old, to: new) { key, old, new in
            changes.append(Change(key: [UInt8](key), old: old, new: new))
            return true
        }
        return changes
    }

    private func changes(_ old: IndexModel, _ new: IndexModel) -> [Change] {
        let keys = Set(old.values.keys).union(new.values.keys)
        return keys.filter { old.values[$0] != new.values[$0] }
            .sorted { $0.lexicographicallyPrecedes($1) }
            .map { Change(key: $0, old: old.values[$0], new: new.values[$0]) }
    }

    @Test("a difference is that of the models", arguments: KeyShape.allCases)
    func matchesModel(shape: KeyShape) throws {
        var random = SeededRandom(seed: 31)
        let index = Index.make()
        var models = [IndexModel()]
        var pins = [index.pin(note: 1)]
        var number = 0
        for size in [600, 5, 1, 60, 300, 0] {
            var model = models[models.count - 1]
            try index.write { (writer: IndexWriter) throws -> Void in
                for _ in 0..<size {
                    number += 1
                    if random.below(4) == 0,
                        let key = model.values.keys.randomElement(using: &random)
                    {
                        model.values[key] = nil
                        try writer.remove(key)
                    } else {
                        let key = shape.makeKey(number, &random)
                        model.values[key] = UInt64(number / 2)
                        try writer.insert(key, UInt64(number / 2))
                    }
                }
            }
            models.append(model)
            pins.append(index.pin(note: 1))
        }
        for first in models.indices {
            for second in models.indices where abs(first - second) < 3 {
                let found = try changes(
                    index, pins[first].root.pointee.tree(0), pins[second].root.pointee.tree(0))
                #expect(found == changes(models[first], models[second]), "\(first) \(second)")
            }
        }
        for pin in pins { index.unpin(pin) }
    }

    // There are too few chains for several leaves.
    @Test(
        "joining leaves is no change (D-L3)", arguments: KeyShape.allCases.filter { $0 != .chains })
    func consolidation(shape: KeyShape) throws {
        let seed: UInt64 = 33
        var random = SeededRandom(seed: seed)
        let index = Index.make()
        var full = IndexModel()
        try index.write { (writer: IndexWriter) throws -> Void in
            for number in 0..<5000 {
                let key = shape.makeKey(number, &random)
                full.values[key] = UInt64(number)
                try writer.insert(key, UInt64(number))
            }
        }
        var pins = [index.pin(note: 1)]
        var thinned = full
        try index.write { (writer: IndexWriter) throws -> Void in
            for key in full.sortedKeys where random.below(10) > 0 {
                thinned.values[key] = nil
                try writer.remove(key)
            }
        }
        pins.append(index.pin(note: 1))
        #expect(try index.consolidate() > 0, "\(shape), seed \(seed)")
        pins.append(index.pin(note: 1))
        let trees = pins.map { $0.root.pointee.tree(0) }
        #expect(trees[1].root != trees[2].root)
        #expect(try changes(index, trees[1], trees[2]).isEmpty, "\(shape), seed \(seed)")
        #expect(try changes(index, trees[2], trees[1]).isEmpty, "\(shape), seed \(seed)")
        #expect(
            try changes(index, trees[0], trees[2]) == changes(full, thinned),
            "\(shape), seed \(seed)")
        for pin in pins { index.unpin(pin) }
    }

    @Test("a difference can be stopped, and skips what is shared")
    func stopsAndSkips() throws {
        var random = SeededRandom(seed: 32)
        let index = Index.make()
        let keys = (0..<20_000).map { KeyShape.random16.makeKey($0, &random) }
        try index.write { (writer: IndexWriter) throws -> Void in
            for key in keys { try writer.insert(key, 1) }
        }
        let old = index.pin(note: 1)
        try index.write { (writer: IndexWriter) throws -> Void in
            for key in keys.prefix(10) { try writer.insert(key, 2) }
        }
        let new = index.pin(note: 1)
        var count = 0
        try index.difference(from: old.root.pointee.tree(0), to: new.root.pointee.tree(0)) {
            _, _, _ in
            count += 1
            return count < 3
        }
        #expect(count == 3)
        // A damaged page that both share is not looked at: the pages are all missing.
        var pages: [UInt8] = []
        let written = try index.writePages(
            of: new.root, file: 1, seed: 1, keepingPagesOf: []
        ) { pages += $0 }
        #expect(
            try changes(index, written.trees[0], written.trees[0]).isEmpty,
            "no page of this tree is attached")
        index.unpin(old)
        index.unpin(new)
    }
}
