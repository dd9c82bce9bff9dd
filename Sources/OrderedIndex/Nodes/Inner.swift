#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// An inner node: `count` separators and one child more.
///
/// Child `i` holds the keys at or after separator `i - 1` and before separator `i`. After the
/// heads come the children (u64 references, one more than the capacity).
///
/// *Plain*: every separator has at most four bytes after the prefix, and the last of them is not
/// zero; then its head says all, and the search compares nothing else. (A key with an equal head
/// then starts with the separator: where the head's zeros are padding on the key's side, they are
/// padding on the separator's side too.)
///
/// *General*: after the children come slots (u16) to records in a heap, as in a slotted leaf.
struct Inner: BitwiseCopyable {
    let node: Node

    @inline(__always)
    init(_ node: Node) { self.node = node }

    @inline(__always)
    var count: Int { node.count }

    @inline(__always)
    var isPlain: Bool { node.layout == Node.Layout.plainInner }

    /// The offset of what follows the heads.
    @inline(__always)
    var bodyOffset: Int { Node.headsOffset &+ 4 &* Node.headCapacity(for: node.capacity) }

    @inline(__always)
    var children: UnsafeMutablePointer<UInt64> {
        (node.base + bodyOffset).assumingMemoryBound(to: UInt64.self)
    }

    /// The slots of a general node.
    @inline(__always)
    var slots: UnsafeMutablePointer<UInt16> {
        (node.base + (bodyOffset &+ 8 &* (node.capacity &+ 1)))
            .assumingMemoryBound(to: UInt16.self)
    }

    @inline(__always)
    private func record(_ index: Int) -> UnsafeMutableRawPointer {
        node.base + Int(slots[index])
    }

    /// The number of separators at or before a key: the child that it belongs to.
    @inline(__always)
    func childIndex(for key: Key) -> Int {
        let order = node.compareToPrefix(key, isLeaf: false)
        if order != 0 { return order < 0 ? 0 : count }
        let head = key.head(from: node.prefixByteCount)
        if isPlain { return node.hintedHeadCount(atOrBelow: head) }
        return generalChildIndex(for: key, head)
    }

    /// The child that a key belongs to, and its number: what a look-up needs of a node. `head` is
    /// the key's head without a prefix.
    ///
    /// The usual node, plain, of the capacity that all plain ones without a prefix have, is
    /// recognised by one comparison, and its children are at a fixed place.
    @inline(__always)
    func step(to key: Key, _ head: Int32) -> (index: Int, bits: UInt64) {
        let header = node.header
        if header & Inner.usualMask == Inner.usualHeader {
            let index = node.wideHeadCount(
                atOrBelow: head, count: Int(truncatingIfNeeded: header & 0xff))
            let place = node.base + (Inner.usualChildrenOffset &+ 8 &* index)
            return (index, place.load(as: UInt64.self))
        }
        let index = unusualChildIndex(for: key)
        return (index, children[index])
    }

    /// What a plain node without a prefix has room for; a test compares it with `NodePlan`.
    static var usualCapacity: UInt64 { 160 }
    /// `Node.headCapacity` of the usual capacity is that capacity.
    private static var usualChildrenOffset: Int {
        Node.headsOffset &+ Node.headByteCount &* Int(truncatingIfNeeded: usualCapacity)
    }
    /// The bits of `Node.header` that are layout, prefix length and capacity.
    private static var usualMask: UInt64 {
        3 &<< Node.HeaderShift.layout | 0xffff &<< Node.HeaderShift.prefixByteCount
            | 0xff &<< Node.HeaderShift.capacity
    }
    private static var usualHeader: UInt64 {
        UInt64(Node.Layout.plainInner) &<< Node.HeaderShift.layout
            | usualCapacity &<< Node.HeaderShift.capacity
    }

    /// Where in a leaf below a key is, if that has every number between its two separators, as rows
    /// with consecutive numbers do: a place that is never before the right one. Nil if the
    /// separators are too far apart, or say nothing of it.
    @inline(__always)
    func guessedPosition(of key: Key, inChild index: Int) -> Int? {
        let header = node.header
        let prefixByteCount = Int(
            truncatingIfNeeded: header &>> Node.HeaderShift.prefixByteCount & 0xffff)
        guard header &>> Node.HeaderShift.layout & 3 == UInt64(Node.Layout.plainInner),
            key.count == prefixByteCount &+ 4, index > 0,
            index < Int(truncatingIfNeeded: header & 0xff)
        else { return nil }
        let lower = node.heads[index &- 1]
        let width = UInt32(bitPattern: node.heads[index] &- lower)
        guard width <= UInt32(Node.capacityMax) else { return nil }
        return Int(UInt32(bitPattern: key.head(from: prefixByteCount) &- lower))
    }

    @inline(never)
    private func unusualChildIndex(for key: Key) -> Int { childIndex(for: key) }

    @inline(never)
    private func generalChildIndex(for key: Key, _ head: Int32) -> Int {
        var low = node.headCount(below: head)
        // Unused heads at or below the largest head are cut off by the node's count.
        var high = node.hintedHeadCount(atOrBelow: head)
        while low < high {
            let middle = (low &+ high) &>> 1
            if compareRest(middle, to: key) <= 0 { low = middle &+ 1 } else { high = middle }
        }
        return low
    }

    /// A general node's separator against a key with the same prefix and head.
    private func compareRest(_ index: Int, to key: Key) -> Int {
        let own = suffixByteCount(index)
        let other = key.count &- node.prefixByteCount
        let length = min(own, other) &- 4
        if length > 0 {
            let order = memcmp(
                record(index) + 2, key.start + (node.prefixByteCount &+ 4), length)
            if order != 0 { return Int(order) }
        }
        return own &- other
    }

    /// The number of bytes of a separator after the prefix.
    func suffixByteCount(_ index: Int) -> Int {
        if !isPlain { return Int(record(index).loadUnaligned(as: UInt16.self)) }
        let head = UInt32(bitPattern: node.heads[index]) ^ 0x8000_0000
        return head == 0 ? 0 : 4 - head.trailingZeroBitCount / 8
    }

    /// Writes a separator and returns its length; may overwrite up to four bytes after it.
    func copySeparator(_ index: Int, to target: UnsafeMutableRawPointer) -> Int {
        let prefixByteCount = node.prefixByteCount
        memcpy(target, node.prefix, prefixByteCount)
        let head = UInt32(bitPattern: node.heads[index]) ^ 0x8000_0000
        (target + prefixByteCount).storeBytes(of: head.bigEndian, as: UInt32.self)
        let length = suffixByteCount(index)
        if length > 4 { memcpy(target + prefixByteCount + 4, record(index) + 2, length - 4) }
        return prefixByteCount + length
    }

    /// Whether a separator can be inserted without a new layout.
    func hasRoom(for separator: Key) -> Bool {
        guard count < node.capacity, node.compareToPrefix(separator, isLeaf: false) == 0 else {
            return false
        }
        let length = separator.count - node.prefixByteCount
        if isPlain { return NodePlan.isPlain(separator, after: node.prefixByteCount) }
        let slotsEnd = bodyOffset + 8 * (node.capacity + 1) + 2 * node.capacity
        return node.heapStart - slotsEnd >= Leaf.recordByteCount(suffixByteCount: length)
    }

    /// Inserts a separator for which there is room, and the child after it.
    func insert(_ separator: Key, child: NodeReference, at index: Int) {
        assert(hasRoom(for: separator) && index >= 0 && index <= count, "N5: a node has no room")
        let count = count
        let moved = count - index
        let heads = node.heads
        let children = children
        memmove(heads + index + 1, heads + index, moved * 4)
        memmove(children + index + 2, children + index + 1, moved * 8)
        let prefixByteCount = node.prefixByteCount
        heads[index] = separator.head(from: prefixByteCount)
        children[index + 1] = child.bits
        if !isPlain {
            let slots = slots
            memmove(slots + index + 1, slots + index, moved * 2)
            slots[index] = UInt16(
                node.pushRecord(
                    Key(
                        start: separator.start + prefixByteCount,
                        count: separator.count - prefixByteCount)))
        }
        node.count = count + 1
        node.refreshHints(from: index)
    }

    /// Removes child `index` and the separator before it (for child 0: the one after it).
    func removeChild(_ index: Int) {
        assert(count > 0 && index >= 0 && index <= count, "N3: the last child is not removed here")
        let last = count - 1
        let separator = max(0, index - 1)
        let heads = node.heads
        memmove(heads + separator, heads + separator + 1, (last - separator) * 4)
        heads[last] = Int32.max
        memmove(children + index, children + index + 1, (last + 1 - index) * 8)
        if !isPlain {
            let slots = slots
            memmove(slots + separator, slots + separator + 1, (last - separator) * 2)
        }
        node.count = last
        node.refreshHints(from: separator)
    }

    /// The bytes of the node that its separators and children need.
    var usedByteCount: Int {
        var sum = node.prefixByteCount + 8 + count * 12
        if !isPlain {
            for index in 0..<count {
                sum += 2 + Leaf.recordByteCount(suffixByteCount: suffixByteCount(index))
            }
        }
        return sum
    }
}
