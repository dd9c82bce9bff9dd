extension LeafEntries {
    /// Writes the first eight bytes of each key as a big-endian number; 0 for a shorter key.
    ///
    /// Unsafe: `target` has room for `count` numbers.
    package func copyNumbers(to target: UnsafeMutablePointer<UInt64>) {
        let prefixByteCount = leaf.node.prefixByteCount
        guard leaf.isFixed, leaf.node.keyByteCount >= 8, prefixByteCount >= 4 else {
            for position in 0..<count { target[position] = number(position) }
            return
        }
        // Prefix and head have all eight bytes. A shorter prefix is followed by the rest of the
        // room for near ones, so that eight bytes can be read.
        let start = UInt64(bigEndian: leaf.node.prefix.loadUnaligned(as: UInt64.self))
        if prefixByteCount >= 8 {
            target.update(repeating: start, count: count)
            return
        }
        let headBitCount = UInt64(64 &- 8 &* prefixByteCount)
        let common = (start >> headBitCount) << headBitCount
        let heads = leaf.node.heads
        for position in 0..<count {
            let head = UInt32(bitPattern: heads[position]) ^ 0x8000_0000
            target[position] = common | (UInt64(head) >> (32 &- headBitCount))
        }
    }
}
