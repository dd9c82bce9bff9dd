/// Reads one segment through `pread`, batch by batch, and checks every byte that a checksum covers.
///
/// Never maps, never traps on what it reads. One thread.
final class SegmentScanner {
    let path: String
    let header: SegmentHeader
    /// The bytes that can hold batches: the smaller of the file's size and the header's.
    let byteCount: Int
    private let file: File
    private let saltChecksum: UInt32
    /// The window, from the first read on.
    private var memory: AnonymousMemory?
    /// Whether the window holds all that is read from here on.
    private var isWhole = false
    private var windowStart = 0
    private var windowCount = 0

    private static let windowByteCount = 1 << 20

    /// What lies at a place where a batch may begin.
    enum Found {
        case batch(BatchHeader, BatchCheck.Contents)
        /// No batch: the bytes are zero, or the segment ends.
        case nothing
        case bad(String)
    }

    /// Takes over `file`, whose header the caller has read.
    init(file: File, header: SegmentHeader) throws(FileSystemError) {
        self.file = file
        self.header = header
        path = file.path
        byteCount = Int(min(header.segmentByteCount, try file.byteCount()))
        saltChecksum = header.saltChecksum
    }

    /// Opens the file of a segment whose header is known.
    static func open(
        _ header: SegmentHeader, in directory: String, _ fileSystem: FileSystem
    ) throws(LogError) -> SegmentScanner {
        do throws(FileSystemError) {
            let file = try fileSystem.open(header.number.path(in: directory), .readOnly)
            return try SegmentScanner(file: file, header: header)
        } catch {
            throw .io(error)
        }
    }

    deinit { file.close() }

    /// Reads and fully verifies the batch at `offset`.
    func batch(at offset: Int) throws(FileSystemError) -> Found {
        guard let head = try bytes(at: offset, count: BatchHeader.byteCount) else {
            return .nothing
        }
        guard let header = BatchHeader(decoding: head) else {
            let raw = UnsafeRawBufferPointer(start: head, count: BatchHeader.byteCount)
            return raw.firstNonZeroIndex != nil ? .bad("no batch begins here") : .nothing
        }
        if let reason = implausibility(of: header, at: offset) { return .bad(reason) }
        guard let base = try bytes(at: offset, count: Int(header.byteCount)) else {
            return .bad("the batch ends after the end of its segment")
        }
        var contents = BatchCheck.Contents()
        if let reason = BatchCheck.damage(
            of: header, base: base, saltChecksum: saltChecksum, contents: &contents)
        {
            return .bad(reason)
        }
        return .batch(header, contents)
    }

    /// The bytes `[offset, offset + count)`, valid until the next call; nil past the end.
    func bytes(at offset: Int, count: Int) throws(FileSystemError) -> UnsafeRawPointer? {
        guard offset >= 0, count >= 0, offset + count <= byteCount else { return nil }
        if offset < windowStart || offset + count > windowStart + windowCount {
            if isWhole { return nil }
            windowCount = 0
            let buffer = try window(holding: count)
            windowStart = offset
            let wanted = min(buffer.count, byteCount - offset)
            windowCount = try file.read(
                into: UnsafeMutableRawBufferPointer(rebasing: buffer[0..<wanted]),
                at: UInt64(offset))
            guard count <= windowCount else { return nil }
        }
        guard let base = memory?.base else { return nil }
        return UnsafeRawPointer(base) + (offset - windowStart)
    }

    /// Reads the bytes up to `end`, and closes the file: nothing after them is read any more.
    /// Nothing changes if they are not there.
    func readWhole(end: Int) throws(FileSystemError) {
        guard try bytes(at: 0, count: end) != nil else { return }
        isWhole = true
        file.close()
    }

    /// The window's memory, a new one if the old one is too small.
    private func window(holding count: Int) throws(FileSystemError) -> UnsafeMutableRawBufferPointer
    {
        if let memory, memory.bytes.count >= count { return memory.bytes }
        memory = nil
        let rounded = FileBlock.roundedUp(max(count, min(Self.windowByteCount, byteCount)))
        let new = try AnonymousMemory(byteCount: rounded, for: path)
        memory = new
        return new.bytes
    }

    /// The offset of the first byte at or after `offset` that is not zero; nil when there is none.
    func firstNonZero(from start: Int) throws(FileSystemError) -> Int? {
        var offset = start
        while offset < byteCount {
            guard let next = try file.nextData(from: UInt64(offset)), next < UInt64(byteCount)
            else { return nil }
            offset = Int(next)
            let count = min(64 << 10, byteCount - offset)
            guard let base = try bytes(at: offset, count: count) else { return nil }
            let part = UnsafeRawBufferPointer(start: base, count: count)
            if let index = part.firstNonZeroIndex { return offset + index }
            offset += count
        }
        return nil
    }

    /// The offset after the last byte that is not zero; `start` when all are.
    func endOfNonZero(from start: Int) throws(FileSystemError) -> Int {
        var end = start
        var offset = start
        while let found = try firstNonZero(from: offset) {
            let count = min(64 << 10, byteCount - found)
            guard let base = try bytes(at: found, count: count) else { break }
            let part = UnsafeRawBufferPointer(start: base, count: count)
            end = found + (part.lastNonZeroIndex ?? 0) + 1
            offset = found + count
        }
        return end
    }

    /// The first 8-byte aligned place at or after `offset` that has a batch's magic.
    func nextBatchCandidate(from start: Int) throws(FileSystemError) -> Int? {
        var offset = RecordLayout.padded(start)
        while let found = try firstNonZero(from: offset) {
            offset = found & ~(RecordLayout.alignment - 1)
            let count = min(64 << 10, byteCount - offset)
            guard let base = try bytes(at: offset, count: count) else { return nil }
            for place in stride(from: 0, through: count - 4, by: RecordLayout.alignment)
            where BatchHeader.hasMagic(base + place) {
                return offset + place
            }
            offset += RecordLayout.padded(count)
        }
        return nil
    }

    // MARK: Checks

    /// Why a batch header can't be this segment's at this place, from the header alone (rule 3).
    private func implausibility(of batch: BatchHeader, at offset: Int) -> String? {
        if batch.salt != header.salt { return "the batch has the salt of another segment" }
        if Int(batch.offset) != offset { return "the batch belongs at offset \(batch.offset)" }
        if offset + Int(batch.byteCount) > byteCount {
            return "the batch has the impossible length \(batch.byteCount)"
        }
        return batch.impossibility
    }
}
