import CPlatform
import Synchronization

/// Finds records by their location. Any thread, no locks, no reference counts; valid while its log
/// lives.
///
/// Public, as are `Location` and `RecordPointer`, only so that it is inlined into other modules;
/// the module is not part of a product's interface.
public struct SegmentReader: BitwiseCopyable, @unchecked Sendable {
    @usableFromInline let head: UnsafeMutablePointer<SegmentTableHead>

    /// Asks the processor for the record at a location, if its segment is mapped: for scans, whose
    /// records lie in the order they were written and not in that of their keys.
    @inlinable @inline(__always)
    public func prefetch(_ location: Location) {
        let number = location.upperHalf
        guard let slot = slot(of: number),
            SegmentSlot.number(slot.pointee.identity.load(ordering: .acquiring)) == number,
            let base = UnsafeRawPointer(bitPattern: slot.pointee.base.load(ordering: .relaxed))
        else { return }
        Self.prefetch(location, base)
    }

    /// Asks for the records at several locations: `count` of them, unaligned, `stride` bytes apart.
    @inlinable @inline(__always)
    public func prefetch(locations: UnsafeRawPointer, stride: Int, count: Int) {
        let table = table.pointee
        var place = locations
        for _ in 0..<count {
            let location = Location(rawValue: place.loadUnaligned(as: UInt64.self))
            place += stride
            let number = location.upperHalf
            let slot = table.slots + Int(truncatingIfNeeded: number & table.mask)
            guard SegmentSlot.number(slot.pointee.identity.load(ordering: .acquiring)) == number,
                let base = UnsafeRawPointer(bitPattern: slot.pointee.base.load(ordering: .relaxed))
            else { continue }
            Self.prefetch(location, base)
        }
        if readsFromDevice { askDevice(locations: locations, stride: stride, count: count) }
    }

    /// Whether files are more than memory holds.
    @inlinable @inline(__always)
    package var readsFromDevice: Bool { head.pointee.readsFromDevice.load(ordering: .relaxed) }

    @inlinable @inline(__always)
    static func prefetch(_ location: Location, _ base: UnsafeRawPointer) {
        let record = base + location.offset
        travertine_prefetch(record)
        travertine_prefetch(record + 64)
        // Small records are prefetched whole, of large ones what a reader looks at first.
        if location.rawValue & Location.sizeMask > 16 { travertine_prefetch(record + 128) }
    }

    /// The value of the record at a location, its lengths checked against the end of the segment;
    /// nil if the segment is not mapped yet, or the value is compressed, or the location can't be
    /// one: then call `record(at:)`. What a read of a mapped store comes down to.
    @inlinable @inline(__always)
    public func mappedValue(at location: Location) -> UnsafeRawBufferPointer? {
        let number = location.upperHalf
        if number == 0 { return nil }
        let table = table.pointee
        let slot = table.slots + Int(truncatingIfNeeded: number & table.mask)
        let identity = slot.pointee.identity.load(ordering: .acquiring)
        guard SegmentSlot.number(identity) == number else { return nil }
        let offset = location.offset
        let base =
            UnsafeRawPointer(bitPattern: slot.pointee.base.load(ordering: .relaxed))
            .unsafelyUnwrapped + offset
        Self.prefetchRest(base)
        let room = SegmentSlot.byteCount(identity) &- offset
        guard room >= RecordLayout.headerByteCount else { return nil }
        // Kind, flags and the length of the key at once.
        let word = UInt32(
            littleEndian: base.loadUnaligned(
                fromByteOffset: RecordLayout.kind, as: UInt32.self))
        let kind = UInt8(truncatingIfNeeded: word)
        var start = RecordLayout.headerByteCount &+ Int(truncatingIfNeeded: word &>> 16)
        if kind == RecordKind.move.rawValue || kind == RecordKind.tombstoneMove.rawValue {
            start &+= RecordLayout.extensionByteCount
        }
        let count = Int(
            UInt32(
                littleEndian: base.loadUnaligned(
                    fromByteOffset: RecordLayout.valueByteCount, as: UInt32.self)))
        guard kind &- 1 < RecordKind.rawValueMax, start &+ count <= room else { return nil }
        return UnsafeRawBufferPointer(start: base + start, count: count)
    }

    /// The value's lines are asked for beside the header's, which says where it starts: one wait
    /// for memory instead of two.
    @inlinable @inline(__always)
    static func prefetchRest(_ record: UnsafeRawPointer) {
        travertine_prefetch_now(record + 64)
        travertine_prefetch_now(record + 128)
    }

    /// The record at a location, its lengths checked against the end of the segment; nil if the
    /// segment is not mapped yet, or the location can't be one: then call `record(at:)`.
    @inlinable @inline(__always)
    public func mappedRecord(at location: Location) -> RecordPointer? {
        let number = location.upperHalf
        let offset = location.offset
        guard let slot = slot(of: number) else { return nil }
        let identity = slot.pointee.identity.load(ordering: .acquiring)
        guard SegmentSlot.number(identity) == number else { return nil }
        let base = UnsafeRawPointer(
            bitPattern: slot.pointee.base.load(ordering: .relaxed)
        ).unsafelyUnwrapped
        Self.prefetchRest(base + offset)
        return Self.checked(
            base: base, offset: offset, limit: SegmentSlot.byteCount(identity))
    }

    /// The record at a location, its lengths checked against the end of the segment.
    ///
    /// Does not verify the checksum, except in the `.pread` mode. Throws `.damaged` when the
    /// location can't be one, or its segment is missing. The first touch of a segment maps it.
    package func record(at location: Location) throws(LogError) -> RecordPointer {
        if let found = mappedRecord(at: location) { return found }
        if location.isCompressed, let found = mappedCompressedRecord(at: location) { return found }
        if let found = sealedRecord(at: location) { return found }
        let mappings = head.pointee.mappings.takeUnretainedValue()
        return try mappings.record(at: location, verifying: false)
    }

    /// The record at a location, after its checksum was verified.
    package func verifiedRecord(at location: Location) throws(LogError) -> RecordPointer {
        let found = try record(at: location)
        let number = UInt64(location.segment.rawValue)
        if let slot = slot(of: number),
            SegmentSlot.number(slot.pointee.identity.load(ordering: .acquiring)) == number,
            found.verify(saltChecksum: slot.pointee.saltChecksum.load(ordering: .relaxed))
        {
            return found
        }
        let mappings = head.pointee.mappings.takeUnretainedValue()
        return try mappings.record(at: location, verifying: true)
    }

    @inlinable @inline(__always)
    var table: UnsafePointer<SegmentTable> {
        UnsafePointer<SegmentTable>(
            bitPattern: head.pointee.table.load(ordering: .acquiring)
        ).unsafelyUnwrapped
    }

    @inlinable @inline(__always)
    func slot(of number: UInt64) -> UnsafeMutablePointer<SegmentSlot>? {
        guard number != 0 else { return nil }
        let table = table
        return table.pointee.slots + Int(truncatingIfNeeded: number & table.pointee.mask)
    }

    /// A segment in memory, by the upper half of a location; nil if it is not mapped, or the
    /// location's value is compressed. For what is not read at once: the hot reads look at the slot
    /// themselves.
    @inline(__always)
    func mapped(
        _ number: UInt64
    ) -> (slot: UnsafeMutablePointer<SegmentSlot>, base: UnsafeRawPointer, byteCount: Int)? {
        guard let slot = slot(of: number) else { return nil }
        let identity = slot.pointee.identity.load(ordering: .acquiring)
        guard SegmentSlot.number(identity) == number,
            let base = UnsafeRawPointer(bitPattern: slot.pointee.base.load(ordering: .relaxed))
        else { return nil }
        return (slot, base, SegmentSlot.byteCount(identity))
    }

    /// The record at `offset`, when everything that it claims lies before `limit`.
    @inlinable @inline(__always)
    static func checked(base: UnsafeRawPointer, offset: Int, limit: Int) -> RecordPointer? {
        guard offset &+ RecordLayout.headerByteCount <= limit else { return nil }
        let record = RecordPointer(unsafeBase: base + offset, offset: offset)
        guard record.rawKind &- 1 < RecordKind.rawValueMax,
            offset &+ record.contentByteCount <= limit
        else {
            return nil
        }
        return record
    }
}
