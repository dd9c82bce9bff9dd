import CLZ4

/// LZ4 values: a u32 uncompressed length, then one LZ4 block.
package enum Compression {
    /// The bytes of the uncompressed length.
    static var lengthByteCount: Int { 4 }

    /// Compresses `value` into `target`, which must hold `value.count` bytes.
    ///
    /// - Returns: the stored bytes; nil when compression would save nothing.
    package static func compress(
        _ value: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer
    ) -> Int? {
        guard value.count > 12, let source = value.baseAddress, let output = target.baseAddress
        else { return nil }
        let room = Int32(clamping: min(target.count, value.count - 8) - lengthByteCount)
        let count = LZ4_compress_default(
            source.assumingMemoryBound(to: CChar.self),
            (output + lengthByteCount).assumingMemoryBound(to: CChar.self), Int32(value.count), room
        )
        guard count > 0 else { return nil }
        output.storeBytes(of: UInt32(value.count), as: UInt32.self)
        return Int(count) + lengthByteCount
    }

    /// Decompresses the first `byteCount` bytes of a block into `target`, which has at least these;
    /// false when the block does not hold them.
    static func decompressStart(
        of block: UnsafeRawBufferPointer, byteCount: Int, into target: UnsafeMutableRawBufferPointer
    ) -> Bool {
        guard byteCount > 0 else { return true }
        guard byteCount <= target.count, let source = block.baseAddress,
            let output = target.baseAddress
        else { return false }
        let result = LZ4_decompress_safe_partial(
            source.assumingMemoryBound(to: CChar.self),
            output.assumingMemoryBound(to: CChar.self), Int32(clamping: block.count),
            Int32(clamping: byteCount), Int32(clamping: byteCount))
        return Int(result) == byteCount
    }

    /// The uncompressed length that a stored value names; nil when it is out of bounds.
    package static func valueByteCount(ofStored stored: UnsafeRawBufferPointer) -> Int? {
        guard stored.count > lengthByteCount else { return nil }
        let count = Int(stored.loadUnaligned(as: UInt32.self))
        return count <= RecordLayout.valueByteCountMax ? count : nil
    }

    /// Decompresses a stored value into `target`, which must have exactly its length.
    ///
    /// - Returns: false when the stored bytes are no such block.
    package static func decompress(
        _ stored: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer
    ) -> Bool {
        guard let count = valueByteCount(ofStored: stored), count == target.count,
            let source = stored.baseAddress
        else { return false }
        guard let output = target.baseAddress else { return count == 0 }
        let result = LZ4_decompress_safe(
            (source + lengthByteCount).assumingMemoryBound(to: CChar.self),
            output.assumingMemoryBound(to: CChar.self), Int32(stored.count - lengthByteCount),
            Int32(count))
        return Int(result) == count
    }
}
