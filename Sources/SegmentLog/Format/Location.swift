/// Where a record lies: its segment, its offset there, and a hint of its size.
///
///     63 62       32 31               9 8        0
///     +-+-----------+------------------+---------+
///     |c|  segment  |    offset / 8    | size/8  |
///     +-+-----------+------------------+---------+
///
/// 23 bits of offset make segments of at most 64 MiB. A size of 511 means "511 or more: read the
/// record's header". Segment 0 does not exist: a location there is staged, its offset belongs to
/// the arena of a transaction.
///
/// With bit 63 the value is compressed. Then the low 9 bits are the *ordinal* of an entry of a pack
/// (0 for a record whose own value is compressed), and the offset is that of the record plus
/// eight times the ordinal: so every entry has its own place, inside its pack's record. No number
/// that readers compare with the upper half has that bit; they find nothing, and take the slow
/// path.
public struct Location: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
    /// The bits, as they are in the index.
    public var rawValue: UInt64

    /// The location with these bits.
    @inlinable public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// The first bit of the offset ÷ 8; below it are the size ÷ 8, or an ordinal.
    @inlinable static var offsetShift: UInt64 { 9 }
    /// The first bit of the segment's number.
    @inlinable static var segmentShift: UInt64 { offsetShift &+ 23 }
    /// The bit that says that the value is compressed, or in a pack.
    @inlinable static var compressedShift: UInt64 { segmentShift &+ 31 }
    /// The bits of a size ÷ 8, or of an ordinal; the size that stands for all that are not smaller.
    @inlinable static var sizeMask: UInt64 { 1 &<< offsetShift &- 1 }
    @inlinable static var offsetMask: UInt64 { 1 &<< (segmentShift &- offsetShift) &- 1 }
    @inlinable static var segmentMask: UInt64 { 1 &<< (compressedShift &- segmentShift) &- 1 }
    /// log₂ of what sizes and offsets are multiples of (`RecordLayout.alignment`).
    @inlinable static var unitShift: Int { 3 }

    /// The location of a record of `byteCount` stored bytes, padding included.
    @inlinable @inline(__always)
    public init(segment: SegmentNumber, offset: Int, byteCount: Int) {
        let size = UInt64(
            truncatingIfNeeded: min(
                byteCount &>> Location.unitShift, Int(truncatingIfNeeded: Location.sizeMask)))
        let place =
            UInt64(truncatingIfNeeded: offset &>> Location.unitShift) & Location.offsetMask
        rawValue =
            UInt64(segment.rawValue) &<< Location.segmentShift | place &<< Location.offsetShift
            | size
    }

    /// The location of an entry of a pack, or with ordinal 0 of a record whose value is compressed.
    package init(compressedIn segment: SegmentNumber, recordOffset: Int, ordinal: Int = 0) {
        let place =
            UInt64(truncatingIfNeeded: recordOffset &>> Self.unitShift &+ ordinal)
            & Self.offsetMask
        rawValue =
            1 &<< Self.compressedShift | UInt64(segment.rawValue) &<< Self.segmentShift
            | place &<< Self.offsetShift | UInt64(truncatingIfNeeded: ordinal) & Self.sizeMask
    }

    /// The segment that the record is in.
    @inlinable public var segment: SegmentNumber {
        SegmentNumber(
            rawValue: UInt32(
                truncatingIfNeeded: rawValue &>> Location.segmentShift & Location.segmentMask))
    }

    /// The number of the segment, with bit 31 set where the value is compressed or in a pack:
    /// readers of values in place compare it with the numbers of mapped segments, and find none
    /// that has that bit.
    @inlinable @inline(__always)
    public var upperHalf: UInt64 { rawValue &>> Location.segmentShift }

    /// Whether the value there is compressed, or in a pack.
    @inlinable public var isCompressed: Bool { rawValue &>> Location.compressedShift != 0 }

    /// The place of an entry in its pack; 0 where nothing is packed.
    package var ordinal: Int {
        isCompressed ? Int(truncatingIfNeeded: rawValue & Self.sizeMask) : 0
    }

    /// The location of another entry of the same pack.
    package func entry(_ ordinal: Int) -> Location {
        Location(compressedIn: segment, recordOffset: recordOffset, ordinal: ordinal)
    }

    /// The offset of the record itself: of the pack, for an entry of one.
    package var recordOffset: Int { offset - ordinal << Self.unitShift }

    /// The offset of the record's first byte in its segment, plus 8 × `ordinal`; a multiple of 8.
    @inlinable public var offset: Int {
        Int(truncatingIfNeeded: (rawValue &>> Location.offsetShift) & Location.offsetMask)
            &<< Location.unitShift
    }

    /// The stored size in bytes, padding included; nil when it does not fit the location.
    @inlinable public var sizeHint: Int? {
        let size = rawValue & Location.sizeMask
        return size == Location.sizeMask || isCompressed
            ? nil : Int(truncatingIfNeeded: size) &<< Location.unitShift
    }

    /// True when the location is a place in a transaction's arena and not in a segment.
    @inlinable public var isStaged: Bool { upperHalf == 0 }
}

extension Location: CustomStringConvertible {
    /// The segment and the offset.
    public var description: String { "\(segment):\(offset)" }
}
