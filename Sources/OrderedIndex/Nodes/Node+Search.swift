import CPlatform

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Searching by counting heads: no branch depends on the keys.
extension Node {
    /// The number of heads below `head`.
    ///
    /// Counts all of a leaf's places, used or not (unused ones are never below), for their number
    /// is the same in most leaves: a loop that the processor foresees lets it go on to what follows
    /// while the leaf's lines come, side by side.
    @inline(__always)
    func headCount(below head: Int32) -> Int {
        travertine_count_below(heads, (capacity &+ 7) & ~7, head)
    }

    /// The number of an inner node's heads at or below `head`: counts the hints, then the heads
    /// after the last of them that is not above.
    ///
    /// For the largest head unused places count too (and the last group read may lie after the
    /// heads, still inside the node), so the sum is cut off at `count`.
    @inline(__always)
    func hintedHeadCount(atOrBelow head: Int32) -> Int {
        if capacity > Node.fineCapacityMax { return wideHeadCount(atOrBelow: head) }
        let start = hintsCount(atOrBelow: head) &* 8
        return min(count, start &+ travertine_count_at_or_below_8(heads + start, head))
    }

    /// The same in an inner node with hints for every 16th head.
    @inline(__always)
    func wideHeadCount(atOrBelow head: Int32) -> Int {
        wideHeadCount(atOrBelow: head, count: count)
    }

    /// The same with the node's count already at hand.
    @inline(__always)
    func wideHeadCount(atOrBelow head: Int32, count: Int) -> Int {
        let start = hintsCount(atOrBelow: head) &* 16
        return min(count, start &+ travertine_count_at_or_below_16(heads + start, head))
    }

    @inline(__always)
    private func hintsCount(atOrBelow head: Int32) -> Int {
        travertine_count_at_or_below_12(
            (base + Node.hintsOffset).assumingMemoryBound(to: Int32.self), head)
    }

    /// Whether a key starts with a leaf's prefix.
    @inline(__always)
    func isLeafPrefix(of key: Key) -> Bool {
        let length = prefixByteCount
        if length == 0 { return true }
        if length <= 8 && key.count >= 8 {
            let difference =
                UInt64(littleEndian: (base + Offset.nearPrefix).loadUnaligned(as: UInt64.self))
                ^ UInt64(littleEndian: key.start.loadUnaligned(as: UInt64.self))
            return difference &<< UInt64(truncatingIfNeeded: 64 &- 8 &* length) == 0
        }
        return compareToPrefix(key, isLeaf: true) == 0
    }

    /// Where a key lies against all that start with the node's prefix: before them (negative),
    /// after them (positive), or among them (0).
    @inline(__always)
    func compareToPrefix(_ key: Key, isLeaf: Bool) -> Int {
        let length = prefixByteCount
        if length == 0 { return 0 }
        if length <= 8 && key.count >= 8 {
            let shift = UInt64(truncatingIfNeeded: 64 &- 8 &* length)
            // Eight bytes from a near prefix on, or up to a far one's end, are inside the node.
            let own =
                isLeaf
                ? (UInt64(bigEndian: (base + Offset.nearPrefix).loadUnaligned(as: UInt64.self))
                    &>> shift)
                    &<< shift
                : UInt64(bigEndian: (base + (Offset.checksum &- 8)).loadUnaligned(as: UInt64.self))
                    &<< shift
            let other =
                (UInt64(bigEndian: key.start.loadUnaligned(as: UInt64.self)) &>> shift) &<< shift
            return other == own ? 0 : other < own ? -1 : 1
        }
        let order = memcmp(
            key.start, base + Node.prefixOffset(length, isLeaf: isLeaf), min(length, key.count))
        if order != 0 { return Int(order) }
        return key.count < length ? -1 : 0
    }

    /// Sets the hints of an inner node that depend on heads from `index` on.
    @inline(__always)
    func refreshHints(from index: Int) {
        let shift = capacity <= Node.fineCapacityMax ? 3 : 4
        let heads = heads
        let count = count
        let hints = (base + Node.hintsOffset).assumingMemoryBound(to: Int32.self)
        var hint = max(0, ((index &+ (1 &<< shift) &- 1) &>> shift) &- 1)
        // The hint just after the last is cleared: a removal may have made it unused.
        while hint < Node.hintCount {
            let head = (hint &+ 1) &<< shift
            if head > count { break }
            hints[hint] = head < count ? heads[head] : Int32.max
            hint &+= 1
        }
    }
}
