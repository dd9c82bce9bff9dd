import CPlatform
import Synchronization

/// Which records and batches of a mapped segment were found whole since it was mapped: a bit for
/// each eight bytes, where a record or the header of a batch begins. 1/64 of the segment, of which
/// only what is marked takes memory.
///
/// A mark says that the checksum matched once; what a device reads into the mapping later is not
/// looked at again. So a read that wants to know it pays for a checksum the first time, and for a
/// look at a bit afterwards. Any thread: bits only come.
@usableFromInline struct WholeMarks: BitwiseCopyable {
    @usableFromInline let words: UnsafeMutablePointer<Atomic<UInt64>>

    /// The memory for the marks of a segment of so many bytes.
    static func byteCount(forSegment byteCount: Int) -> Int { (byteCount >> 9 + 1) * 8 }

    @inlinable @inline(__always)
    init?(_ slot: UnsafeMutablePointer<SegmentSlot>) {
        guard
            let words = UnsafeMutablePointer<Atomic<UInt64>>(
                bitPattern: slot.pointee.marks.load(ordering: .acquiring))
        else { return nil }
        self.words = words
    }

    @inlinable @inline(__always)
    func contains(_ offset: Int) -> Bool {
        words[offset &>> 9].load(ordering: .relaxed) &>> UInt64((offset &>> 3) & 63) & 1 == 1
    }

    /// Asks for what says whether a record is marked.
    @inline(__always)
    func prefetch(_ offset: Int) { travertine_prefetch_now(words + offset &>> 9) }

    /// The marks in some memory.
    init(_ memory: AnonymousMemory) {
        words = memory.base.assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    /// Marks what other threads may read from here on.
    func publish(_ offset: Int) {
        words[offset &>> 9].bitwiseOr(1 &<< UInt64((offset &>> 3) & 63), ordering: .releasing)
    }

    /// Whether something was published, and can be read.
    @inline(__always)
    func isPublished(_ offset: Int) -> Bool {
        words[offset &>> 9].load(ordering: .acquiring) &>> UInt64((offset &>> 3) & 63) & 1 == 1
    }

    func insert(_ offset: Int) {
        words[offset &>> 9].bitwiseOr(1 &<< UInt64((offset &>> 3) & 63), ordering: .relaxed)
    }
}

extension SegmentReader {
    /// Asks for the marks of the record at a location, if its segment has any.
    package func prefetchMarks(_ location: Location) {
        let number = UInt64(location.segment.rawValue)
        guard let slot = slot(of: number) else { return }
        let identity = slot.pointee.identity.load(ordering: .acquiring)
        let offset = location.isCompressed ? location.recordOffset : location.offset
        guard SegmentSlot.number(identity) == number, offset >= 0,
            offset < SegmentSlot.byteCount(identity), let marks = WholeMarks(slot)
        else { return }
        marks.prefetch(offset)
    }

    /// As `mappedValue(at:)`, of a record that is marked as whole; nil of one that is not yet.
    @inlinable @inline(__always)
    public func mappedWholeValue(at location: Location) -> UnsafeRawBufferPointer? {
        let number = location.upperHalf
        let offset = location.offset
        guard let slot = slot(of: number) else { return nil }
        let identity = slot.pointee.identity.load(ordering: .acquiring)
        guard SegmentSlot.number(identity) == number, offset < SegmentSlot.byteCount(identity),
            let marks = WholeMarks(slot), marks.contains(offset)
        else { return nil }
        return mappedValue(at: location)
    }

    /// The record at a location, not compressed, whose checksum was verified now or before.
    package func wholeRecord(at location: Location) throws(LogError) -> RecordPointer {
        let found = try record(at: location)
        // The `.pread` mode has no slots: there `record` has verified it.
        guard let mapped = mapped(location) else { return found }
        let salt = mapped.slot.pointee.saltChecksum.load(ordering: .relaxed)
        if isInWholeBatch(location.offset, mapped) || found.verify(saltChecksum: salt) {
            mapped.marks?.insert(location.offset)
            return found
        }
        let mappings = head.pointee.mappings.takeUnretainedValue()
        return try mappings.record(at: location, verifying: true)
    }

    /// The record that a compressed location is in, whose checksum was verified now or before: of a
    /// pack once for all its values.
    func wholeCompressedRecord(at location: Location) throws(LogError) -> RecordPointer {
        if let found = mappedCompressedRecord(at: location),
            let slot = slot(of: UInt64(location.segment.rawValue)), let marks = WholeMarks(slot),
            marks.contains(location.recordOffset)
        {
            return found
        }
        let found = try verifiedRecord(at: location)
        // The `.pread` mode has no slots.
        guard mappedCompressedRecord(at: location) != nil,
            let slot = slot(of: UInt64(location.segment.rawValue))
        else { return found }
        if WholeMarks(slot) == nil {
            head.pointee.mappings.takeUnretainedValue().makeMarks(of: location.segment)
        }
        WholeMarks(slot)?.insert(location.recordOffset)
        return found
    }

    /// A mapped segment; its marks are made if they are not there yet, nil if there is no memory.
    private struct MappedSegment {
        var slot: UnsafeMutablePointer<SegmentSlot>
        var base: UnsafeRawPointer
        var byteCount: Int
        var marks: WholeMarks?
    }

    private func mapped(_ location: Location) -> MappedSegment? {
        let number = location.upperHalf
        guard let (slot, base, byteCount) = mapped(number) else { return nil }
        var segment = MappedSegment(
            slot: slot, base: base, byteCount: byteCount, marks: WholeMarks(slot))
        if segment.marks == nil {
            head.pointee.mappings.takeUnretainedValue().makeMarks(of: location.segment)
            segment.marks = WholeMarks(slot)
        }
        return segment
    }

    /// The batch that a record is in, by its own word; nil if that can't be.
    private func batch(
        ofRecordAt offset: Int, _ segment: MappedSegment
    ) -> (offset: Int, header: BatchHeader)? {
        guard offset >= SegmentHeader.byteCount + BatchHeader.byteCount,
            offset + RecordLayout.headerByteCount <= segment.byteCount
        else { return nil }
        let distance = RecordPointer(unsafeBase: segment.base + offset, offset: offset)
            .batchDistance
        let start = offset - distance
        guard distance >= BatchHeader.byteCount, start >= SegmentHeader.byteCount, start & 7 == 0,
            let header = BatchHeader(decoding: segment.base + start), Int(header.offset) == start,
            start + Int(header.byteCount) <= segment.byteCount,
            distance < Int(header.byteCount)
        else { return nil }
        return (start, header)
    }

    private func isInWholeBatch(_ offset: Int, _ segment: MappedSegment) -> Bool {
        guard let marks = segment.marks, let batch = batch(ofRecordAt: offset, segment) else {
            return false
        }
        return marks.contains(batch.offset)
    }

    /// Moves a window of checked reads to the batch of a record, once that is whole: for scans that
    /// find records one after the other. Elsewhere the window is left without bytes, and each
    /// record is for `wholeRecord`.
    ///
    /// - Parameter verifiesLong: whether a long batch, of which little may be needed, is verified
    ///   too.
    func moveChecked(_ window: inout SegmentWindow, to location: Location, verifiesLong: Bool) {
        guard let segment = mapped(location), let marks = segment.marks,
            let batch = batch(ofRecordAt: location.offset, segment)
        else { return }
        if !marks.contains(batch.offset) {
            let place = location.upperHalf &<< 32 | UInt64(batch.offset)
            guard verifiesLong || batch.header.byteCount <= Self.shortBatchByteCountMax,
                window.brokenBatch != place
            else { return }
            guard isWhole(batch.header, at: batch.offset, segment) else {
                window.brokenBatch = place
                return
            }
            marks.insert(batch.offset)
        }
        window.show(
            location.upperHalf, segment.base, from: batch.offset + BatchHeader.byteCount,
            to: batch.offset + batch.header.contentByteCount)
    }

    private static var shortBatchByteCountMax: Int { 16 << 10 }

    private static var verifiedAheadByteCount: Int { 1024 }

    private func isWhole(_ batch: BatchHeader, at start: Int, _ segment: MappedSegment) -> Bool {
        let salt = segment.slot.pointee.saltChecksum.load(ordering: .relaxed)
        let end = start + batch.contentByteCount
        var place = start + BatchHeader.byteCount
        var checksum = BatchHeader.ownChecksum(segment.base + start)
        for _ in 0..<batch.recordCount {
            // The processor itself fetches ahead in one page only.
            let ahead = segment.base + place + Self.verifiedAheadByteCount
            travertine_prefetch(ahead)
            travertine_prefetch(ahead + 64)
            travertine_prefetch(ahead + 128)
            guard let record = Self.checked(base: segment.base, offset: place, limit: end),
                record.verify(saltChecksum: salt)
            else { return false }
            if !batch.isSealed {
                checksum = travertine_crc32c(checksum, record.base, RecordLayout.headerByteCount)
            }
            place += record.storedByteCount
        }
        return place == end && checksum == batch.checksum
    }
}
