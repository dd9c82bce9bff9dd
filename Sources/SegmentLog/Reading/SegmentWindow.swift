import CPlatform

/// The mapped segment in which a scan found a record last: those that follow mostly lie there too.
///
/// A scan's own; valid as long as what keeps its records. Public only so that reads are inlined into
/// other modules; see `SegmentReader`.
public struct SegmentWindow: BitwiseCopyable {
    /// The number in the upper half of a location; no location has that of the empty window.
    @usableFromInline var number = UInt64.max
    @usableFromInline var base: UnsafeRawPointer
    @usableFromInline var byteCount = 0

    /// No segment.
    @inlinable
    public init() { base = UnsafeRawPointer(bitPattern: 8).unsafelyUnwrapped }

    /// The value of a plain put at a location, its lengths checked against the end of the segment;
    /// nil for all else, of which `SegmentReader.mappedValue(at:)` tells.
    @inlinable @inline(__always)
    public mutating func value(
        at location: Location, _ reader: SegmentReader
    ) -> UnsafeRawBufferPointer? {
        if location.rawValue &>> 32 != number {
            if location.isCompressed { return nil }
            reader.move(&self, to: location)
        }
        let offset = location.offset
        let room = byteCount &- offset
        guard room >= RecordLayout.headerByteCount else { return nil }
        let record = base + offset
        // Kind, flags and the length of the key at once.
        let word = UInt32(
            littleEndian: record.loadUnaligned(
                fromByteOffset: RecordLayout.kind, as: UInt32.self))
        let start = RecordLayout.headerByteCount &+ Int(truncatingIfNeeded: word &>> 16)
        let count = Int(
            UInt32(
                littleEndian: record.loadUnaligned(
                    fromByteOffset: RecordLayout.valueByteCount, as: UInt32.self)))
        guard UInt8(truncatingIfNeeded: word) == RecordKind.put.rawValue, start &+ count <= room
        else { return nil }
        return UnsafeRawBufferPointer(start: record + start, count: count)
    }

    /// Asks for the records at several locations, as `SegmentReader.prefetch(locations:)` does.
    @inlinable @inline(__always)
    public func prefetch(
        locations: UnsafeRawPointer, stride: Int, count: Int, _ reader: SegmentReader
    ) {
        var place = locations
        for _ in 0..<count {
            let location = Location(rawValue: place.loadUnaligned(as: UInt64.self))
            place += stride
            if location.rawValue &>> 32 == number {
                SegmentReader.prefetch(location, base)
            } else {
                reader.prefetch(location)
            }
        }
        if reader.readsFromDevice {
            reader.askDevice(locations: locations, stride: stride, count: count)
        }
    }
}

extension SegmentReader {
    /// Moves a window to the segment of a location; to none if that is not mapped.
    @usableFromInline @inline(never)
    func move(_ window: inout SegmentWindow, to location: Location) {
        let number = location.rawValue &>> 32
        window = SegmentWindow()
        guard let slot = slot(of: number) else { return }
        let identity = slot.pointee.identity.load(ordering: .acquiring)
        guard identity &>> 32 == number,
            let base = UnsafeRawPointer(bitPattern: slot.pointee.base.load(ordering: .relaxed))
        else { return }
        window.number = number
        window.base = base
        window.byteCount = Int(truncatingIfNeeded: identity & 0xffff_ffff)
    }
}
