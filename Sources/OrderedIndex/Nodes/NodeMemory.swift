#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The memory of nodes: chunks of up to 2 MiB, and a list of free nodes.
///
/// Used by the writer only. Chunks stay until the index goes; the first are small, so that a small
/// index costs little, and the large ones ask for huge pages.
struct NodeMemory: ~Copyable {
    private static let chunkByteCountMin = 64 << 10
    private static let chunkByteCountMax = 2 << 20

    private var chunks: [UnsafeMutableRawPointer] = []
    private var next: UnsafeMutableRawPointer?
    private var remaining = 0
    private var free: UnsafeMutablePointer<UnsafeMutableRawPointer>
    private var freeCapacity = 1024
    private var freeCount = 0
    /// The bytes of all chunks.
    private(set) var chunkByteCount = 0
    /// The nodes in use, the retired ones among them.
    private(set) var usedCount = 0

    init() {
        free = .allocate(capacity: freeCapacity)
    }

    deinit {
        for chunk in chunks { chunk.deallocate() }
        free.deallocate()
    }

    /// A node's memory, with undefined contents.
    @inline(__always)
    mutating func allocate() -> Node {
        usedCount &+= 1
        if freeCount > 0 {
            freeCount &-= 1
            return Node(free[freeCount])
        }
        if remaining == 0 { addChunk() }
        let node = next.unsafelyUnwrapped
        next = node + Node.byteCount
        remaining &-= 1
        return Node(node)
    }

    private mutating func addChunk() {
        let byteCount = min(
            Self.chunkByteCountMax, Self.chunkByteCountMin << min(chunks.count, 5))
        let alignment = byteCount == Self.chunkByteCountMax ? byteCount : 4096
        let chunk = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: alignment)
        #if os(Linux)
            // Only a hint; without huge pages the index is slower, not wrong.
            if byteCount == Self.chunkByteCountMax { _ = madvise(chunk, byteCount, MADV_HUGEPAGE) }
        #endif
        chunks.append(chunk)
        chunkByteCount += byteCount
        next = chunk
        remaining = byteCount / Node.byteCount
    }

    /// Takes a node back that nobody can see any more.
    @inline(__always)
    mutating func deallocate(_ node: Node) {
        usedCount &-= 1
        if freeCount == freeCapacity { growFreeList() }
        free[freeCount] = node.base
        freeCount &+= 1
    }

    private mutating func growFreeList() {
        let larger = UnsafeMutablePointer<UnsafeMutableRawPointer>.allocate(
            capacity: freeCapacity * 2)
        larger.moveInitialize(from: free, count: freeCount)
        free.deallocate()
        free = larger
        freeCapacity *= 2
    }
}
