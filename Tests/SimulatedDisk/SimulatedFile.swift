import SegmentLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An open file of a simulated machine.
public final class SimulatedFile: File, @unchecked Sendable {
    private let inode: SimulatedInode
    private let disk: SimulatedDisk
    private let process: Int
    private var isOpen = true

    init(path: String, inode: SimulatedInode, disk: SimulatedDisk, process: Int) {
        self.inode = inode
        self.disk = disk
        self.process = process
        super.init(path: path)
    }

    deinit { close() }

    private func call<R>(
        _ operation: String, onFailure: () -> Void = {},
        _ body: () throws(FileSystemError) -> R
    ) throws(FileSystemError) -> R {
        try disk.call(operation, path, process: process, onFailure: onFailure, body)
    }

    public override func linkCount() throws(FileSystemError) -> Int {
        try call("linkCount") { disk.entries.values.count { $0 == inode.number } }
    }

    public override func tryLock(
        from offset: UInt64, byteCount: UInt64
    ) throws(FileSystemError) -> Bool {
        try call("tryLock") {
            disk.lock(
                SimulatedDisk.RangeLock(
                    inode: inode.number, range: offset..<offset + byteCount,
                    owner: ObjectIdentifier(self), process: process))
        }
    }

    public override func isLocked(
        from offset: UInt64, byteCount: UInt64
    ) throws(FileSystemError) -> Bool {
        try call("isLocked") {
            disk.isLocked(
                SimulatedDisk.RangeLock(
                    inode: inode.number, range: offset..<offset + byteCount,
                    owner: ObjectIdentifier(self), process: process))
        }
    }

    public override func unlock(from offset: UInt64, byteCount: UInt64) throws(FileSystemError) {
        try call("unlock") {
            disk.rangeLocks.removeAll {
                $0.owner == ObjectIdentifier(self) && $0.range == offset..<offset + byteCount
            }
        }
    }

    public override func readOnce(
        into target: UnsafeMutableRawBufferPointer, at offset: UInt64
    ) -> Int {
        disk.letOthersRun(before: process)
        return disk.monitor.withLock {
            var count = min(target.count, max(inode.byteCount - Int(clamping: offset), 0))
            switch disk.verdict("read \(path)", process: process) {
            case .fail(let code): return -Int(code)
            case .short: count = count > 1 ? 1 + disk.random.below(count - 1) : count
            case .proceed: break
            case .stopAfter:
                disk.stop()
                return -Int(SimulatedDisk.crashCode)
            }
            if count > 0, let base = target.baseAddress {
                base.copyMemory(from: inode.volatile + Int(offset), byteCount: count)
            }
            return count
        }
    }

    public override func writeOnce(
        _ source: UnsafeRawBufferPointer, at offset: UInt64
    ) -> Int {
        disk.letOthersRun(before: process)
        return disk.monitor.withLock {
            let start = Int(clamping: offset)
            func part(_ count: Int) -> UnsafeRawBufferPointer {
                UnsafeRawBufferPointer(rebasing: source[0..<count])
            }
            var isStopping = false
            switch disk.verdict("write \(path)", process: process) {
            case .fail(let code):
                if code == EIO || code == ENOSPC {
                    inode.write(part(disk.random.below(source.count)), at: start)
                }
                return -Int(code)
            case .short:
                let count = source.count > 1 ? 1 + disk.random.below(source.count - 1) : 1
                inode.write(part(count), at: start)
                return count
            case .proceed: break
            case .stopAfter: isStopping = true
            }
            let missing = inode.missingBlocks(start..<start + source.count)
            guard disk.hasRoom(blocks: missing) else { return -Int(ENOSPC) }
            inode.write(source, at: start)
            guard isStopping else { return source.count }
            // The bytes are in the cache: the crash decides what becomes of them.
            disk.stop()
            return -Int(SimulatedDisk.crashCode)
        }
    }

    public override func sync() throws(FileSystemError) {
        try call("sync", onFailure: failSync, inode.sync)
    }

    private func failSync() {
        inode.failSync(&disk.random, sector: disk.assumptions.sectorByteCount)
    }

    public override func byteCount() throws(FileSystemError) -> UInt64 {
        try call("byteCount") { UInt64(inode.byteCount) }
    }

    public override func allocate(byteCount: UInt64) throws(FileSystemError) {
        try call("allocate") { () throws(FileSystemError) in
            let count = Int(byteCount)
            guard disk.hasRoom(blocks: inode.missingBlocks(0..<count)) else {
                throw SimulatedFileSystem.error("allocate", path, ENOSPC)
            }
            inode.allocate(count)
        }
    }

    public override func punchHole(
        from offset: UInt64, byteCount: UInt64
    ) throws(FileSystemError) {
        try call("punchHole") { inode.punch(Int(offset)..<Int(offset + byteCount)) }
    }

    public override func allocatedByteCount() throws(FileSystemError) -> UInt64 {
        try call("allocatedByteCount") {
            UInt64(inode.blocks.count * SimulatedInode.blockByteCount)
        }
    }

    public override func dropCache(
        from offset: UInt64, byteCount: UInt64
    ) throws(FileSystemError) {
        try call("dropCache") { inode.dropCache(Int(offset)..<Int(offset + byteCount)) }
    }

    public override func nextData(from offset: UInt64) throws(FileSystemError) -> UInt64? {
        try call("nextData") { offset < UInt64(inode.byteCount) ? offset : nil }
    }

    public override func map(byteCount: Int) throws(FileSystemError) -> UnsafeRawPointer {
        try call("map") { () throws(FileSystemError) in
            guard byteCount <= inode.byteCount else {
                throw SimulatedFileSystem.error("map", path, EINVAL)
            }
            return UnsafeRawPointer(inode.volatile)
        }
    }

    // The mapping is the file's own buffer, which lives as long as the disk.
    public override func unmap(_ base: UnsafeRawPointer, byteCount: Int) {}

    public override func close() {
        disk.monitor.withLock {
            guard isOpen else { return }
            isOpen = false
            disk.rangeLocks.removeAll { $0.owner == ObjectIdentifier(self) }
            disk.didClose(process: process)
        }
    }
}
