import Foundation
import Testing

@testable import OrderedIndex

/// The simple model that trees are compared with.
struct IndexModel {
    var values: [[UInt8]: UInt64] = [:]

    var sortedKeys: [[UInt8]] { values.keys.sorted { Self.precedes($0, $1) } }

    /// The order of keys; `lexicographicallyPrecedes` is ten times as slow without optimisation.
    private static func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        let order = memcmp(left, right, min(left.count, right.count))
        return order == 0 ? left.count < right.count : order < 0
    }
}

extension IndexWriter {
    @discardableResult
    func insert(_ key: [UInt8], _ value: UInt64, in tree: Int = 0) throws -> UInt64? {
        try key.withUnsafeBytes { try insert($0, value: value, in: tree) }
    }

    @discardableResult
    func remove(_ key: [UInt8], in tree: Int = 0) throws -> UInt64? {
        try key.withUnsafeBytes { try remove($0, in: tree) }
    }

    func value(_ key: [UInt8], in tree: Int = 0) throws -> UInt64? {
        try key.withUnsafeBytes { try value(forKey: $0, in: tree) }
    }

    /// Replaces a value that is as expected; false, and nothing done, if it is not.
    func replace(_ key: [UInt8], _ expected: UInt64, by value: UInt64) throws -> Bool {
        let found = try key.withUnsafeBytes { try place(of: $0, withValue: expected, in: 0) }
        guard let found else { return false }
        replaceValue(value, at: found)
        return true
    }
}

extension IndexReader {
    func value(_ key: [UInt8], in tree: Tree) throws -> UInt64? {
        try key.withUnsafeBytes { try value(forKey: $0, in: tree) }
    }

    /// The values of a batch of keys.
    func values(_ keys: [[UInt8]], in tree: Tree) throws -> [UInt64?] {
        let bytes = keys.map { key in
            let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: key.count, alignment: 1)
            copy.copyBytes(from: key)
            return UnsafeRawBufferPointer(copy)
        }
        defer { for key in bytes { key.deallocate() } }
        var values = [UInt64](repeating: 0, count: max(1, keys.count))
        let found = try bytes.withUnsafeBufferPointer { (keys) throws -> UInt32 in
            try values.withUnsafeMutableBufferPointer { (values) throws -> UInt32 in
                try self.values(forKeys: keys, in: tree, into: values.baseAddress!)
            }
        }
        return keys.indices.map { found >> UInt32($0) & 1 == 1 ? values[$0] : nil }
    }
}

extension Index {
    /// An index with empty trees.
    static func make(treeCount: Int = 1) -> Index {
        let index = Index()
        index.install(
            trees: [Tree](repeating: .empty, count: treeCount), version: 1, tag: 0)
        return index
    }

    /// Runs a write transaction and publishes it.
    func write(_ body: (IndexWriter) throws -> Void) throws {
        let writer = beginWrite()
        try body(writer)
        publish(writer.commit(tag: 0))
    }

    /// Checks versions, reclamation and memory, in builds that can; no other thread writes.
    func expectSoundBookkeeping(
        _ note: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #if DEBUG
            let problems = checkBookkeeping()
            #expect(
                problems.isEmpty, "\(note): \(problems.prefix(3))", sourceLocation: sourceLocation)
        #endif
    }

    /// Joins leaves, slice by slice, each in its own transaction, with a pinned version before and
    /// `between` after each.
    ///
    /// - Returns: how many slices changed something.
    func consolidate(between: (IndexWriter) throws -> Void = { _ in }) throws -> Int {
        var consolidation = LeafConsolidation()
        var changes = 0
        while true {
            try withPin { consolidation.findNext(in: $0, reader) }
            if consolidation.isDone { break }
            let writer = beginWrite()
            if writer.consolidate(&consolidation) { changes += 1 }
            publish(writer.commit(tag: 0))
            try write { (writer: IndexWriter) throws -> Void in try between(writer) }
        }
        return changes
    }

    func withPin<Result>(_ body: (UnsafePointer<RootHeader>) throws -> Result) throws -> Result {
        let pin = pin(note: 1)
        defer { unpin(pin) }
        return try body(pin.root)
    }

    /// All keys and values of a tree, by `visit`.
    func contents(_ tree: Tree) throws -> [(key: [UInt8], value: UInt64)] {
        var contents: [(key: [UInt8], value: UInt64)] = []
        var cursor = reader.makeCursor(over: tree)
        _ = try cursor.seekToFirst()
        try cursor.visit { key, value in
            contents.append(([UInt8](key), value))
            return true
        }
        return contents
    }

    /// Compares a tree with the model: order, values, count, invariants, gets of hits and misses.
    func expect(
        _ tree: Tree, toBe model: IndexModel, _ note: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let problems = try checkInvariants(tree)
        #expect(problems.isEmpty, "\(note): \(problems.prefix(3))", sourceLocation: sourceLocation)
        let contents = try contents(tree)
        let keys = model.sortedKeys
        #expect(contents.map(\.key) == keys, "\(note)", sourceLocation: sourceLocation)
        #expect(
            contents.map(\.value) == keys.map { model.values[$0] }, "\(note)",
            sourceLocation: sourceLocation)
        #expect(Int(tree.count) == keys.count, "\(note)", sourceLocation: sourceLocation)
        var failed = 0
        for (key, value) in model.values where try reader.value(key, in: tree) != value {
            failed += 1
        }
        #expect(failed == 0, "\(note): gets", sourceLocation: sourceLocation)
    }
}

extension Array {
    /// The first index for which a condition holds that holds for all later ones too.
    func firstIndexSorted(where condition: (Element) -> Bool) -> Int? {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if condition(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low < count ? low : nil
    }
}
