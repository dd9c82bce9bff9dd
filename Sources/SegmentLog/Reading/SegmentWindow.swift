import CPlatform

/// The mapped segment in which a scan found a record last: those that follow mostly lie there too.
///
/// Of a scan whose reads are checked it shows not the segment but a batch of it that is whole
/// (`WholeMarks`), so that its records need no look at all.
///
/// A scan's own; valid as long as what keeps its records. Public only so that reads are inlined
/// into other modules; see `SegmentReader`.
public struct SegmentWindow: BitwiseCopyable {
    /// The number in the upper half of a location; no location has that of the empty window.
    @usableFromInline var number = UInt64.max
    @usableFromInline var base: UnsafeRawPointer
    /// What is shown: offsets in the segment.
    @usableFromInline var start = 0
    @usableFromInline var end = 0
    /// Whether only what is whole is shown.
    @usableFromInline let isChecked: Bool
    /// Of checked reads: where the last record lay that was not shown, and how many there were.
    @usableFromInline var lastMissed = UInt64.max
    @usableFromInline var missCount = 0
    /// The batch that turned out not to be whole last: its records are verified one by one.
    @usableFromInline var brokenBatch = UInt64.max

    /// No segment.
    @inlinable
    public init(isChecked: Bool = false) {
        base = UnsafeRawPointer(bitPattern: 8).unsafelyUnwrapped
        self.isChecked = isChecked
    }

    /// The value of a plain put at a location, its lengths checked against the end of what is
    /// shown; nil for all else, which is for `SegmentReader.mappedValue(at:)`.
    @inlinable @inline(__always)
    public mutating func value(
        at location: Location, _ reader: SegmentReader
    ) -> UnsafeRawBufferPointer? {
        var offset = location.offset
        if location.upperHalf != number || isChecked && (offset < start || offset >= end) {
            if location.isCompressed { return nil }
            reader.move(&self, to: location)
            offset = location.offset
        }
        let room = end &- offset
        guard room >= RecordLayout.headerByteCount else { return nil }
        let record = base + offset
        // Kind, flags and the length of the key at once.
        let word = UInt32(
            littleEndian: record.loadUnaligned(
                fromByteOffset: RecordLayout.kind, as: UInt32.self))
        let valueStart = RecordLayout.headerByteCount &+ Int(truncatingIfNeeded: word &>> 16)
        let count = Int(
            UInt32(
                littleEndian: record.loadUnaligned(
                    fromByteOffset: RecordLayout.valueByteCount, as: UInt32.self)))
        guard UInt8(truncatingIfNeeded: word) == RecordKind.put.rawValue,
            valueStart &+ count <= room
        else { return nil }
        return UnsafeRawBufferPointer(start: record + valueStart, count: count)
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
            if location.upperHalf == number {
                SegmentReader.prefetch(location, base)
            } else {
                reader.prefetch(location)
            }
        }
        if reader.readsFromDevice {
            reader.askDevice(locations: locations, stride: stride, count: count)
        }
    }

    /// Shows a part of a segment from now on.
    mutating func show(
        _ number: UInt64, _ base: UnsafeRawPointer, from start: Int, to end: Int
    ) {
        self.number = number
        self.base = base
        self.start = start
        self.end = end
    }

    /// Notes that a record was not shown. True if it lies close after the one before, as in a scan
    /// of what was written in the order of its keys.
    fileprivate mutating func miss(_ location: Location) -> Bool {
        let before = lastMissed
        lastMissed = location.rawValue
        missCount += 1
        let last = Location(rawValue: before)
        let distance = location.offset &- last.offset
        return last.upperHalf == location.upperHalf && distance > 0
            && distance <= Self.nearByteCount
    }

    /// Whether so many records were not shown that a long batch is worth being verified as a whole.
    fileprivate var isLongScan: Bool { missCount > Self.fewCount }

    private static var nearByteCount: Int { 4096 }
    private static var fewCount: Int { 64 }
}

extension SegmentReader {
    /// Moves a window to the segment of a location; to none if that is not mapped, or, of checked
    /// reads, not known to be whole.
    @usableFromInline @inline(never)
    func move(_ window: inout SegmentWindow, to location: Location) {
        let number = location.upperHalf
        window.show(.max, window.base, from: 0, to: 0)
        if window.isChecked {
            guard window.miss(location) else { return }
            let isLong = window.isLongScan
            moveChecked(&window, to: location, verifiesLong: isLong)
            return
        }
        guard let segment = mapped(number) else { return }
        window.show(number, segment.base, from: 0, to: segment.byteCount)
    }
}
