#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Searching by counting heads: no branch depends on the keys.
extension Node {
    @inline(__always)
    private func four(at offset: Int) -> SIMD4<Int32> {
        (base + offset).loadUnaligned(as: SIMD4<Int32>.self)
    }

    /// The number of lanes that a sum of masks counts.
    @inline(__always)
    private static func lanes(_ masks: SIMD4<Int32>) -> Int {
        let pairs = masks.lowHalf &+ masks.highHalf
        return Int(0 &- (pairs.x &+ pairs.y))
    }

    @inline(__always)
    private static func mask(_ mask: SIMDMask<SIMD4<Int32>>) -> SIMD4<Int32> {
        unsafeBitCast(mask, to: SIMD4<Int32>.self)
    }

    /// The number of heads below `head`.
    ///
    /// Counts all of them. In a leaf that is not cached the lines come side by side, where a search
    /// in steps would wait for one after the other.
    @inline(__always)
    func headCount(below head: Int32) -> Int {
        let x = SIMD4<Int32>(repeating: head)
        var even = SIMD4<Int32>(repeating: 0)
        var odd = even
        var offset = Node.headsOffset
        let end = offset &+ 4 &* count
        while offset < end {
            even = even &+ Node.mask(four(at: offset) .< x)
            odd = odd &+ Node.mask(four(at: offset &+ 16) .< x)
            offset &+= 32
        }
        return Node.lanes(even &+ odd)
    }

    /// The number of an inner node's heads at or below `head`: counts the hints, then the heads
    /// behind the last of them that is not above.
    ///
    /// For the largest head unused places count too (and the last group read may lie behind the
    /// heads, still inside the node), so the sum is cut off at `count`.
    @inline(__always)
    func hintedHeadCount(atOrBelow head: Int32) -> Int {
        let x = SIMD4<Int32>(repeating: head)
        let group =
            12
            &- Node.lanes(
                Node.mask(four(at: 16) .> x) &+ Node.mask(four(at: 32) .> x)
                    &+ Node.mask(four(at: 48) .> x))
        if capacity <= Node.fineCapacityMax {
            let start = Node.headsOffset &+ group &* 32
            return min(
                count,
                group &* 8 &+ 8
                    &- Node.lanes(
                        Node.mask(four(at: start) .> x) &+ Node.mask(four(at: start &+ 16) .> x)))
        }
        let start = Node.headsOffset &+ group &* 64
        return min(
            count,
            group &* 16 &+ 16
                &- Node.lanes(
                    (Node.mask(four(at: start) .> x) &+ Node.mask(four(at: start &+ 16) .> x))
                        &+ (Node.mask(four(at: start &+ 32) .> x)
                            &+ Node.mask(four(at: start &+ 48) .> x))))
    }

    /// Where a key lies against all that start with the node's prefix: before them (negative),
    /// behind them (positive), or among them (0).
    @inline(__always)
    func compareToPrefix(_ key: Key, isLeaf: Bool) -> Int {
        let length = prefixByteCount
        if length == 0 { return 0 }
        if length <= 8 && key.count >= 8 {
            let shift = UInt64(truncatingIfNeeded: 64 &- 8 &* length)
            // Eight bytes from a near prefix on, or up to a far one's end, are inside the node.
            let own =
                isLeaf
                ? (UInt64(bigEndian: (base + 16).loadUnaligned(as: UInt64.self)) &>> shift)
                    &<< shift
                : UInt64(bigEndian: (base + 2036).loadUnaligned(as: UInt64.self)) &<< shift
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
        // The hint just behind the last is cleared: a removal may have made it unused.
        while hint < Node.hintCount {
            let head = (hint &+ 1) &<< shift
            if head > count { break }
            hints[hint] = head < count ? heads[head] : Int32.max
            hint &+= 1
        }
    }
}
