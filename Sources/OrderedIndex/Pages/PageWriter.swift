#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What writing the pages of a root came to.
package struct WrittenPages: @unchecked Sendable {
    /// The trees, which refer to pages only.
    package var trees: [Tree]
    /// The number of pages written.
    package var pageCount: UInt32
    /// For pages of files that are no longer used, the pages that replace them.
    package var moved: [UInt64: UInt64]
}

extension Index {
    /// Writes the nodes of a root's trees as pages of a new file, children before parents.
    ///
    /// Pages have the numbers 0, 1, … in the order in which `emit` gets them, in runs of up to 256
    /// pages of 2048 bytes. Nodes that are pages of a file in `kept` already, or that are noted to
    /// say the same as one, are referred to and not written again. The caller has the root pinned;
    /// any thread, one at a time if `notesPages`.
    ///
    /// If nothing refers to a file that is not kept, whole subtrees are skipped, so that the cost
    /// follows change; if not (`isLeavingFiles`, or an attached file is not kept), the inner nodes
    /// are read, and pages with a page of another file below them are written anew.
    ///
    /// With `notesPages` each node in memory notes its new page, for the next call. What is noted
    /// of a file that never becomes durable does no harm: its number must never be in `kept`.
    /// - Throws: what `emit` throws, and `IndexFailure` when a page that must be read is damaged.
    package func writePages(
        of root: UnsafePointer<RootHeader>, file: UInt32, seed: UInt64,
        keepingPagesOf kept: Set<UInt32>, isLeavingFiles: Bool = false, notesPages: Bool = false,
        emit: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> WrittenPages {
        var mayBeSparse = isLeavingFiles
        visitPageFiles { if !kept.contains($0.pointee.number) { mayBeSparse = true } }
        let writer = PageWriter(
            reader: reader, file: file, seed: seed, kept: kept, mayBeSparse: mayBeSparse,
            notesPages: notesPages)
        var trees: [Tree] = []
        for number in 0..<root.pointee.treeCount {
            var tree = root.pointee.trees[number]
            if tree.height > 0 {
                tree.root = try writer.write(
                    tree.root, level: Int(tree.height) - 1, emit: emit)
            }
            trees.append(tree)
        }
        try writer.flush(emit)
        return WrittenPages(trees: trees, pageCount: writer.pageCount, moved: writer.moved)
    }

    /// How many pages of each file a root refers to, or its nodes in memory are noted to equal.
    /// Reads all inner nodes.
    ///
    /// - Throws: `IndexFailure` when an inner page is damaged.
    package func livePageCounts(
        of root: UnsafePointer<RootHeader>
    ) throws(IndexFailure) -> [UInt32: Int] {
        var counts: [UInt32: Int] = [:]
        func count(_ bits: UInt64, level: Int) throws(IndexFailure) {
            if let page = NodeReference(bits: bits).image.page {
                counts[page.file, default: 0] += 1
            }
            if level == 0 { return }
            let inner = Inner(try reader.node(bits, level: level))
            for index in 0...inner.count {
                try count(inner.children[index], level: level - 1)
            }
        }
        for number in 0..<root.pointee.treeCount {
            let tree = root.pointee.trees[number]
            if tree.height > 0 { try count(tree.root.bits, level: Int(tree.height) - 1) }
        }
        return counts
    }
}

extension NodeReference {
    /// The page that says what this node says: itself, or what its memory notes; else none.
    var image: NodeReference {
        bits >> 63 == 1 || bits == 0 ? self : NodeReference(bits: Node(bits: bits).pageSlot.pointee)
    }
}

/// The pages of one file under way.
private final class PageWriter {
    private static let runPageCount = 256

    private let reader: IndexReader
    private let file: UInt32
    private let seed: UInt64
    private let kept: Set<UInt32>
    private let mayBeSparse: Bool
    private let notesPages: Bool
    private let run = UnsafeMutableRawPointer.allocate(
        byteCount: PageWriter.runPageCount * Node.byteCount, alignment: 4096)
    private var runCount = 0
    private(set) var pageCount: UInt32 = 0
    private(set) var moved: [UInt64: UInt64] = [:]

    init(
        reader: IndexReader, file: UInt32, seed: UInt64, kept: Set<UInt32>, mayBeSparse: Bool,
        notesPages: Bool
    ) {
        self.reader = reader
        self.file = file
        self.seed = seed
        self.kept = kept
        self.mayBeSparse = mayBeSparse
        self.notesPages = notesPages
    }

    deinit { run.deallocate() }

    /// Writes a subtree as far as needed and returns the reference to its root page.
    func write(
        _ reference: NodeReference, level: Int, emit: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> NodeReference {
        let image = reference.image
        let isKept = image.page.map { kept.contains($0.file) } ?? false
        if isKept && (level == 0 || !mayBeSparse) { return image }
        let node = try reader.node(reference.bits, level: level)
        var children: [UInt64] = []
        if level > 0 {
            let inner = Inner(node)
            children.reserveCapacity(inner.count + 1)
            var isChanged = !isKept
            for index in 0...inner.count {
                let child = NodeReference(bits: inner.children[index])
                // The image's own child is the child's image, unless that page was replaced since.
                let old = child.image
                let new = try write(child, level: level - 1, emit: emit)
                if new != old { isChanged = true }
                children.append(new.bits)
            }
            if !isChanged { return image }
        }
        let page = try append(node, children, emit)
        if reference.page != nil {
            moved[reference.bits] = page.bits
        } else if notesPages {
            node.pageSlot.pointee = page.bits
        }
        return page
    }

    private func append(
        _ node: Node, _ children: [UInt64], _ emit: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> NodeReference {
        if runCount == Self.runPageCount { try flush(emit) }
        let page = Node(run + runCount * Node.byteCount)
        page.base.copyMemory(from: node.base, byteCount: Node.byteCount)
        if page.level > 0 {
            let target = Inner(page).children
            for (index, child) in children.enumerated() { target[index] = child }
        }
        page.clearUnused()
        // Under a right checksum a broken page would be believed (F1).
        precondition(
            page.isWellFormed && page.hasPagesOnly, "page \(pageCount) is not one that can be read")
        let checksum = PageFile.checksum(of: page.base, page: pageCount, seed: seed)
        page.base.storeBytes(
            of: checksum.littleEndian, toByteOffset: Node.checksumOffset, as: UInt32.self)
        runCount += 1
        precondition(pageCount < .max, "a page file has at most 2^32 - 1 pages")
        pageCount += 1
        return NodeReference(file: file, page: pageCount - 1)
    }

    func flush(_ emit: (UnsafeRawBufferPointer) throws -> Void) throws {
        if runCount == 0 { return }
        try emit(UnsafeRawBufferPointer(start: run, count: runCount * Node.byteCount))
        runCount = 0
    }
}

extension Node {
    /// Sets the bytes that say nothing to zero, so that no removed key gets into a page.
    ///
    /// In heaps, records that no slot refers to any more are cleared with what lies around them.
    fileprivate func clearUnused() {
        let limit = limit
        recent = 0
        if level == 0 {
            let leaf = Leaf(self)
            let prefixEnd =
                limit == Node.checksumOffset
                ? Offset.nearPrefix + prefixByteCount : Offset.nearPrefix
            memset(base + prefixEnd, 0, Node.headsOffset - prefixEnd)
            if leaf.isFixed {
                clear(from: leaf.body + count * (leaf.tailByteCount + 8), to: base + limit)
                return
            }
            clear(from: leaf.body + 8 * count, to: leaf.body + 8 * capacity)
            clearHeap(slots: leaf.slots, limit)
        } else {
            let inner = Inner(self)
            if inner.isPlain {
                clear(from: inner.children + (count + 1), to: base + limit)
                return
            }
            clear(from: inner.children + (count + 1), to: inner.children + (capacity + 1))
            clearHeap(slots: inner.slots, limit)
        }
    }

    private func clear(from start: UnsafeMutableRawPointer, to end: UnsafeMutableRawPointer) {
        memset(start, 0, end - start)
    }

    private func clearHeap(slots: UnsafeMutablePointer<UInt16>, _ limit: Int) {
        memset(slots + count, 0, (capacity - count) * 2)
        let slotsEnd = UnsafeMutableRawPointer(slots + capacity)
        memset(slotsEnd, 0, base + heapStart - slotsEnd)
        // Records in use, in the order of their places; the gaps between them are cleared.
        let starts = (0..<count).map { Int(slots[$0]) }.sorted()
        var end = heapStart
        for start in starts + [limit] {
            if start > end { memset(base + end, 0, start - end) }
            if start == limit { break }
            let suffix = Int((base + start).loadUnaligned(as: UInt16.self))
            end = start + Leaf.recordByteCount(suffixByteCount: suffix)
        }
    }
}
