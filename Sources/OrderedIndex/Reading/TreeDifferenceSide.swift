/// One tree of a difference: a place before a node, on a key, or at the end.
final class TreeDifferenceSide {
    enum Place {
        /// Before a node that was not looked into.
        case node
        /// On a key of a leaf.
        case key
        case end
    }

    private let reader: IndexReader
    private var nodes: [Node] = []
    private var indexes: [Int] = []
    private let height: Int
    private let keyBuffer = UnsafeMutableRawPointer.allocate(
        byteCount: Key.bufferByteCount, alignment: 16)
    private let boundBuffer = UnsafeMutableRawPointer.allocate(
        byteCount: Key.bufferByteCount, alignment: 16)
    private(set) var key = Key(start: UnsafeRawPointer(bitPattern: 8).unsafelyUnwrapped, count: 0)
    private(set) var place: Place
    private(set) var pendingBits: UInt64
    /// The separator before the pending node; none before the first one. Found when it is asked
    /// for: mostly the node is skipped.
    private var separator: Key?
    private var hasSeparator = false

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
    var pendingLevel: Int { height - 1 - nodes.count }

    var value: UInt64 { Leaf(nodes[nodes.count - 1]).value(indexes[indexes.count - 1]) }

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
        nodes.append(try pendingNode())
        indexes.append(0)
        arrive()
    }

    /// After the current key, or the node that the place is before.
    func advance() {
        if place == .key { indexes[indexes.count - 1] += 1 } else { step() }
        arrive()
    }

    /// The innermost node's next child.
    private func step() {
        if indexes.isEmpty {
            place = .end
        } else {
            indexes[indexes.count - 1] += 1
        }
    }

    /// Sets the place from the path, leaving nodes that are done with.
    private func arrive() {
        hasSeparator = false
        while let node = nodes.last {
            let index = indexes[indexes.count - 1]
            let isLeaf = node.level == 0
            if index < (isLeaf ? node.count : node.count + 1) {
                if isLeaf {
                    place = .key
                    key = Key(
                        start: keyBuffer, count: Leaf(node).copyKey(index, to: keyBuffer))
                } else {
                    place = .node
                    pendingBits = Inner(node).children[index]
                }
                return
            }
            nodes.removeLast()
            indexes.removeLast()
            step()
        }
        place = .end
    }

    private var lowerBound: Key? {
        if hasSeparator { return separator }
        hasSeparator = true
        separator = nil
        for depth in (0..<nodes.count).reversed() where indexes[depth] > 0 {
            let length = Inner(nodes[depth]).copySeparator(indexes[depth] - 1, to: boundBuffer)
            separator = Key(start: boundBuffer, count: length)
            break
        }
        return separator
    }
}
