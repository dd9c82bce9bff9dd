import TestSupport
import Testing

@testable import OrderedIndex

/// Page files of a test, in memory that outlives the index.
private final class TestPages: @unchecked Sendable {
    var bytes: UnsafeMutableRawBufferPointer
    let seed: UInt64

    init(_ run: [UInt8], seed: UInt64) {
        bytes = .allocate(byteCount: max(1, run.count), alignment: 4096)
        bytes.copyBytes(from: run)
        self.seed = seed
    }

    deinit { bytes.deallocate() }
}

private struct Written {
    var trees: [Tree]
    var pageCount: UInt32
    var pages: TestPages
}

extension Index {
    fileprivate func writeToMemory(
        file: UInt32, seed: UInt64, keeping kept: Set<UInt32> = []
    ) throws -> Written {
        var run: [UInt8] = []
        let written = try withPin { root in
            try writePages(of: root, file: file, seed: seed, keepingPagesOf: kept) {
                precondition($0.count <= 256 * 2048 && $0.count % 2048 == 0)
                run += $0
            }
        }
        #expect(run.count == Int(written.pageCount) * 2048)
        return Written(
            trees: written.trees, pageCount: written.pageCount, pages: TestPages(run, seed: seed))
    }

    fileprivate func attach(_ written: Written, file: UInt32) {
        attachPageFile(
            number: file, pages: UnsafeRawPointer(written.pages.bytes.baseAddress!),
            pageCount: written.pageCount, seed: written.pages.seed, load: nil)
    }
}

@Suite("Page files")
struct PageTests {
    @Test(
        "pages read back as what was written, and more is written on top",
        arguments: KeyShape.allCases)
    func roundTrip(shape: KeyShape) throws {
        var random = SeededRandom(seed: 21)
        let index = Index.make(treeCount: 3)
        var model = IndexModel()
        try index.write { (writer: IndexWriter) throws -> Void in
            for number in 0..<1200 {
                let key = shape.makeKey(number, &random)
                model.values[key] = UInt64(number)
                try writer.insert(key, UInt64(number), in: 1)
                if number % 3 == 0 {
                    try writer.remove(key, in: 1)
                    model.values[key] = nil
                }
            }
            writer.trees[2].flags = 5
        }
        let written = try index.writeToMemory(file: 3, seed: 99)
        #expect(written.trees[1].root.page?.page == written.pageCount - 1)
        #expect(written.trees[2].flags == 5)

        let reopened = Index()
        reopened.attach(written, file: 3)
        reopened.install(trees: written.trees, version: 50, tag: 8)
        #expect(reopened.verifyAllPages(file: 3).isEmpty)
        try reopened.withPin { (root: UnsafePointer<RootHeader>) throws -> Void in
            #expect(root.pointee.version == 50)
            try reopened.expect(root.pointee.tree(1), toBe: model, "reopened")
        }
        let image = [UInt8](written.pages.bytes)
        try reopened.write { (writer: IndexWriter) throws -> Void in
            #expect(writer.version > 50)
            for number in 1200..<1500 {
                let key = shape.makeKey(number, &random)
                model.values[key] = UInt64(number)
                try writer.insert(key, UInt64(number), in: 1)
            }
            for key in model.values.keys.prefix(200) {
                try writer.remove(key, in: 1)
                model.values[key] = nil
            }
            try reopened.expect(writer.trees[1], toBe: model, "written on top")
        }
        #expect([UInt8](written.pages.bytes) == image, "a page was changed")
    }

    @Test("an incremental file refers to kept pages and holds only what changed")
    func incremental() throws {
        var random = SeededRandom(seed: 5)
        let index = Index.make()
        var model = IndexModel()
        let keys = (0..<5000).map { KeyShape.random16.makeKey($0, &random) }
        try index.write { (writer: IndexWriter) throws -> Void in
            for key in keys {
                try writer.insert(key, 1)
                model.values[key] = 1
            }
        }
        let first = try index.writeToMemory(file: 1, seed: 11)
        let second = Index()
        second.attach(first, file: 1)
        second.install(trees: first.trees, version: 10, tag: 0)
        try second.write { (writer: IndexWriter) throws -> Void in
            for key in keys.prefix(5) {
                try writer.insert(key, 2)
                model.values[key] = 2
            }
        }
        let change = try second.writeToMemory(file: 2, seed: 12, keeping: [1])
        #expect(change.pageCount <= 5 * 3)
        let third = Index()
        third.attach(first, file: 1)
        third.attach(change, file: 2)
        third.install(trees: change.trees, version: 20, tag: 0)
        try third.withPin { (root: UnsafePointer<RootHeader>) throws -> Void in
            try third.expect(root.pointee.tree(0), toBe: model, "two files")
            let counts = try third.livePageCounts(of: root)
            #expect(counts[2] == Int(change.pageCount))
            #expect(counts[1] ?? 0 < Int(first.pageCount))
        }
        // Nothing changed: nothing is written.
        let nothing = try third.writeToMemory(file: 3, seed: 13, keeping: [1, 2])
        #expect(nothing.pageCount == 0)
        #expect(nothing.trees[0].root == change.trees[0].root)
        // Only file 2 is kept: the pages of file 1 move, and those above them.
        let moved = try third.writeToMemory(file: 3, seed: 13, keeping: [2])
        let fourth = Index()
        fourth.attach(change, file: 2)
        fourth.attach(moved, file: 3)
        fourth.install(trees: moved.trees, version: 30, tag: 0)
        try fourth.withPin { (root: UnsafePointer<RootHeader>) throws -> Void in
            try fourth.expect(root.pointee.tree(0), toBe: model, "moved")
            #expect(try fourth.livePageCounts(of: root)[1] == nil)
        }
    }

    @Test("each flipped byte of a page is found, and never believed")
    func flippedBytes() throws {
        var random = SeededRandom(seed: 6)
        let index = Index.make()
        let keys = (0..<300).map { KeyShape.random16.makeKey($0, &random) }
        try index.write { (writer: IndexWriter) throws -> Void in
            for key in keys { try writer.insert(key, 7) }
        }
        let written = try index.writeToMemory(file: 1, seed: 1)
        let page = Int(written.pageCount) - 1
        for offset in 0..<2048 {
            let place = page * 2048 + offset
            let mask = UInt8(1 << random.below(8))
            written.pages.bytes[place] ^= mask
            let reopened = Index()
            reopened.attach(written, file: 1)
            reopened.install(trees: written.trees, version: 2, tag: 0)
            for _ in 0..<2 {
                #expect(throws: IndexFailure.damagedPage(file: 1, page: UInt32(page))) {
                    try reopened.reader.value(keys[0], in: written.trees[0])
                }
            }
            #expect(throws: IndexFailure.damagedPage(file: 1, page: UInt32(page))) {
                try reopened.reader.values([keys[1], keys[0]], in: written.trees[0])
            }
            #expect(throws: IndexFailure.damagedPage(file: 1, page: UInt32(page))) {
                try keys[0].withUnsafeBytes {
                    try reopened.reader.estimatedCount(from: $0, to: nil, in: written.trees[0])
                }
            }
            if offset % 100 == 0 { #expect(reopened.verifyAllPages(file: 1) == [UInt32(page)]) }
            written.pages.bytes[place] ^= mask
            // Once it is repaired, it is believed.
            #expect(try reopened.reader.value(keys[0], in: written.trees[0]) == 7)
            #expect(try reopened.reader.values([keys[0]], in: written.trees[0]) == [7])
        }
    }

    @Test("a page at another place or of another file is not believed")
    func misplacedPages() throws {
        var random = SeededRandom(seed: 6)
        let index = Index.make()
        try index.write { (writer: IndexWriter) throws -> Void in
            for number in 0..<3000 {
                try writer.insert(KeyShape.random16.makeKey(number, &random), 7)
            }
        }
        let written = try index.writeToMemory(file: 1, seed: 1)
        let copy = [UInt8](written.pages.bytes[0..<2048])
        for offset in 0..<2048 { written.pages.bytes[5 * 2048 + offset] = copy[offset] }
        let reopened = Index()
        reopened.attach(written, file: 1)
        #expect(reopened.verifyAllPages(file: 1) == [5])
        let other = Index()
        other.attachPageFile(
            number: 1, pages: UnsafeRawPointer(written.pages.bytes.baseAddress!),
            pageCount: written.pageCount, seed: 2, load: nil)
        #expect(other.verifyAllPages(file: 1).count == Int(written.pageCount))
    }

    @Test("changes that meet a damaged page throw and can be rolled back")
    func damageDuringChanges() throws {
        var random = SeededRandom(seed: 8)
        let index = Index.make()
        var model = IndexModel()
        let keys = (0..<6000).map { KeyShape.random16.makeKey($0, &random) }
        try index.write { (writer: IndexWriter) throws -> Void in
            for key in keys {
                try writer.insert(key, 7)
                model.values[key] = 7
            }
        }
        let written = try index.writeToMemory(file: 1, seed: 1)
        for page in stride(from: 3, to: Int(written.pageCount) - 2, by: 7) {
            written.pages.bytes[page * 2048 + 100] ^= 1
        }
        let reopened = Index()
        reopened.attach(written, file: 1)
        reopened.install(trees: written.trees, version: 5, tag: 0)
        let writer = reopened.beginWrite()
        let savepoint = writer.savepoint()
        var failed = 0
        for key in keys {
            do {
                let count = writer.trees[0].count
                do {
                    try writer.insert(key, 8)
                } catch {
                    #expect(writer.trees[0].count == count)
                    throw error
                }
                _ = try writer.remove(key)
            } catch is IndexFailure {
                failed += 1
            }
        }
        #expect(failed > 100)
        writer.rollback(to: savepoint)
        #expect(writer.trees[0].root == written.trees[0].root)
        writer.rollback()
        // Once the pages are whole again, so is the tree.
        for page in stride(from: 3, to: Int(written.pageCount) - 2, by: 7) {
            written.pages.bytes[page * 2048 + 100] ^= 1
        }
        try reopened.withPin { (root: UnsafePointer<RootHeader>) throws -> Void in
            try reopened.expect(root.pointee.tree(0), toBe: model, "repaired")
        }
        #expect(reopened.statistics.liveNodeByteCount == 0)
    }

    @Test("in load mode a page is filled once, when first touched")
    func loading() throws {
        var random = SeededRandom(seed: 9)
        let index = Index.make()
        var model = IndexModel()
        try index.write { (writer: IndexWriter) throws -> Void in
            for number in 0..<3000 {
                let key = KeyShape.mixed.makeKey(number, &random)
                try writer.insert(key, UInt64(number))
                model.values[key] = UInt64(number)
            }
        }
        let written = try index.writeToMemory(file: 4, seed: 77)
        let memory = TestPages([UInt8](repeating: 0, count: written.pages.bytes.count), seed: 77)
        let counts = UnsafeMutableBufferPointer<Int>.allocate(capacity: Int(written.pageCount))
        counts.initialize(repeating: 0)
        defer { counts.deallocate() }
        let reopened = Index()
        nonisolated(unsafe) let loads = counts
        reopened.attachPageFile(
            number: 4, pages: UnsafeRawPointer(memory.bytes.baseAddress!),
            pageCount: written.pageCount, seed: 77
        ) { page in
            loads[Int(page)] += 1
            let range = Int(page) * 2048..<Int(page + 1) * 2048
            UnsafeMutableRawBufferPointer(rebasing: memory.bytes[range])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: written.pages.bytes[range]))
            return page != 2 || loads[2] > 3
        }
        reopened.install(trees: written.trees, version: 1, tag: 0)
        #expect(counts.allSatisfy { $0 == 0 })
        for _ in 0..<3 { #expect(reopened.verifyAllPages(file: 4) == [2]) }
        try reopened.withPin { (root: UnsafePointer<RootHeader>) throws -> Void in
            try reopened.expect(root.pointee.tree(0), toBe: model, "loaded")
        }
        for (page, count) in counts.enumerated() { #expect(count == (page == 2 ? 4 : 1)) }
    }

    @Test("many files are found by number, also after others went")
    func manyFiles() throws {
        let index = Index.make()
        try index.write { try $0.insert([1], 1) }
        let written = try index.writeToMemory(file: 0, seed: 0)
        for number in UInt32(0)..<200 {
            index.attach(written, file: number &* 16)
            if number >= 3 { index.detachPageFile(number: (number - 3) &* 16) }
            let tree = Tree(
                root: NodeReference(file: number &* 16, page: 0), count: 1, height: 1, flags: 0,
                userData: 0)
            #expect(try index.reader.value([1], in: tree) == 1)
            #expect(index.statistics.pageFileCount == min(3, Int(number) + 1))
        }
        let absent = Tree(
            root: NodeReference(file: 5, page: 0), count: 1, height: 1, flags: 0, userData: 0)
        #expect(throws: IndexFailure.damagedPage(file: 5, page: 0)) {
            try index.reader.value([1], in: absent)
        }
    }
}
