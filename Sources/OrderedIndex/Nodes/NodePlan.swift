/// The layout of a node for a given set of keys or separators.
struct NodePlan {
    var layout: UInt8
    var prefixByteCount: Int
    /// Fixed leaf: the length of every key.
    var keyByteCount: Int
    var capacity: Int

    /// Where the room for everything but a far prefix ends.
    var limit: Int {
        Node.limit(
            prefixByteCount: prefixByteCount, isLeaf: layout <= Node.Layout.slottedLeaf)
    }

    /// Whether a separator's bytes after a prefix fit into a head, and follow from it.
    static func isPlain(_ separator: Key, after prefixByteCount: Int) -> Bool {
        let length = separator.count - prefixByteCount
        if length == 0 { return true }
        return length <= 4
            && (separator.start + (separator.count - 1)).load(as: UInt8.self) != 0
    }

    /// The number of keys of a fixed leaf.
    static func fixedCapacity(keyByteCount: Int, prefixByteCount: Int) -> Int {
        let tail = max(0, keyByteCount - prefixByteCount - 4)
        let room =
            Node.limit(prefixByteCount: prefixByteCount, isLeaf: true) - Node.headsOffset
        var capacity = room / (12 + tail)
        while 4 * ((capacity + 7) & ~7) + (tail + 8) * capacity > room { capacity -= 1 }
        return capacity
    }

    /// The number of separators of a plain inner node.
    static func plainCapacity(prefixByteCount: Int) -> Int {
        let limit = Node.checksumOffset - prefixByteCount
        var capacity = min(Node.capacityMax, (limit - Node.headsOffset - 8) / 12)
        while Node.headsOffset + 4 * Node.headCapacity(for: capacity) + 8 * (capacity + 1) > limit {
            capacity -= 1
        }
        return capacity
    }

    /// The capacity of a node with a heap: room for `count` entries and as many like them as fit;
    /// nil if they don't.
    static func heapCapacity(
        count: Int, heapByteCount: Int, prefixByteCount: Int, isLeaf: Bool
    ) -> Int? {
        let limit =
            Node.limit(prefixByteCount: prefixByteCount, isLeaf: isLeaf) - (isLeaf ? 0 : 8)
        func end(_ capacity: Int) -> Int {
            let heads = isLeaf ? (capacity + 7) & ~7 : Node.headCapacity(for: capacity)
            return Node.headsOffset + 4 * heads + 10 * capacity
        }
        guard count <= Node.capacityMax, end(count) + heapByteCount <= limit else { return nil }
        let spare = limit - end(count) - heapByteCount
        let average = 14 + heapByteCount / max(1, count)
        var capacity = min(Node.capacityMax, count + spare / average)
        while end(capacity) + heapByteCount > limit { capacity -= 1 }
        return capacity
    }

    /// A leaf of one key that others like it are expected to join.
    static func leaf(forOnly key: Key, sharingPrefixOf neighbor: Node?) -> NodePlan {
        var prefixByteCount = max(0, key.count - 4)
        if let neighbor {
            let shared = Key(start: neighbor.prefix, count: neighbor.prefixByteCount)
                .commonPrefixByteCount(with: key)
            prefixByteCount = min(prefixByteCount, shared)
        }
        return NodePlan(
            layout: Node.Layout.fixedLeaf, prefixByteCount: prefixByteCount,
            keyByteCount: key.count,
            capacity: fixedCapacity(keyByteCount: key.count, prefixByteCount: prefixByteCount))
    }
}
