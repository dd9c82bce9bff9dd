#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// How far the consolidation of the leaves of all trees has come: full leaves in place of those
/// that insertions in any order left.
///
/// `findNext` looks for the next leaves that are worth it, in any version and outside of a
/// transaction, for it may read many pages; `IndexWriter.consolidate` then does these few in a
/// transaction that changes no key. So writers never stop for long.
package struct LeafConsolidation: Sendable {
    /// The tree and the key whose leaves are next; nil for the tree's first.
    private(set) var tree = 0
    private(set) var key: [UInt8]?
    /// Bytes of the leaves that were made.
    package fileprivate(set) var madeByteCount = 0
    /// Whether all trees were looked at.
    package private(set) var isDone = false

    /// A consolidation that has not begun.
    package init() {}

    /// Goes on to the next leaves that are worth being replaced, or to the end.
    ///
    /// What is damaged is skipped: the operation that needs it gets the error.
    package mutating func findNext(in root: UnsafePointer<RootHeader>, _ reader: IndexReader) {
        while let (number, tree) = nextTree(of: root.pointee.trees, root.pointee.treeCount) {
            let (found, next) = reader.lowestInner(for: key, in: tree)
            if let found, reader.leavesWorthwhile(below: found) != nil { return }
            advance(after: number, next)
        }
        isDone = true
    }

    /// The tree to look at, the first from here on with more than one leaf.
    fileprivate mutating func nextTree(
        of trees: UnsafePointer<Tree>, _ treeCount: Int
    ) -> (number: Int, Tree)? {
        while tree < treeCount {
            if trees[tree].height > 1 { return (tree, trees[tree]) }
            advance(after: tree, nil)
        }
        return nil
    }

    /// The next leaves are those from a key on, or those of the next tree.
    fileprivate mutating func advance(after number: Int, _ next: [UInt8]?) {
        tree = next == nil ? number + 1 : number
        key = next
    }

    /// Leaves are left as they are unless an eighth of them can be saved.
    fileprivate static func isWorthIt(_ made: Int, for leafCount: Int) -> Bool {
        made <= leafCount - max(1, leafCount / 8)
    }

    /// A tenth of a leaf stays free, so that the next insertions don't split what was just filled.
    fileprivate static let freeShare = 10
    fileprivate static let filledByteCount = 1780
}

extension IndexReader {
    /// The lowest inner node on a key's path, nil if a page is damaged, and the first key after it.
    /// `noting` gets the child that was taken at each depth.
    fileprivate func lowestInner(
        for key: [UInt8]?, in tree: Tree, noting: (Int, Int) -> Void = { _, _ in }
    ) -> (Inner?, next: [UInt8]?) {
        var bits = tree.root.bits
        var next: [UInt8]?
        let height = Int(tree.height)
        for depth in 0..<height - 1 {
            guard let node = try? node(bits, level: height - 1 - depth) else { break }
            let inner = Inner(node)
            if depth == height - 2 { return (inner, next) }
            let index = key?.withUnsafeBytes { inner.childIndex(for: Key($0)) } ?? 0
            noting(depth, index)
            if index < inner.count {
                next = [UInt8](unsafeUninitializedCapacity: WriterScratch.separatorByteCountMax) {
                    $1 = inner.copySeparator(index, to: UnsafeMutableRawPointer($0.baseAddress!))
                }
            }
            bits = inner.children[index]
        }
        return (nil, next)
    }

    /// The leaves below an inner node, or nil if about as many would be needed for their keys, or a
    /// page is damaged.
    fileprivate func leavesWorthwhile(below inner: Inner) -> [Leaf]? {
        var leaves: [Leaf] = []
        var used = 0
        for index in 0...inner.count {
            guard let node = try? node(inner.children[index], level: 0) else { return nil }
            leaves.append(Leaf(node))
            used += Leaf(node).usedByteCount
        }
        let filled = LeafConsolidation.filledByteCount
        return LeafConsolidation.isWorthIt((used + filled - 1) / filled, for: leaves.count)
            ? leaves : nil
    }
}

extension IndexWriter {
    /// Writes the keys of the leaves that the consolidation has found, those below one lowest inner
    /// node, into as few as have room for a tenth more, if they are worth it in this version too.
    ///
    /// - Returns: whether anything was replaced; if not, there is nothing to commit.
    package func consolidate(_ consolidation: inout LeafConsolidation) -> Bool {
        changeCount &+= 1
        finger = Finger()
        guard let (number, tree) = consolidation.nextTree(of: trees, treeCount) else {
            return false
        }
        let (found, next) = reader.lowestInner(for: consolidation.key, in: tree) {
            pathIndexes[$0] = $1
        }
        consolidation.advance(after: number, next)
        guard let found, let leaves = reader.leavesWorthwhile(below: found) else { return false }
        return replace(leaves, in: number, &consolidation)
    }

    /// Puts new leaves in the place of all those below the inner node that the path leads to;
    /// false, and nothing changed, if they would not be fewer.
    private func replace(
        _ leaves: [Leaf], in tree: Int, _ consolidation: inout LeafConsolidation
    ) -> Bool {
        let made = FilledLeaves(of: leaves, for: self)
        guard LeafConsolidation.isWorthIt(made.nodes.count, for: leaves.count),
            let parent = try? Inner(ownPath(in: tree, to: Int(trees[tree].height) - 2))
        else {
            return forget(made)
        }
        // By their references: that of a page is not what its address in memory would be.
        let children = (0...parent.count).map { parent.children[$0] }
        guard made.write(to: parent, for: self) else { return forget(made) }
        for child in children { discard(child) }
        consolidation.madeByteCount += made.nodes.count * Node.byteCount
        settle(parent, depth: Int(trees[tree].height) - 2, in: tree)
        return true
    }

    private func forget(_ made: FilledLeaves) -> Bool {
        for node in made.nodes { discard(node.reference.bits) }
        return false
    }

    /// New leaves with the keys of others.
    private struct FilledLeaves {
        private(set) var nodes: [Node] = []
        /// Between the leaves: the separators' bytes, one after the other, and where each begins.
        private var separators: [UInt8] = []
        private var starts: [Int] = []

        init(of leaves: [Leaf], for writer: IndexWriter) {
            let list = writer.index.scratch.entries
            var last: [UInt8] = []
            var place = (leaf: 0, entry: 0)
            while place.leaf < leaves.count {
                list.removeAll()
                var isRest = true
                for number in place.leaf..<leaves.count {
                    if list.count > 0, list.leafPlan(0..<list.count) == nil {
                        isRest = false
                        break
                    }
                    list.append(leaves[number], from: number == place.leaf ? place.entry : 0)
                }
                let (count, plan) = Self.plan(list, isRest: isRest)
                if !nodes.isEmpty { separate(from: last, list.key(0), writer) }
                let node = writer.allocate()
                list.writeLeaf(0..<count, plan: plan, to: node, version: writer.version)
                nodes.append(node)
                let key = list.key(count - 1)
                last = [UInt8](UnsafeRawBufferPointer(start: key.start, count: key.count))
                Self.advance(&place, by: count, leaves)
            }
        }

        /// How many of a list's entries the next leaf takes, and its layout. `isRest` says that no
        /// entries come after the list's.
        private static func plan(_ list: EntryList, isRest: Bool) -> (count: Int, NodePlan) {
            if isRest, let plan = list.leafPlan(0..<list.count) { return (list.count, plan) }
            // The most that fit: one does.
            var (fitting, tooMany) = (1, list.count + 1)
            while tooMany - fitting > 1 {
                let middle = (fitting + tooMany) / 2
                if list.leafPlan(0..<middle) == nil { tooMany = middle } else { fitting = middle }
            }
            var count = max(1, fitting - fitting / LeafConsolidation.freeShare)
            // Two alike, and not a full one and a few keys.
            if isRest && list.count < 2 * count { count = min(count, (list.count + 1) / 2) }
            // Where separators are short, as in splits, but not above the middle.
            count = IndexWriter.bestSeparated(list, near: count - count / 32, within: count / 32)
            for count in stride(from: count, to: 0, by: -1) {
                if let plan = list.leafPlan(0..<count) { return (count, plan) }
            }
            preconditionFailure("one key fits into a leaf")
        }

        private mutating func separate(from last: [UInt8], _ first: Key, _ writer: IndexWriter) {
            let key = last.withUnsafeBytes {
                IndexWriter.separator(between: Key($0), and: first, in: writer.separators)
            }
            starts.append(separators.count)
            separators += UnsafeRawBufferPointer(start: key.start, count: key.count)
        }

        private static func advance(
            _ place: inout (leaf: Int, entry: Int), by count: Int, _ leaves: [Leaf]
        ) {
            place.entry += count
            while place.leaf < leaves.count, place.entry >= leaves[place.leaf].count {
                place.entry -= leaves[place.leaf].count
                place.leaf += 1
            }
        }

        /// Makes the leaves the children of an inner node, if they fit; if not, it stays as it is.
        func write(to parent: Inner, for writer: IndexWriter) -> Bool {
            let list = writer.index.scratch.entries
            list.removeAll()
            return separators.withUnsafeBytes { bytes in
                for (number, start) in starts.enumerated() {
                    let end = number + 1 < starts.count ? starts[number + 1] : bytes.count
                    list.insert(
                        Key(UnsafeRawBufferPointer(rebasing: bytes[start..<end])),
                        payload: nodes[number + 1].reference.bits, at: number)
                }
                guard let plan = list.innerPlan(0..<list.count) else { return false }
                list.writeInner(
                    0..<list.count, first: nodes[0].reference.bits, plan: plan, to: parent.node,
                    version: writer.version, level: 1)
                return true
            }
        }
    }
}
