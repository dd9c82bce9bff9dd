import TestSupport
import Testing

@testable import OrderedIndex

/// Page files that come and go beside a tree in memory that refers to them.
@Suite("Incremental page files")
struct IncrementalPageTests {
    /// A page file in memory; its bytes are spoilt when it is thrown away, so that nobody reads it
    /// unnoticed.
    private final class MemoryFile {
        let bytes: UnsafeMutableRawBufferPointer
        let pageCount: UInt32
        let seed: UInt64
        var birth: UInt64 = 0

        init(_ run: [UInt8], seed: UInt64) {
            bytes = .allocate(byteCount: max(1, run.count), alignment: 4096)
            bytes.copyBytes(from: run)
            pageCount = UInt32(run.count / 2048)
            self.seed = seed
        }

        deinit {
            for index in bytes.indices { bytes[index] = 0xa5 }
            bytes.deallocate()
        }

        func attach(to index: Index, number: UInt32) {
            index.attachPageFile(
                number: number, pages: UnsafeRawPointer(bytes.baseAddress!), pageCount: pageCount,
                seed: seed, load: nil)
        }
    }

    /// One index with its page files, and a model of every version that is pinned.
    private final class Life {
        let seed: UInt64
        var random: SeededRandom
        let index = Index.make(treeCount: 2)
        var model = IndexModel()
        /// The files of the newest durable image, and those that the index has.
        var durable: [UInt32: MemoryFile] = [:]
        var attached: [UInt32: (file: MemoryFile, retirement: UInt64?)] = [:]
        var nextNumber: UInt32 = 1
        var snapshots: [(pin: IndexPin, model: IndexModel)] = []
        var consolidationCount = 0

        init(seed: UInt64) {
            self.seed = seed
            random = SeededRandom(seed: seed)
        }

        func change(_ count: Int) throws {
            try index.write { (writer: IndexWriter) throws -> Void in
                for _ in 0..<count {
                    let number = random.below(3000)
                    // Long keys make a third level.
                    let padding = [UInt8](repeating: 7, count: seed & 1 == 0 ? 0 : 150)
                    let key = Array("\(number % 7)/\(number)".utf8) + padding
                    if random.below(3) == 0 {
                        try writer.remove(key, in: 1)
                        model.values[key] = nil
                    } else {
                        let value = random.next()
                        try writer.insert(key, value, in: 1)
                        model.values[key] = value
                    }
                }
            }
            index.expectSoundBookkeeping("seed \(seed)")
            if random.below(3) == 0 { snapshots.append((index.pin(note: 1), model)) }
            if random.below(3) == 0, !snapshots.isEmpty {
                let snapshot = snapshots.remove(at: random.below(snapshots.count))
                try check(snapshot)
                index.unpin(snapshot.pin)
            }
        }

        func check(_ snapshot: (pin: IndexPin, model: IndexModel)) throws {
            try index.expect(
                snapshot.pin.root.pointee.tree(1), toBe: snapshot.model, "seed \(seed)")
        }

        /// Writes an image that refers to some of the files before; one in five is lost.
        func writeImage() throws {
            let pin = index.pin(note: 2)
            let version = pin.root.pointee.version
            index.beginImage()
            let expected = model
            let live = try index.livePageCounts(of: pin.root)
            let kept = durable.keys.filter { live[$0] ?? 0 > 0 && random.below(4) > 0 }
            var run: [UInt8] = []
            let seed = random.next()
            let number = nextNumber
            nextNumber += 1
            let written = try index.writePages(
                of: pin.root, file: number, seed: seed, keepingPagesOf: Set(kept),
                isLeavingFiles: kept.count < durable.count, notesPages: true
            ) { run += $0 }
            index.unpin(pin)
            if random.below(5) == 0 { return }
            durable = durable.filter { kept.contains($0.key) }
            durable[number] = MemoryFile(run, seed: seed)
            try checkReopened(written.trees, expected)
            // Commits between the image and its adoption.
            if random.below(2) == 0 { try change(20) }
            if random.below(6) == 0 { try consolidate() }
            try adopt(written.moved, version)
        }

        func checkReopened(_ trees: [Tree], _ expected: IndexModel) throws {
            let reopened = Index()
            for (number, file) in durable { file.attach(to: reopened, number: number) }
            reopened.install(trees: trees, version: 1, tag: 0)
            try reopened.expect(trees[1], toBe: expected, "seed \(seed), reopened")
        }

        /// Fills the leaves, pages among them, with commits between the slices.
        func consolidate() throws {
            var consolidation = LeafConsolidation()
            while true {
                try index.withPin { consolidation.findNext(in: $0, index.reader) }
                if consolidation.isDone { break }
                if random.below(4) == 0 { try change(3) }
                let writer = index.beginWrite()
                if writer.consolidate(&consolidation) {
                    index.publish(writer.commit(tag: 0))
                    consolidationCount += 1
                } else {
                    writer.rollback()
                }
                if random.below(3) == 0 { try change(3) }
            }
            try index.withPin { (root: UnsafePointer<RootHeader>) throws -> Void in
                try index.expect(root.pointee.tree(1), toBe: model, "seed \(seed), consolidated")
            }
        }

        func adopt(_ moved: [UInt64: UInt64], _ version: UInt64) throws {
            for (number, file) in durable where attached[number] == nil {
                file.birth = version + 1
                file.attach(to: index, number: number)
                attached[number] = (file, nil)
            }
            let leafFiles = random.below(3) == 0 ? [] : Set(durable.keys)
            var adoption = PageAdoption(
                moved: moved, leafFiles: leafFiles,
                leafVersionMax: version - UInt64(random.below(3)), leafCount: random.below(80))
            while !adoption.isDone {
                let writer = index.beginWrite()
                if writer.adopt(&adoption, nodeCount: 1 + random.below(3)) {
                    index.publish(writer.commit(tag: 0))
                } else {
                    writer.rollback()
                }
                if random.below(3) == 0 { try change(3) }
            }
            for number in attached.keys where durable[number] == nil {
                let known = attached[number]?.retirement
                attached[number]?.retirement = known ?? index.newestVersion
            }
            for (number, entry) in attached {
                guard let retirement = entry.retirement else { continue }
                if retirement > entry.file.birth && index.isHeld(entry.file.birth..<retirement) {
                    continue
                }
                index.detachPageFile(number: number)
                attached[number] = nil
            }
            index.releaseFreeMemory()
            index.expectSoundBookkeeping("seed \(seed), adopted")
            try index.withPin { (root: UnsafePointer<RootHeader>) throws -> Void in
                try index.expect(root.pointee.tree(1), toBe: model, "seed \(seed), adopted")
            }
        }
    }

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
        let life = Life(seed: seed)
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
