/// How many keys a range has.
package struct KeyCount: Equatable, Sendable {
    package var count: Int
    /// Whether the keys were counted; else the number is an estimate.
    package var isExact: Bool

    package init(count: Int, isExact: Bool) {
        self.count = count
        self.isExact = isExact
    }
}

extension IndexReader {
    /// About how many keys are at or after `start` and before `end`; without `end` there is no
    /// upper bound.
    ///
    /// Goes down to both ends and reads nothing between them: two nodes for each level, without
    /// allocation. What lies in the leaves of the ends is counted. Each subtree between the paths
    /// counts as the mean that the fan-out of the nodes on the path gives. So the number is exact
    /// if there is no subtree in between. Else it is off by at most the product, over all levels,
    /// of the largest fan-out by the smallest one; it is at least the keys that were counted and
    /// one for each subtree, and at most those of the tree.
    ///
    /// - Throws: `IndexFailure` when a page on the way is damaged.
    package func estimatedCount(
        from start: UnsafeRawBufferPointer, to end: UnsafeRawBufferPointer?, in tree: Tree
    ) throws(IndexFailure) -> KeyCount {
        if tree.root.bits == 0 || tree.height == 0 { return KeyCount(count: 0, isExact: true) }
        let lower = Key(start)
        let upper = end.map { Key($0) }
        if let upper, lower.compare(with: upper) >= 0 { return KeyCount(count: 0, isExact: true) }
        var bits = tree.root.bits
        var level = Int(tree.height) &- 1
        var size = Double(tree.count)
        while level > 0 {
            let inner = Inner(try node(bits, level: level))
            let first = inner.childIndex(for: lower)
            let last = upper.map { inner.childIndex(for: $0) } ?? inner.count
            size /= Double(inner.count &+ 1)
            if first < last {
                let whole = last &- first &- 1
                let left = try partCount(
                    from: lower, inner.children[first], level: level &- 1, size, isStart: true)
                let right = try upper.map { (key) throws(IndexFailure) in
                    try partCount(
                        from: key, inner.children[last], level: level &- 1, size, isStart: false)
                }
                var part = Part(subtreeCount: whole, estimate: size * Double(whole))
                part.add(left)
                part.add(right ?? Part(subtreeCount: 1, estimate: size))
                return part.count(atMost: tree.count)
            }
            // Damage can make no bounds that are out of order, but costs nothing to be safe from.
            if first > last { return KeyCount(count: 0, isExact: false) }
            bits = inner.children[first]
            level &-= 1
        }
        let leaf = Leaf(try node(bits, level: 0))
        let first = leaf.find(lower).index
        let last = upper.map { leaf.find($0).index } ?? leaf.count
        return KeyCount(count: max(0, last &- first), isExact: true)
    }

    /// What lies on one side of a path.
    private struct Part {
        /// The keys that were counted.
        var counted = 0
        /// The subtrees that were not looked into.
        var subtreeCount: Int
        /// The keys that these may have.
        var estimate: Double

        mutating func add(_ other: Part) {
            counted &+= other.counted
            subtreeCount &+= other.subtreeCount
            estimate += other.estimate
        }

        func count(atMost countMax: UInt64) -> KeyCount {
            let most = Double(countMax)
            let guess = min(most, Double(counted) + max(estimate, Double(subtreeCount)))
            return KeyCount(count: Int(guess), isExact: subtreeCount == 0)
        }
    }

    /// The keys of a subtree at or after a key, or those before it.
    private func partCount(
        from key: Key, _ start: UInt64, level: Int, _ size: Double, isStart: Bool
    ) throws(IndexFailure) -> Part {
        var part = Part(subtreeCount: 0, estimate: 0)
        var bits = start
        var level = level
        var size = size
        while level > 0 {
            let inner = Inner(try node(bits, level: level))
            let index = inner.childIndex(for: key)
            let whole = isStart ? inner.count &- index : index
            size /= Double(inner.count &+ 1)
            part.subtreeCount &+= whole
            part.estimate += size * Double(whole)
            bits = inner.children[index]
            level &-= 1
        }
        let leaf = Leaf(try node(bits, level: 0))
        let index = leaf.find(key).index
        part.counted = isStart ? leaf.count &- index : index
        return part
    }
}
