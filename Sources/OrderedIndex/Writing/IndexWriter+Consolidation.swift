#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// How far the consolidation of the leaves of all trees has come.
///
/// Used by slices, each a write transaction that changes no key, so that writers never stop for long.
package struct LeafConsolidation: Sendable {
    /// The tree and the key that the next slice begins at; nil for the tree's first.
    fileprivate(set) var tree = 0
    fileprivate(set) var key: [UInt8]?
    /// Bytes of the leaves that were made.
    package fileprivate(set) var madeByteCount = 0
    /// Whether all trees were looked at.
    package fileprivate(set) var isDone = false

    /// A consolidation that has not begun.
    package init() {}
}

extension IndexWriter {
    /// How many lowest inner nodes a slice looks at, if there is nothing to do below them.
    private static var nodesInSlice: Int { 8 }
    /// Leaves are left as they are unless an eighth of them would go.
    private static var goneShareMin: Int { 8 }
    /// A tenth of a leaf stays free, so that the next insertions don't split what was just filled.
    private static var freeShare: Int { 10 }
    private static var filledByteCount: Int { 1780 }

    /// Does the next slice of a consolidation: writes the keys below a lowest inner node into as few
    /// leaves as have room for a tenth more.
    ///
    /// What is damaged is left alone: whoever needs it gets the error.
    /// - Returns: whether anything was replaced; if not, there is nothing to commit.
    package func consolidate(_ consolidation: inout LeafConsolidation) -> Bool {
        changeCount &+= 1
        finger = Finger()
        for _ in 0..<Self.nodesInSlice {
            while consolidation.tree < treeCount, trees[consolidation.tree].height < 2 {
                consolidation.tree += 1
            }
            let tree = consolidation.tree
            guard tree < treeCount else {
                consolidation.isDone = true
                return false
            }
            let (found, next) = lowestInner(for: consolidation.key, in: tree)
            consolidation.key = next
            if next == nil { consolidation.tree += 1 }
            if let found, let leaves = try? leavesWorthwhile(below: found),
                replace(leaves, in: tree, &consolidation)
            {
                return true
            }
        }
        return false
    }

    /// The lowest inner node on a key's path, nil if a page is damaged, and the first key behind it.
    private func lowestInner(for key: [UInt8]?, in tree: Int) -> (Inner?, next: [UInt8]?) {
        var bits = trees[tree].root.bits
        var next: [UInt8]?
        let height = Int(trees[tree].height)
        for depth in 0..<height - 1 {
            guard let node = try? reader.node(bits, level: height - 1 - depth) else { break }
            let inner = Inner(node)
            if depth == height - 2 { return (inner, next) }
            let index = key?.withUnsafeBytes { inner.childIndex(for: Key($0)) } ?? 0
            pathIndexes[depth] = index
            if index < inner.count {
                let length = inner.copySeparator(index, to: separators)
                next = [UInt8](UnsafeRawBufferPointer(start: separators, count: length))
            }
            bits = inner.children[index]
        }
        return (nil, next)
    }

    /// The leaves below an inner node, or nil if about as many would be needed for their keys.
    private func leavesWorthwhile(below inner: Inner) throws(IndexFailure) -> [Leaf]? {
        var leaves: [Leaf] = []
        var used = 0
        for index in 0...inner.count {
            let leaf = Leaf(try reader.node(inner.children[index], level: 0))
            leaves.append(leaf)
            used += leaf.usedByteCount
        }
        let needed = (used + Self.filledByteCount - 1) / Self.filledByteCount
        return needed <= leaves.count - max(1, leaves.count / Self.goneShareMin) ? leaves : nil
    }

    /// Puts new leaves in the place of all those below the inner node that the path leads to; false,
    /// and nothing changed, if they would not be fewer.
    private func replace(
        _ leaves: [Leaf], in tree: Int, _ consolidation: inout LeafConsolidation
    ) -> Bool {
        let made = FilledLeaves(of: leaves, for: self)
        guard made.nodes.count < leaves.count, let parent = try? ownLowestInner(in: tree) else {
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

    /// Makes the path's inner nodes the transaction's own; returns the lowest.
    private func ownLowestInner(in tree: Int) throws(IndexFailure) -> Inner {
        let height = Int(trees[tree].height)
        let root = trees[tree].root.bits
        var node = try own(root, level: height - 1)
        if node.reference.bits != root { trees[tree].root = node.reference }
        for depth in 0..<height - 2 {
            pathNodes[depth] = node
            let inner = Inner(node)
            let bits = inner.children[pathIndexes[depth]]
            node = try own(bits, level: height - 2 - depth)
            if node.reference.bits != bits {
                inner.children[pathIndexes[depth]] = node.reference.bits
            }
        }
        pathNodes[height - 2] = node
        return Inner(node)
    }

    /// New leaves with the keys of others.
    private struct FilledLeaves {
        private(set) var nodes: [Node] = []
        /// Between the leaves: the separators' bytes, one behind the other, and where each begins.
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
        /// entries come behind the list's.
        private static func plan(_ list: EntryList, isRest: Bool) -> (count: Int, NodePlan) {
            if isRest, let plan = list.leafPlan(0..<list.count) { return (list.count, plan) }
            // The most that fit: one does.
            var (fitting, tooMany) = (1, list.count + 1)
            while tooMany - fitting > 1 {
                let middle = (fitting + tooMany) / 2
                if list.leafPlan(0..<middle) == nil { tooMany = middle } else { fitting = middle }
            }
            var count = max(1, fitting - fitting / IndexWriter.freeShare)
            // Two alike, and not a full one and a few keys.
            if isRest && list.count < 2 * count { count = min(count, (list.count + 1) / 2) }
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
