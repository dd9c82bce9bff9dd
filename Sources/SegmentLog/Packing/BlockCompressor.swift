import CLZ4

/// Compresses blocks as well as LZ4 can with little effort: what compaction writes is written once,
/// and read often. About 100 MB in a second; reading such a block costs no more than any other.
final class BlockCompressor {
    private let state: UnsafeMutableRawPointer
    private var output = UnsafeMutableRawBufferPointer.allocate(byteCount: 0, alignment: 8)
    private static let level: Int32 = 9

    init() { state = .allocate(byteCount: Int(LZ4_sizeofStateHC()), alignment: 16) }

    deinit {
        state.deallocate()
        output.deallocate()
    }

    /// The block of some bytes, valid until the next call; nil when it would save less than an
    /// eighth.
    func compress(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard bytes.count >= 64, bytes.count <= RecordLayout.valueByteCountMax,
            let source = bytes.baseAddress
        else { return nil }
        if output.count < bytes.count {
            output.deallocate()
            output = .allocate(byteCount: bytes.count, alignment: 8)
        }
        guard let target = output.baseAddress else { return nil }
        let count = LZ4_compress_HC_extStateHC(
            state, source.assumingMemoryBound(to: CChar.self),
            target.assumingMemoryBound(to: CChar.self), Int32(bytes.count),
            Int32(bytes.count - bytes.count / 8), Self.level)
        return count > 0 ? UnsafeRawBufferPointer(start: target, count: Int(count)) : nil
    }

    /// As above, as the value of a record with the compressed flag: the length, then the block.
    func compressValue(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        guard let block = compress(bytes) else { return nil }
        var value: [UInt8] = []
        value.reserveCapacity(block.count + Compression.lengthByteCount)
        withUnsafeBytes(of: UInt32(bytes.count).littleEndian) { value.append(contentsOf: $0) }
        value.append(contentsOf: block)
        return value
    }
}
