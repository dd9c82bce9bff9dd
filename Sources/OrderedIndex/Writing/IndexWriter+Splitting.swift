#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Insertions that change the layout of a leaf, and what follows from them further up.
extension IndexWriter {
    /// Inserts a key for which its leaf has no room as it is: lays the leaf out anew, or splits it.
    @inline(never)
    func insert(
        _ key: Key, _ value: UInt64, into leaf: Leaf, at index: Int, depth: Int, isLastLeaf: Bool,
        in tree: Int
    ) {
        let isRun = leaf.node.recent + 1 == index
        finger = Finger()
        let isAtEnd = index == leaf.count
        if isAtEnd && (isRun || isLastLeaf) && leaf.count == leaf.node.capacity && leaf.isFixed {
            // An ascending run fills its leaves and starts new ones.
            startLeaf(
                with: key, value, after: leaf, depth: depth, isLastLeaf: isLastLeaf, in: tree)
            return
        }
        let list = self.index.scratch.entries
        list.removeAll()
        list.append(leaf)
        list.insert(key, payload: value, at: index)
        let count = list.count
        if let plan = list.leafPlan(0..<count) {
            list.writeLeaf(0..<count, plan: plan, to: leaf.node, version: version)
            leaf.node.recent = index
            return
        }
        let grows = isAtEnd ? isRun || isLastLeaf : isRun && list.isLastOfGroup(index)
        let wanted = grows ? min(index + 1, count - 1) : count / 2
        let (middle, left, right) = splitPlans(of: list, near: wanted, isFree: !grows)
        let separator = Self.separator(
            between: list.key(middle - 1), and: list.key(middle), in: separators)
        let node = allocate()
        list.writeLeaf(middle..<count, plan: right, to: node, version: version)
        list.writeLeaf(0..<middle, plan: left, to: leaf.node, version: version)
        if index >= middle { node.recent = index - middle } else { leaf.node.recent = index }
        insertChild(node, after: separator, depth: depth - 1, in: tree)
    }

    private func startLeaf(
        with key: Key, _ value: UInt64, after leaf: Leaf, depth: Int, isLastLeaf: Bool,
        in tree: Int
    ) {
        let node = makeLeaf(forOnly: key, value, sharingPrefixOf: leaf.node)
        let lastKey = separators + WriterScratch.separatorByteCountMax
        let length = leaf.copyKey(leaf.count - 1, to: lastKey)
        let separator = Self.separator(
            between: Key(start: lastKey, count: length), and: key, in: separators)
        insertChild(node, after: separator, depth: depth - 1, in: tree)
        if isLastLeaf { finger = Finger(tree: tree, leaf: node) }
    }

    /// Where to split entries that don't fit into one leaf, and the layouts of both halves.
    ///
    /// There is always a place. If the new key has another prefix than the leaf, it is the first or
    /// the last, and the others fit without it. If not, the halves by bytes fit: all entries take
    /// at most 4 / 3 of a leaf's 1980 bytes in slotted form and the new one 528, so that the larger
    /// half takes at most (2640 + 528 + 528) / 2.
    private func splitPlans(
        of list: EntryList, near wanted: Int, isFree: Bool
    ) -> (middle: Int, left: NodePlan, right: NodePlan) {
        let count = list.count
        var wanted = wanted
        if isFree && count >= 16 {
            wanted = Self.bestSeparated(list, near: wanted, within: count / 16)
        }
        for distance in 0..<count {
            for middle in [wanted - distance, wanted + distance]
            where middle > 0 && middle < count {
                if let left = list.leafPlan(0..<middle), let right = list.leafPlan(middle..<count) {
                    return (middle, left, right)
                }
            }
        }
        preconditionFailure("a leaf and one key fit into two leaves")
    }

    /// The place near the middle whose neighbors share the shortest prefix: separators stay short.
    static func bestSeparated(_ list: EntryList, near middle: Int, within reach: Int) -> Int {
        var best = middle
        var shortest = Int.max
        for distance in 0...reach {
            for candidate in [middle - distance, middle + distance] {
                let shared = list.key(candidate - 1).commonPrefixByteCount(
                    with: list.key(candidate))
                if shared < shortest {
                    shortest = shared
                    best = candidate
                }
            }
        }
        return best
    }

    /// Writes the shortest key after `left` and not after `right`.
    static func separator(
        between left: Key, and right: Key, in target: UnsafeMutableRawPointer
    ) -> Key {
        let length = left.commonPrefixByteCount(with: right) + 1
        memcpy(target, right.start, length)
        return Key(start: target, count: length)
    }

    /// Adds a node after the child that the path takes at `depth`; splits on the way up as needed.
    private func insertChild(_ node: Node, after separator: Key, depth: Int, in tree: Int) {
        var node = node
        var separator = separator
        var depth = depth
        let list = index.scratch.entries
        while depth >= 0 {
            let inner = Inner(pathNodes[depth])
            let place = pathIndexes[depth]
            if inner.hasRoom(for: separator) {
                inner.insert(separator, child: node.reference, at: place)
                return
            }
            list.removeAll()
            list.append(inner, after: nil)
            list.insert(separator, payload: node.reference.bits, at: place)
            let count = list.count
            let level = inner.node.level
            let first = list.firstChild
            if let plan = list.innerPlan(0..<count) {
                list.writeInner(
                    0..<count, first: first, plan: plan, to: inner.node, version: version,
                    level: level)
                return
            }
            let (middle, left, right) = Self.splitPlans(ofInner: list, isRun: place == count - 1)
            // The separator that goes up must outlive the list, and the one that came is in it.
            let isFirst = separator.start == UnsafeRawPointer(separators)
            let target = separators + (isFirst ? WriterScratch.separatorByteCountMax : 0)
            let up = list.key(middle)
            memcpy(target, up.start, up.count)
            let added = allocate()
            list.writeInner(
                middle + 1..<count, first: list.payload(middle), plan: right, to: added,
                version: version, level: level)
            list.writeInner(
                0..<middle, first: first, plan: left, to: inner.node, version: version,
                level: level)
            separator = Key(start: target, count: up.count)
            node = added
            depth -= 1
        }
        plantRoot(above: node, after: separator, in: tree)
    }

    /// Which separator goes up when an inner node is split, and the layouts of both halves.
    private static func splitPlans(
        ofInner list: EntryList, isRun: Bool
    ) -> (middle: Int, left: NodePlan, right: NodePlan) {
        let count = list.count
        // A run fills its nodes; a little room is left for what comes later.
        let wanted = isRun ? count - 1 - count / 16 : count / 2
        for distance in 0..<count {
            for middle in [wanted - distance, wanted + distance]
            where middle >= 0 && middle < count {
                if let left = list.innerPlan(0..<middle),
                    let right = list.innerPlan(middle + 1..<count)
                {
                    return (middle, left, right)
                }
            }
        }
        preconditionFailure("an inner node and one separator fit into two")
    }

    private func plantRoot(above node: Node, after separator: Key, in tree: Int) {
        let list = index.scratch.entries
        list.removeAll()
        list.insert(separator, payload: node.reference.bits, at: 0)
        guard let plan = list.innerPlan(0..<1) else {
            preconditionFailure("one separator fits into a node")
        }
        let root = allocate()
        let height = trees[tree].height
        list.writeInner(
            0..<1, first: trees[tree].root.bits, plan: plan, to: root, version: version,
            level: Int(height))
        trees[tree].root = root.reference
        trees[tree].height = height + 1
    }
}
