import TestSupport
import Testing

@testable import OrderedIndex

@Suite("Versions, pins and savepoints")
struct VersionTests {
    @Test("a snapshot sees its version over many later transactions", arguments: [1, 2, 3])
    func snapshotsAreStable(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let index = Index.make()
        var model = IndexModel()
        var snapshots: [(pin: IndexPin, model: IndexModel)] = []
        for round in 0..<60 {
            try index.write { (writer: IndexWriter) throws -> Void in
                for _ in 0..<40 {
                    let key = KeyShape.short.makeKey(0, &random) + [UInt8(random.below(40))]
                    if random.below(3) == 0 {
                        let expected = model.values.removeValue(forKey: key)
                        #expect(try writer.remove(key) == expected)
                    } else {
                        let value = random.next()
                        let expected = model.values.updateValue(value, forKey: key)
                        #expect(try writer.insert(key, value) == expected)
                    }
                }
            }
            if random.below(3) == 0 { snapshots.append((index.pin(note: 5), model)) }
            if random.below(5) == 0, !snapshots.isEmpty {
                let snapshot = snapshots.remove(at: random.below(snapshots.count))
                try index.expect(
                    snapshot.pin.root.pointee.tree(0), toBe: snapshot.model,
                    "seed \(seed) round \(round)")
                index.unpin(snapshot.pin)
            }
        }
        #expect(index.pins.count == snapshots.count)
        for snapshot in snapshots {
            try index.expect(
                snapshot.pin.root.pointee.tree(0), toBe: snapshot.model, "seed \(seed)")
            index.unpin(snapshot.pin)
        }
        #expect(index.pins.isEmpty)
        try index.write { _ in }
        try index.write { _ in }
        #expect(index.statistics.retiredNodeByteCount == 0)
    }

    @Test("rolling back leaves the version and the memory as they were", arguments: [1, 2])
    func rollback(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let index = Index.make()
        var model = IndexModel()
        try index.write { (writer: IndexWriter) throws -> Void in
            for number in 0..<2000 {
                let key = KeyShape.mixed.makeKey(number, &random)
                model.values[key] = UInt64(number)
                try writer.insert(key, UInt64(number))
            }
        }
        try index.write { _ in }
        let before = index.statistics.liveNodeByteCount
        for _ in 0..<5 {
            let writer = index.beginWrite()
            for key in model.values.keys.prefix(500) { try writer.remove(key) }
            for number in 0..<500 { try writer.insert(KeyShape.mixed.makeKey(number, &random), 1) }
            writer.rollback()
            #expect(index.statistics.liveNodeByteCount == before)
        }
        do {
            // Dropped without an end.
            let writer = index.beginWrite()
            try writer.insert([1, 2, 3], 4)
        }
        try index.write { (writer: IndexWriter) throws -> Void in
            try index.expect(writer.trees[0], toBe: model, "seed \(seed)")
        }
    }

    @Test("nested savepoints keep or undo exactly their changes", arguments: [1, 2, 3, 4, 5, 6])
    func savepoints(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let index = Index.make(treeCount: 2)
        var model = IndexModel()
        for _ in 0..<8 {
            let writer = index.beginWrite()
            let start = model
            var open: [(savepoint: IndexWriter.Savepoint, model: IndexModel)] = []
            for _ in 0..<60 {
                switch random.below(8) {
                case 0:
                    open.append((writer.savepoint(), model))
                case 1 where !open.isEmpty:
                    let position = random.below(open.count)
                    let version = writer.version
                    let mutationCount = writer.mutationCount
                    writer.rollback(to: open[position].savepoint)
                    model = open[position].model
                    open.removeSubrange(position...)
                    #expect(writer.version > version)
                    #expect(writer.mutationCount > mutationCount)
                case 2 where !open.isEmpty:
                    let position = random.below(open.count)
                    writer.release(open[position].savepoint)
                    open.removeSubrange(position...)
                default:
                    for _ in 0..<20 {
                        let key = KeyShape.short.makeKey(0, &random)
                        if random.below(3) == 0 {
                            let expected = model.values.removeValue(forKey: key)
                            #expect(try writer.remove(key, in: 1) == expected)
                        } else {
                            let value = random.next()
                            let expected = model.values.updateValue(value, forKey: key)
                            #expect(try writer.insert(key, value, in: 1) == expected)
                        }
                    }
                    if random.below(30) == 0 {
                        writer.removeAll(in: 1)
                        model.values = [:]
                    }
                }
            }
            try index.expect(writer.trees[1], toBe: model, "seed \(seed)")
            if random.below(3) == 0 {
                writer.rollback()
                model = start
            } else {
                index.publish(writer.commit(tag: 9))
            }
            try index.withPin { (root: UnsafePointer<RootHeader>) throws -> Void in
                try index.expect(root.pointee.tree(1), toBe: model, "seed \(seed)")
            }
        }
        try index.write { $0.removeAll(in: 1) }
        try index.write { _ in }
        try index.write { _ in }
        #expect(index.statistics.nodeCount == 0, "seed \(seed): nodes leaked")
    }

    @Test("appended trees disappear with their savepoint")
    func appendedTrees() throws {
        let index = Index.make()
        let writer = index.beginWrite()
        let savepoint = writer.savepoint()
        for number in 1...20 { #expect(writer.appendTree(.empty) == number) }
        try writer.insert([1], 2, in: 20)
        writer.rollback(to: savepoint)
        #expect(writer.treeCount == 1)
        let number = writer.appendTree(.empty)
        writer.trees[number].flags = 7
        index.publish(writer.commit(tag: 3))
        try index.withPin { (root: UnsafePointer<RootHeader>) throws -> Void in
            #expect(root.pointee.treeCount == 2)
            #expect(root.pointee.tree(1).flags == 7)
            #expect(root.pointee.tag == 3)
        }
    }

    @Test("unpublished commits are built upon, and their nodes survive until they are published")
    func unpublishedCommits() throws {
        var random = SeededRandom(seed: 1)
        let index = Index.make()
        var model = IndexModel()
        var waiting: [(root: CommittedRoot, model: IndexModel)] = []
        for round in 0..<50 {
            let writer = index.beginWrite()
            for _ in 0..<30 {
                let key = KeyShape.short.makeKey(0, &random)
                model.values[key] = UInt64(round)
                try writer.insert(key, UInt64(round))
            }
            waiting.append((writer.commit(tag: UInt64(round)), model))
            if round % 7 == 6 {
                let published = waiting[waiting.count - 3]
                index.publish(published.root)
                // An older one is ignored.
                index.publish(waiting[0].root)
                try index.withPin { (root: UnsafePointer<RootHeader>) throws -> Void in
                    #expect(root.pointee.version == published.root.version)
                    try index.expect(root.pointee.tree(0), toBe: published.model, "round \(round)")
                }
                waiting.removeFirst(waiting.count - 2)
            }
        }
    }

    @Test("one long snapshot keeps only what it alone can see")
    func longPinBoundsMemory() throws {
        var random = SeededRandom(seed: 4)
        let index = Index.make()
        let keys = (0..<4000).map { KeyShape.random16.makeKey($0, &random) }
        try index.write { (writer: IndexWriter) throws -> Void in
            for key in keys { try writer.insert(key, 0) }
        }
        let one = index.statistics.liveNodeByteCount
        let pin = index.pin(note: 1)
        for round in 1...10 {
            for start in stride(from: 0, to: keys.count, by: 100) {
                try index.write { (writer: IndexWriter) throws -> Void in
                    for key in keys[start..<start + 100] { try writer.insert(key, UInt64(round)) }
                }
            }
        }
        let figures = index.statistics
        #expect(figures.liveNodeByteCount + figures.retiredNodeByteCount < 3 * one)
        #expect(try index.contents(pin.root.pointee.tree(0)).allSatisfy { $0.value == 0 })
        index.unpin(pin)
        try index.write { _ in }
        #expect(index.statistics.retiredNodeByteCount <= 2 * Node.byteCount)
    }

    @Test("many pins at once find slots, and give them back")
    func manyPins() throws {
        let index = Index.make()
        for _ in 0..<3 {
            let pins = (0..<1000).map { index.pin(note: UInt64($0)) }
            #expect(Set(index.pins.map(\.note)).count == 1000)
            for pin in pins { index.unpin(pin) }
            #expect(index.pins.isEmpty)
        }
    }
}
