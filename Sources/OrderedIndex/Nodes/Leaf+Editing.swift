#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Changes in place; only for leaves that the write transaction made.
extension Leaf {
    /// Whether a key that starts with the prefix can be inserted without a new layout.
    @inline(__always)
    func hasRoom(for key: Key) -> Bool {
        guard count < node.capacity else { return false }
        if isFixed { return key.count == node.keyByteCount }
        let slotsEnd = bodyOffset &+ 10 &* node.capacity
        return node.heapStart &- slotsEnd
            >= Leaf.recordByteCount(suffixByteCount: key.count &- node.prefixByteCount)
    }

    /// The heap bytes of a record.
    @inline(__always)
    static func recordByteCount(suffixByteCount: Int) -> Int { 2 &+ max(0, suffixByteCount &- 4) }

    /// Inserts at `index` a key for which there is room.
    @inline(__always)
    func insert(_ key: Key, value: UInt64, at index: Int) {
        let count = count
        assert(hasRoom(for: key) && index >= 0 && index <= count, "N5: a leaf has no room")
        let moved = count &- index
        let heads = node.heads
        if moved > 0 { memmove(heads + (index &+ 1), heads + index, moved &* 4) }
        let prefixByteCount = node.prefixByteCount
        heads[index] = key.head(from: prefixByteCount)
        if isFixed {
            let length = tailByteCount
            let stride = length &+ 8
            let target = body + index &* stride
            if moved > 0 { memmove(target + stride, target, moved &* stride) }
            if length > 0 { memcpy(target, key.start + (prefixByteCount &+ 4), length) }
            (target + length).storeBytes(of: value, as: UInt64.self)
        } else {
            insertSlot(key, value, at: index, moving: moved)
        }
        node.count = count &+ 1
        node.recent = index
    }

    private func insertSlot(_ key: Key, _ value: UInt64, at index: Int, moving moved: Int) {
        let prefixByteCount = node.prefixByteCount
        let slots = slots
        let target = body + 8 * index
        memmove(target + 8, target, moved * 8)
        target.storeBytes(of: value, as: UInt64.self)
        memmove(slots + (index + 1), slots + index, moved * 2)
        let suffix = Key(
            start: key.start + prefixByteCount, count: key.count - prefixByteCount)
        slots[index] = UInt16(node.pushRecord(suffix))
    }

    /// Removes the key at `index`. A slotted leaf's record stays until the next layout.
    func remove(at index: Int) {
        assert(index >= 0 && index < count, "N1: there is no key \(index) of \(count)")
        let count = count &- 1
        let moved = count &- index
        let heads = node.heads
        memmove(heads + index, heads + (index &+ 1), moved &* 4)
        heads[count] = Int32.max
        if isFixed {
            let stride = tailByteCount &+ 8
            let target = body + index &* stride
            memmove(target, target + stride, moved &* stride)
        } else {
            let slots = slots
            let target = body + 8 * index
            memmove(target, target + 8, moved * 8)
            memmove(slots + index, slots + (index &+ 1), moved &* 2)
        }
        node.count = count
    }

    /// The bytes of the node that its keys need.
    var usedByteCount: Int {
        let farPrefix = Node.checksumOffset - node.limit
        if isFixed { return farPrefix + count * (12 + tailByteCount) }
        return (0..<count).reduce(farPrefix + count * 14) {
            $0 + Leaf.recordByteCount(suffixByteCount: suffixByteCount($1))
        }
    }
}

extension Node {
    /// Puts a record for the bytes after the prefix into the heap; returns its offset.
    func pushRecord(_ suffix: Key) -> Int {
        let tailByteCount = max(0, suffix.count - 4)
        let start = heapStart - 2 - tailByteCount
        assert(start >= Node.headsOffset, "N5: a record overlaps the header")
        heapStart = start
        let target = base + start
        target.storeBytes(of: UInt16(suffix.count), as: UInt16.self)
        if tailByteCount > 0 { memcpy(target + 2, suffix.start + 4, tailByteCount) }
        return start
    }
}
