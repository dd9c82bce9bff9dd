import TestSupport
import Testing

@testable import OrderedIndex

/// Page files that come and go beside a tree in memory that refers to them.
@Suite("Incremental page files")
struct IncrementalPageTests {
    /// An index of several chunks of which every other node is in use.
    private func makeScatteredIndex() throws -> (Index, IndexModel) {
        var random = SeededRandom(seed: 12)
        let index = Index.make()
        var model = IndexModel()
        let keys = (0..<300_000).map { KeyShape.random16.makeKey($0, &random) }
        try index.write { (writer: IndexWriter) throws -> Void in
            for key in keys { try writer.insert(key, 3) }
        }
        // The keys of one half of the tree stay: their leaves are scattered over all chunks.
        try index.write { (writer: IndexWriter) throws -> Void in
            for key in keys {
                if key[0] < 50 { model.values[key] = 3 } else { try writer.remove(key) }
            }
        }
        try index.write { _ in }
        return (index, model)
    }

    @Test("nodes leave chunks that are mostly free, also while a snapshot holds some")
    func evacuation() throws {
        let (index, model) = try makeScatteredIndex()
        let before = index.statistics.chunkByteCount
        let snapshot = index.pin(note: 3)
        func evacuate() throws {
            index.releaseFreeMemory()
            guard index.beginEvacuation() else { return }
            var adoption = PageAdoption(moved: [:], evacuates: true)
            var sliceCount = 0
            while !adoption.isDone {
                let writer = index.beginWrite()
                if writer.adopt(&adoption, nodeCount: 2) {
                    index.publish(writer.commit(tag: 0))
                } else {
                    writer.rollback()
                }
                sliceCount += 1
            }
            #expect(sliceCount > 2)
            index.endEvacuation()
        }
        try evacuate()
        #expect(index.newestVersion > snapshot.root.pointee.version, "nothing was moved")
        // What the snapshot holds keeps its chunks.
        #expect(index.statistics.chunkByteCount >= before / 2)
        try index.expect(snapshot.root.pointee.tree(0), toBe: model, "the snapshot")
        index.unpin(snapshot)
        try evacuate()
        index.expectSoundBookkeeping("evacuated")
        let after = index.statistics
        #expect(after.chunkByteCount <= after.nodeCount * 2048 * 5 / 4 + (4 << 20))
        #expect(after.chunkByteCount <= before / 2)
        try index.withPin { (root: UnsafePointer<RootHeader>) throws -> Void in
            try index.expect(root.pointee.tree(0), toBe: model, "evacuated")
        }
        try index.write { (writer: IndexWriter) throws -> Void in
            for number in 0..<50_000 { try writer.insert(Array("\(number)".utf8), 1) }
        }
        try index.withPin { (root: UnsafePointer<RootHeader>) throws -> Void in
            #expect(try index.checkInvariants(root.pointee.tree(0)).isEmpty)
        }
    }

    @Test(
        "images, moves, adoptions, consolidations, lost images and snapshots against a model",
        arguments: 1...16)
    func againstModel(seed: UInt64) throws {
        let life = PagedHistory(seed: seed)
        for _ in 0..<12 {
            try life.change(life.random.below(3) == 0 ? 600 : 30)
            if life.random.below(3) == 0 { try life.consolidate() }
            try life.writeImage()
        }
        for snapshot in life.snapshots {
            try life.check(snapshot)
            life.index.unpin(snapshot.pin)
        }
        #expect(life.consolidationCount > 0, "seed \(seed)")
    }

    @Test("an unchanged index writes nothing again, though its nodes stay in memory")
    func unchanged() throws {
        let index = Index.make()
        try index.write { (writer: IndexWriter) throws -> Void in
            for number in 0..<5000 { try writer.insert(Array("\(number)".utf8), UInt64(number)) }
        }
        func write(_ number: UInt32, _ kept: Set<UInt32>) throws -> WrittenPages {
            try index.withPin { root in
                try index.writePages(
                    of: root, file: number, seed: 1, keepingPagesOf: kept, notesPages: true
                ) { _ in }
            }
        }
        let first = try write(1, [])
        #expect(first.pageCount > 50)
        let second = try write(2, [1])
        #expect(second.pageCount == 0)
        #expect(second.trees[0].root == first.trees[0].root)
        try index.write { try $0.insert(Array("77".utf8), 1) }
        #expect(try write(3, [1, 2]).pageCount == 2)
        // What only a lost file has is written again.
        #expect(try write(4, [1, 2]).pageCount == 2)
    }

    @Test("chunks without a node in use go back to the system, and the rest is used on")
    func freeMemory() throws {
        var random = SeededRandom(seed: 4)
        let index = Index.make()
        var model = IndexModel()
        func fill(_ count: Int) throws {
            try index.write { (writer: IndexWriter) throws -> Void in
                for number in 0..<count {
                    let key = KeyShape.random16.makeKey(number, &random)
                    try writer.insert(key, 1)
                    model.values[key] = 1
                }
            }
        }
        try fill(300_000)
        let full = index.statistics.chunkByteCount
        try index.write { (writer: IndexWriter) throws -> Void in writer.removeAll(in: 0) }
        model = IndexModel()
        index.releaseFreeMemory()
        #expect(index.statistics.chunkByteCount <= full - (2 << 20))
        #expect(index.statistics.freeNodeByteCount >= 0)
        try fill(100_000)
        try index.withPin { (root: UnsafePointer<RootHeader>) throws -> Void in
            try index.expect(root.pointee.tree(0), toBe: model, "filled again")
        }
    }
}
