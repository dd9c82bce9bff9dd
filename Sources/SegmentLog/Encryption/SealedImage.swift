import Locks
import Synchronization

/// A sealed segment in memory: the stored bytes mapped, and beside them the same segment in the
/// clear, of which only what was asked for is decrypted.
///
/// 1. A chunk is decrypted once, the first time that a record in it is asked for, and stays until
///    the log lets go of the image; the memory is the size of the segment, and takes what was
///    decrypted.
/// 2. A record is marked after all of its bytes are there (X4): who finds the mark may read them
///    without a lock. So are those after it in a chunk that was decrypted for it.
/// 3. Once half of a segment that does not grow any more was decrypted, the rest is too, and it is
///    read like one that is not encrypted.
final class SealedImage: @unchecked Sendable {
    /// The segment in the clear, as far as it was decrypted.
    let memory: AnonymousMemory
    /// The marks of records that are there whole.
    let marks: AnonymousMemory
    private let file: SealedSegmentFile
    private let stored: UnsafeRawPointer
    private let byteCount: Int
    private let reader: SealedSegmentReader
    /// A bit for the place of each chunk that is there.
    private let chunks: AnonymousMemory
    /// The bytes that were decrypted.
    private(set) var openedByteCount = 0
    private var hasTriedWhole = false

    /// Maps a file, which is closed; the mapping lives as long as the image.
    init(_ file: SealedSegmentFile, byteCount: Int) throws(FileSystemError) {
        memory = try AnonymousMemory(byteCount: byteCount, for: file.path)
        marks = try AnonymousMemory(
            byteCount: WholeMarks.byteCount(forSegment: byteCount), for: file.path)
        chunks = try AnonymousMemory(
            byteCount: WholeMarks.byteCount(forSegment: byteCount), for: file.path)
        stored = try file.base.map(byteCount: byteCount)
        self.file = file
        self.byteCount = byteCount
        reader = file.reader(of: MappedBytes(path: file.path, stored, byteCount: byteCount))
    }

    deinit { file.base.unmap(stored, byteCount: byteCount) }

    /// Decrypts what a record takes, and marks it; nil if no record that can be believed is there.
    /// What comes after it in the same chunk is marked too, so that a scan asks once for a chunk.
    /// One thread at a time.
    func record(at offset: Int) -> RecordPointer? {
        let before = openedByteCount
        guard offset >= 0, offset + RecordLayout.headerByteCount <= byteCount,
            open(offset..<offset + RecordLayout.headerByteCount) != nil
        else { return nil }
        let head = RecordPointer(unsafeBase: UnsafeRawPointer(memory.base) + offset, offset: offset)
        let end = offset + head.contentByteCount
        guard end <= byteCount, let seal = open(offset..<end),
            let record = SegmentReader.checked(
                base: UnsafeRawPointer(memory.base), offset: offset, limit: byteCount)
        else { return nil }
        WholeMarks(marks).publish(offset)
        if openedByteCount != before, let chunk = seal.chunks(holding: offset..<end).last {
            markRecords(from: offset + record.storedByteCount, to: seal.chunk(chunk).upperBound)
        }
        return record
    }

    /// Marks the records of a batch from the beginning of one on, up to the end of what is there.
    private func markRecords(from first: Int, to end: Int) {
        var place = first
        while place + RecordLayout.headerByteCount <= end,
            let record = SegmentReader.checked(
                base: UnsafeRawPointer(memory.base), offset: place, limit: end)
        {
            WholeMarks(marks).publish(place)
            place += record.storedByteCount
        }
    }

    /// Decrypts a range that lies in the records of one batch; nil if there is no such batch.
    private func open(_ range: Range<Int>) -> BatchSeal? {
        // A header can say more than there is.
        guard range.upperBound <= byteCount else { return nil }
        let chunks = WholeMarks(chunks)
        let opened = reader.openBatch(
            around: range.lowerBound, range, into: memory.base,
            unless: { chunks.contains($0) },
            did: { place, byteCount in
                chunks.insert(place)
                openedByteCount += byteCount
            })
        guard let seal = opened.seal, range.lowerBound >= seal.contentStart,
            range.upperBound <= seal.contentEnd
        else { return nil }
        return seal
    }

    /// Decrypts all of a segment that does not grow any more, if half of it is; false if it is too
    /// early, or something in it is not authentic. True once only. One thread at a time.
    func becomeWhole() -> Bool {
        guard !hasTriedWhole, openedByteCount >= byteCount / 2 else { return false }
        hasTriedWhole = true
        var place = SegmentHeader.byteCount
        while let seal = reader.batch(after: place, before: byteCount) {
            let content = seal.contentStart..<seal.contentEnd
            guard content.isEmpty || open(content) != nil else { return false }
            place = seal.end
        }
        return true
    }
}

/// Mapped bytes that are read as a file.
private final class MappedBytes: File, @unchecked Sendable {
    private let bytes: UnsafeRawBufferPointer

    init(path: String, _ base: UnsafeRawPointer, byteCount: Int) {
        bytes = UnsafeRawBufferPointer(start: base, count: byteCount)
        super.init(path: path)
    }

    override func readOnce(into target: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Int {
        let start = Int(clamping: offset)
        guard start < bytes.count else { return 0 }
        let count = min(target.count, bytes.count - start)
        target.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<start + count]))
        return count
    }

    override func close() {}
}

extension SegmentReader {
    /// The record at a location of a sealed segment, if it was decrypted before.
    @inline(__always)
    func sealedRecord(at location: Location) -> RecordPointer? {
        guard
            let table = UnsafePointer<SegmentTable>(
                bitPattern: head.pointee.sealedTable.load(ordering: .acquiring))
        else { return nil }
        let number = UInt64(location.segment.rawValue)
        let slot = table.pointee.slots + Int(truncatingIfNeeded: number & table.pointee.mask)
        let identity = slot.pointee.identity.load(ordering: .acquiring)
        let offset = location.recordOffset
        guard SegmentSlot.number(identity) == number, number != 0, offset >= 0,
            offset < SegmentSlot.byteCount(identity),
            let marks = WholeMarks(slot), marks.isPublished(offset),
            let base = UnsafeRawPointer(bitPattern: slot.pointee.base.load(ordering: .relaxed))
        else { return nil }
        return Self.checked(
            base: base, offset: offset, limit: SegmentSlot.byteCount(identity))
    }
}
