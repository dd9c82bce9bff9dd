#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The memory of nodes: chunks of 2 MiB, and a list of free nodes.
///
/// Used by the writer only. A chunk is aligned to its size and starts with a table that notes for
/// each of its nodes the page that says the same (`Node.pageSlot`). The first chunk is touched as
/// it is needed, so that a small index costs little; the others ask for huge pages.
///
/// Memory goes back to the system in whole chunks: `releaseFreeChunks` finds those without a node
/// in use. Since what is left is scattered, `beginEvacuation` chooses chunks to empty; their owner
/// copies the nodes that are left there (`isEvacuated`), and `endEvacuation` gives the chunks back.
struct NodeMemory: ~Copyable {
    static let chunkByteCount = 2 << 20
    private static let slotCount = chunkByteCount / Node.byteCount
    /// What the table of pages takes, in nodes: 1024 u64.
    private static let tableNodeCount = slotCount * 8 / Node.byteCount

    private var chunks: [UnsafeMutableRawPointer] = []
    private var next: UnsafeMutableRawPointer?
    private var remaining = 0
    private var free: UnsafeMutablePointer<UnsafeMutableRawPointer>
    private var freeCapacity = 1024
    private var freeCount = 0
    /// The nodes in use, the retired ones among them.
    private(set) var usedCount = 0
    /// The chunks that are being emptied, and their free nodes, which nobody gets until the end.
    private var evacuated: Set<UInt> = []
    private var setAside: [UnsafeMutableRawPointer] = []
    private var isEvacuating = false

    init() {
        free = .allocate(capacity: freeCapacity)
    }

    deinit {
        for chunk in chunks { munmap(chunk, Self.chunkByteCount) }
        free.deallocate()
    }

    /// The bytes of all chunks; of a first chunk that is not yet used up, what was used.
    var chunkByteCount: Int {
        let untouched = chunks.count == 1 ? remaining * Node.byteCount : 0
        return chunks.count * Self.chunkByteCount - untouched
    }

    /// The bytes of nodes that are free for new ones.
    var freeByteCount: Int { freeCount * Node.byteCount }

    /// A node's memory, with undefined contents, and with no page noted.
    @inline(__always)
    mutating func allocate() -> Node {
        usedCount &+= 1
        if freeCount > 0 {
            freeCount &-= 1
            let node = Node(free[freeCount])
            node.pageSlot.pointee = 0
            return node
        }
        if remaining == 0 { addChunk() }
        let node = next.unsafelyUnwrapped
        next = node + Node.byteCount
        remaining &-= 1
        return Node(node)
    }

    private mutating func addChunk() {
        let chunk = Self.mapChunk()
        #if os(Linux)
            // Only a hint; without huge pages the index is slower, not wrong.
            if !chunks.isEmpty { _ = madvise(chunk, Self.chunkByteCount, MADV_HUGEPAGE) }
        #endif
        chunks.append(chunk)
        next = chunk + Self.tableNodeCount * Node.byteCount
        remaining = Self.slotCount - Self.tableNodeCount
    }

    /// Zeroed memory from the system, aligned to its size: twice as much, without what is too much.
    private static func mapChunk() -> UnsafeMutableRawPointer {
        #if canImport(Darwin)
            let flags = MAP_PRIVATE | MAP_ANON
        #else
            let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
        #endif
        let mapped = mmap(nil, 2 * chunkByteCount, PROT_READ | PROT_WRITE, flags, -1, 0)
        guard let mapped, mapped != MAP_FAILED else {
            // Not a precondition: the words are wanted in a release build too.
            fatalError("There is no memory for the nodes of the index.")
        }
        let start = UInt(bitPattern: mapped)
        let size = UInt(chunkByteCount)
        let before = Int((size - start % size) % size)
        if before > 0 { munmap(mapped, before) }
        let chunk = mapped + before
        munmap(chunk + chunkByteCount, chunkByteCount - before)
        return chunk
    }

    /// Takes a node back that nobody can see any more.
    @inline(__always)
    mutating func deallocate(_ node: Node) {
        usedCount &-= 1
        if isEvacuating && isEvacuated(node) {
            setAside.append(node.base)
            return
        }
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

    /// Gives the chunks back that hold no node in use, and lets the others be filled from the
    /// lowest chunk on. Looks at each free node a few times.
    mutating func releaseFreeChunks() {
        let released = Set(
            freeCounts.filter { $0.value == Self.wholeCount && isReleasable($0.key) }.keys)
        setFree(freeNodes.filter { !released.contains(Self.chunk(of: $0)) }.sorted { $0 > $1 })
        release(released)
    }

    private static var wholeCount: Int { slotCount - tableNodeCount }

    private var freeNodes: UnsafeBufferPointer<UnsafeMutableRawPointer> {
        UnsafeBufferPointer(start: free, count: freeCount)
    }

    /// The number of free nodes of each chunk that has any.
    private var freeCounts: [UInt: Int] {
        var counts: [UInt: Int] = [:]
        for node in freeNodes { counts[Self.chunk(of: node), default: 0] += 1 }
        return counts
    }

    /// The first chunk stays, and the newest while it has nodes that were never used.
    private func isReleasable(_ chunk: UInt) -> Bool {
        if chunk == chunks.first.map({ UInt(bitPattern: $0) }) { return false }
        return remaining == 0 || chunk != chunks.last.map { UInt(bitPattern: $0) }
    }

    private mutating func setFree(_ nodes: [UnsafeMutableRawPointer]) {
        freeCount = nodes.count
        for (index, node) in nodes.enumerated() { free[index] = node }
    }

    private mutating func release(_ released: Set<UInt>) {
        if released.isEmpty { return }
        chunks.removeAll { released.contains(UInt(bitPattern: $0)) }
        for chunk in released {
            if let start = UnsafeMutableRawPointer(bitPattern: chunk) {
                munmap(start, Self.chunkByteCount)
            }
        }
    }

    // MARK: Evacuation

    /// Chooses the emptiest chunks, as many as have their nodes fit into what is free elsewhere,
    /// but none of which less than a quarter is free; false if there are none. Nothing is allocated
    /// there until `endEvacuation`.
    mutating func beginEvacuation() -> Bool {
        precondition(!isEvacuating, "one evacuation at a time")
        let counts = freeCounts.filter { isReleasable($0.key) }.sorted { $0.value > $1.value }
        var room = freeCount
        for (chunk, freeCount) in counts where 4 * freeCount >= Self.wholeCount {
            let usedCount = Self.wholeCount - freeCount
            // The room inside the chunk itself is given up as well.
            if room < freeCount + usedCount { break }
            room -= freeCount + usedCount
            evacuated.insert(chunk)
        }
        if evacuated.isEmpty { return false }
        isEvacuating = true
        let (inside, outside) = (
            freeNodes.filter { evacuated.contains(Self.chunk(of: $0)) },
            freeNodes.filter { !evacuated.contains(Self.chunk(of: $0)) }
        )
        setAside = Array(inside)
        setFree(outside.sorted { $0 > $1 })
        return true
    }

    /// Whether a node is in a chunk that is being emptied.
    func isEvacuated(_ node: Node) -> Bool { evacuated.contains(Self.chunk(of: node.base)) }

    /// Gives back what was emptied; chunks where a node is still in use are used again.
    mutating func endEvacuation() {
        guard isEvacuating else { return }
        isEvacuating = false
        var counts: [UInt: Int] = [:]
        for node in setAside { counts[Self.chunk(of: node), default: 0] += 1 }
        let released = evacuated.filter { counts[$0] == Self.wholeCount }
        for node in setAside where !released.contains(Self.chunk(of: node)) {
            if freeCount == freeCapacity { growFreeList() }
            free[freeCount] = node
            freeCount += 1
        }
        setAside = []
        evacuated = []
        release(released)
    }

    #if DEBUG
        /// What is wrong with the free nodes and the counts.
        var problems: [String] {
            var problems: [String] = []
            let all = chunks.count * Self.wholeCount - remaining
            if usedCount + freeCount + setAside.count != all {
                problems.append(
                    "\(usedCount) nodes are used and \(freeCount + setAside.count) free, of \(all)")
            }
            let free = Set(freeNodes).union(setAside)
            if free.count != freeCount + setAside.count { problems.append("a node is free twice") }
            let known = Set(chunks.map { UInt(bitPattern: $0) })
            if !free.allSatisfy({ known.contains(Self.chunk(of: $0)) }) {
                problems.append("a free node is in no chunk")
            }
            return problems
        }
    #endif

    private static func chunk(of node: UnsafeMutableRawPointer) -> UInt {
        UInt(bitPattern: node) & ~UInt(chunkByteCount - 1)
    }
}

extension Node {
    /// Where the memory of a node notes the page that says the same (a reference's eight bytes), or
    /// 0 for none.
    ///
    /// Only for nodes in memory, not for pages. The writer of a committed node's pages has it to
    /// itself: one checkpoint at a time, with the node pinned.
    @inline(__always)
    var pageSlot: UnsafeMutablePointer<UInt64> {
        let offsetMask = UInt(NodeMemory.chunkByteCount - 1)
        let address = UInt(bitPattern: base)
        let table = UnsafeMutableRawPointer(bitPattern: address & ~offsetMask).unsafelyUnwrapped
        return table.assumingMemoryBound(to: UInt64.self)
            + Int((address & offsetMask) / UInt(Node.byteCount))
    }
}
