/// Memory for pieces of any size, taken in chunks and given back together.
///
/// Pieces are aligned to eight bytes and stay where they are until `removeAll`.
struct ByteArena: ~Copyable {
    private static let chunkByteCountMax = 256 << 10
    private var chunks: [UnsafeMutableRawPointer] = []
    private var free: UnsafeMutableRawPointer?
    private var freeByteCount = 0
    /// Chunks grow, so that a small transaction takes little.
    private var nextByteCount = 4 << 10
    /// The bytes of all chunks.
    private(set) var byteCount = 0

    deinit { for chunk in chunks { chunk.deallocate() } }

    /// Takes room for so many bytes, which are not initialised.
    mutating func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer {
        let rounded = (byteCount + 7) & ~7
        if let start = free, freeByteCount >= rounded {
            free = start + rounded
            freeByteCount -= rounded
            return start
        }
        let size = max(rounded, nextByteCount)
        nextByteCount = min(nextByteCount * 4, Self.chunkByteCountMax)
        let chunk = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 8)
        chunks.append(chunk)
        self.byteCount += size
        if size - rounded > freeByteCount {
            free = chunk + rounded
            freeByteCount = size - rounded
        }
        return chunk
    }

    /// Gives all pieces back.
    mutating func removeAll() {
        for chunk in chunks { chunk.deallocate() }
        chunks.removeAll(keepingCapacity: true)
        free = nil
        freeByteCount = 0
        byteCount = 0
    }
}
