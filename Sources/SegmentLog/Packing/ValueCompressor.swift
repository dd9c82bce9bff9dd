/// What compaction compresses and decompresses with: memory that is used again and again.
package final class ValueCompressor {
    /// Several values together.
    package let pack = PackBuilder()
    private let compressor = BlockCompressor()

    package init() {}

    /// The stored value of a record with the compressed flag; nil when that would save nothing.
    package func compress(_ value: UnsafeRawBufferPointer) -> [UInt8]? {
        compressor.compressValue(value)
    }

    /// The value that a stored one with the compressed flag holds; nil when it is damaged.
    package func decompress(_ stored: UnsafeRawBufferPointer) -> [UInt8]? {
        guard let count = Compression.valueByteCount(ofStored: stored) else { return nil }
        var isWhole = false
        let value = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            isWhole = Compression.decompress(stored, into: UnsafeMutableRawBufferPointer(buffer))
            initialized = isWhole ? count : 0
        }
        return isWhole ? value : nil
    }
}
