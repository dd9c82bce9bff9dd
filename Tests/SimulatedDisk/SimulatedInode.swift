import TestSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file's contents twice: as the running machine sees them, and as the disk holds them; with the
/// writes that make the difference.
///
/// Everything here is guarded by the lock of the disk.
final class SimulatedInode {
    let number: Int
    /// What readers and mappings see. Never moves while the machine runs.
    private(set) var volatile: UnsafeMutableRawPointer
    private var durable: UnsafeMutableRawPointer
    private let capacity: Int
    var byteCount = 0
    private(set) var durableByteCount = 0
    /// Writes since the last sync, oldest first.
    private var pending: [PendingWrite] = []
    /// Which 4 KiB blocks take space.
    private(set) var blocks: Set<Int> = []
    /// After the last byte that the disk ever held.
    private var durableEnd = 0
    /// Buffers of machines that crashed: their mappings must not dangle.
    private var retired: [UnsafeMutableRawPointer] = []

    static let blockByteCount = 4096

    private struct PendingWrite {
        var offset: Int
        var bytes: [UInt8]
        var end: Int { offset + bytes.count }
    }

    init(number: Int, capacity: Int) {
        self.number = number
        self.capacity = capacity
        volatile = Self.zeroed(capacity)
        durable = Self.zeroed(capacity)
    }

    deinit {
        free(volatile)
        free(durable)
        for buffer in retired { free(buffer) }
    }

    // Fresh zero pages from the system: what is not touched costs nothing.
    private static func zeroed(_ count: Int) -> UnsafeMutableRawPointer {
        guard let buffer = calloc(count, 1) else { preconditionFailure("out of memory") }
        return buffer
    }

    var contents: [UInt8] {
        Array(UnsafeRawBufferPointer(start: volatile, count: byteCount))
    }

    /// The blocks that a write, or an allocation, of this range adds.
    func missingBlocks(_ range: Range<Int>) -> Int {
        guard !range.isEmpty else { return 0 }
        let size = Self.blockByteCount
        return (range.lowerBound / size...(range.upperBound - 1) / size)
            .reduce(0) { $0 + (blocks.contains($1) ? 0 : 1) }
    }

    private func addBlocks(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        let size = Self.blockByteCount
        for block in range.lowerBound / size...(range.upperBound - 1) / size {
            blocks.insert(block)
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        precondition(offset + bytes.count <= capacity, "a simulated file is full")
        guard let source = bytes.baseAddress, !bytes.isEmpty else { return }
        (volatile + offset).copyMemory(from: source, byteCount: bytes.count)
        pending.append(PendingWrite(offset: offset, bytes: Array(bytes)))
        byteCount = max(byteCount, offset + bytes.count)
        addBlocks(offset..<offset + bytes.count)
    }

    func allocate(_ count: Int) {
        precondition(count <= capacity, "a simulated file is full")
        addBlocks(0..<count)
        byteCount = max(byteCount, count)
    }

    func truncate(_ count: Int) {
        if count < byteCount { memset(volatile + count, 0, byteCount - count) }
        byteCount = count
    }

    func punch(_ range: Range<Int>) {
        let end = min(range.upperBound, byteCount)
        guard range.lowerBound < end else { return }
        let zeros = [UInt8](repeating: 0, count: end - range.lowerBound)
        zeros.withUnsafeBytes { write($0, at: range.lowerBound) }
        let size = Self.blockByteCount
        for block in blocks
        where block * size >= range.lowerBound && (block + 1) * size <= range.upperBound {
            blocks.remove(block)
        }
    }

    /// Everything written is durable now.
    func sync() {
        for write in pending { apply(write, write.offset..<write.end) }
        pending.removeAll()
        durableByteCount = byteCount
    }

    /// A sync that failed: some sectors made it, and nobody will try the others again.
    func failSync(_ random: inout SeededRandom, sector: Int) {
        for write in pending {
            for range in Self.sectors(of: write, sector) where random.chance(50) {
                apply(write, range)
            }
        }
        pending.removeAll()
        if random.chance(50) { durableByteCount = byteCount }
    }

    /// Forgets cached sectors that no pending write covers.
    func dropCache(_ range: Range<Int>) {
        let end = min(range.upperBound, byteCount)
        guard range.lowerBound < end else { return }
        let count = end - range.lowerBound
        (volatile + range.lowerBound).copyMemory(
            from: durable + range.lowerBound, byteCount: count)
        for write in pending {
            write.bytes.withUnsafeBytes { bytes in
                guard let source = bytes.baseAddress else { return }
                (volatile + write.offset).copyMemory(from: source, byteCount: bytes.count)
            }
        }
    }

    /// Changes a byte on the disk and in the cache; what was pending is written first.
    func corrupt(at offset: Int, mask: UInt8) {
        guard offset < byteCount else { return }
        sync()
        for buffer in [volatile, durable] {
            let byte = buffer.load(fromByteOffset: offset, as: UInt8.self)
            buffer.storeBytes(of: byte ^ mask, toByteOffset: offset, as: UInt8.self)
        }
    }

    // MARK: Crash

    /// The machine stopped: what was pending reached the disk in part, or whole, or not at all.
    func crash(_ random: inout SeededRandom, _ assumptions: DiskAssumptions) {
        let sector = assumptions.sectorByteCount
        let mode = random.below(5)
        var versions: [Int: Int] = [:]
        let cut = random.below(pending.count + 1)
        for (index, write) in pending.enumerated() {
            for range in Self.sectors(of: write, sector) {
                // One version per sector, or per page: a later one implies the earlier ones.
                let unit = range.lowerBound / (mode == 3 ? Self.blockByteCount : sector)
                switch mode {
                case 0: continue
                case 1: break
                case 2, 3:
                    let newest = versions[unit] ?? random.below(pending.count + 1)
                    versions[unit] = newest
                    if index >= newest { continue }
                default:
                    if index > cut || (index == cut && random.chance(50)) { continue }
                }
                apply(write, range, &random, assumptions)
            }
        }
        if mode == 1 || random.chance(50) { durableByteCount = byteCount }
        pending.removeAll()
        restart()
        if !assumptions.unwrittenReadsAsZero { fillUnwritten(&random) }
    }

    /// The machine starts again: it sees what the disk holds, in a new buffer.
    private func restart() {
        retired.append(volatile)
        volatile = Self.zeroed(capacity)
        byteCount = durableByteCount
        volatile.copyMemory(from: durable, byteCount: byteCount)
        // Bytes after the durable size belong to no file.
        if byteCount < durableEnd { memset(durable + byteCount, 0, durableEnd - byteCount) }
        durableEnd = byteCount
    }

    private func fillUnwritten(_ random: inout SeededRandom) {
        let bytes = UnsafeMutableRawBufferPointer(start: volatile, count: byteCount)
        guard let end = bytes.lastIndex(where: { $0 != 0 }) else { return }
        for index in end + 1..<min(end + 1 + 4096, byteCount) {
            bytes[index] = UInt8(truncatingIfNeeded: random.next())
        }
    }

    private func apply(_ write: PendingWrite, _ range: Range<Int>) {
        durableEnd = max(durableEnd, range.upperBound)
        write.bytes.withUnsafeBytes { bytes in
            guard let source = bytes.baseAddress else { return }
            (durable + range.lowerBound).copyMemory(
                from: source + (range.lowerBound - write.offset), byteCount: range.count)
        }
    }

    private func apply(
        _ write: PendingWrite, _ range: Range<Int>, _ random: inout SeededRandom,
        _ assumptions: DiskAssumptions
    ) {
        var range = range
        if !assumptions.sectorIsAtomic, random.chance(30) {
            range = range.lowerBound..<range.lowerBound + random.below(range.count + 1)
        }
        apply(write, range)
        if !assumptions.overwriteKeepsDurableBytes, random.chance(30) {
            let start = range.lowerBound / assumptions.sectorByteCount
            for offset in start * assumptions.sectorByteCount..<range.lowerBound {
                durable.storeBytes(
                    of: UInt8(truncatingIfNeeded: random.next()), toByteOffset: offset,
                    as: UInt8.self)
            }
        }
    }

    private static func sectors(of write: PendingWrite, _ sector: Int) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var start = write.offset
        while start < write.end {
            let end = min((start / sector + 1) * sector, write.end)
            ranges.append(start..<end)
            start = end
        }
        return ranges
    }
}
