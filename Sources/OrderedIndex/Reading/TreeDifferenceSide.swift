#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// One tree of a difference: a place before a node, on a key, or at the end.
///
/// One thread at a time uses it; it copies a key only when it is asked for.
final class TreeDifferenceSide {
    enum Place {
        /// Before a node that was not looked into.
        case node
        /// On a key of a leaf.
        case key
        case end
    }

    private let reader: IndexReader
    private let height: Int
    /// The inner nodes above the place, and which child of each it is at.
    @exclusivity(unchecked) private var path: [(node: Inner, index: Int)] = []
    /// The leaf of the key, where it is, and how many keys the leaf has.
    @exclusivity(unchecked) private var leaf: Leaf?
    @exclusivity(unchecked) private var leafIndex = 0
    @exclusivity(unchecked) private var leafCount = 0
    @exclusivity(unchecked) private(set) var place: Place
    @exclusivity(unchecked) private(set) var pendingBits: UInt64
    @exclusivity(unchecked) private var keyByteCount: Int?
    /// The separator before the pending node; none before the first one. Found when it is asked
    /// for: mostly the node is skipped.
    @exclusivity(unchecked) private var separator: Key?
    @exclusivity(unchecked) private var hasSeparator = false
    private let keyBuffer = UnsafeMutableRawPointer.allocate(
        byteCount: Key.bufferByteCount, alignment: 16)
    private let boundBuffer = UnsafeMutableRawPointer.allocate(
        byteCount: Key.bufferByteCount, alignment: 16)

    init(reader: IndexReader, tree: Tree) {
        self.reader = reader
        height = Int(tree.height)
        pendingBits = tree.root.bits
        place = tree.height == 0 ? .end : .node
    }

    deinit {
        keyBuffer.deallocate()
        boundBuffer.deallocate()
    }

    /// The level of the node that the place is before.
    var pendingLevel: Int { height - 1 - path.count }

    private var currentLeaf: Leaf {
        guard let leaf else { preconditionFailure("the place is on no key") }
        return leaf
    }

    /// The value of the current key.
    var value: UInt64 { currentLeaf.value(leafIndex) }

    /// The current key, until the place changes.
    var key: Key {
        let count = keyByteCount ?? currentLeaf.copyKey(leafIndex, to: keyBuffer)
        keyByteCount = count
        return Key(start: keyBuffer, count: count)
    }

    /// The node that the place is before.
    func pendingNode() throws(IndexFailure) -> Node {
        try reader.node(pendingBits, level: pendingLevel)
    }

    /// Whether all keys of the pending node are after a key.
    func isAfter(_ key: Key) -> Bool { lowerBound.map { $0.compare(with: key) > 0 } ?? false }

    /// Which of two pending nodes starts first: negative this one's, positive the other's.
    func compareLowerBound(with other: TreeDifferenceSide) -> Int {
        switch (lowerBound, other.lowerBound) {
        case (nil, nil): 0
        case (nil, _): -1
        case (_, nil): 1
        case (let own?, let other?): own.compare(with: other)
        }
    }

    /// From before a node to its first child or key.
    func descend() throws(IndexFailure) {
        let node = try pendingNode()
        if node.level == 0 {
            leaf = Leaf(node)
            leafIndex = 0
            leafCount = node.count
            place = .key
            keyByteCount = nil
            if leafCount == 0 { leaveLeaf() }
        } else {
            path.append((Inner(node), 0))
            arrive()
        }
    }

    /// After the current key, or the node that the place is before.
    func advance() {
        guard place == .key else { return step() }
        leafIndex += 1
        keyByteCount = nil
        if leafIndex == leafCount { leaveLeaf() }
    }

    /// Goes over the entries that both leaves have from here on, key and value; returns how many.
    func skipSameEntries(as other: TreeDifferenceSide) -> Int {
        let (own, its) = (currentLeaf, other.currentLeaf)
        guard own.hasSamePrefix(as: its) else { return 0 }
        let limit = min(leafCount - leafIndex, other.leafCount - other.leafIndex)
        var count = 0
        while count < limit,
            own.hasSameEntry(leafIndex &+ count, as: its, other.leafIndex &+ count)
        {
            count &+= 1
        }
        if count > 0 {
            leave(count)
            other.leave(count)
        }
        return count
    }

    private func leave(_ count: Int) {
        leafIndex += count
        keyByteCount = nil
        if leafIndex == leafCount { leaveLeaf() }
    }

    private func leaveLeaf() {
        leaf = nil
        step()
    }

    /// The innermost node's next child.
    private func step() {
        if path.isEmpty {
            place = .end
        } else {
            path[path.count - 1].index += 1
            arrive()
        }
    }

    /// Sets the place from the path, leaving nodes that are done with.
    private func arrive() {
        hasSeparator = false
        while let (inner, index) = path.last {
            if index <= inner.count {
                place = .node
                pendingBits = inner.children[index]
                return
            }
            path.removeLast()
            if path.isEmpty { break }
            path[path.count - 1].index += 1
        }
        place = .end
    }

    private var lowerBound: Key? {
        if hasSeparator { return separator }
        hasSeparator = true
        separator = nil
        for (node, index) in path.reversed() where index > 0 {
            let length = node.copySeparator(index - 1, to: boundBuffer)
            separator = Key(start: boundBuffer, count: length)
            break
        }
        return separator
    }
}

extension Leaf {
    /// Whether the keys of both begin with the same bytes that are stored once.
    fileprivate func hasSamePrefix(as other: Leaf) -> Bool {
        let count = node.prefixByteCount
        return count == other.node.prefixByteCount
            && (count == 0 || memcmp(node.prefix, other.node.prefix, count) == 0)
    }

    /// Whether two entries of leaves with the same prefix have the same key and value.
    @inline(__always)
    fileprivate func hasSameEntry(_ index: Int, as other: Leaf, _ otherIndex: Int) -> Bool {
        guard node.heads[index] == other.node.heads[otherIndex],
            value(index) == other.value(otherIndex)
        else { return false }
        let count = suffixByteCount(index)
        guard count == other.suffixByteCount(otherIndex) else { return false }
        return count <= 4 || memcmp(tail(index), other.tail(otherIndex), count &- 4) == 0
    }
}
