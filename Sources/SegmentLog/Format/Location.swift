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
/// (0 for a record with a compressed value of its own), and the offset is that of the record plus
/// eight times the ordinal: so every entry has a place of its own, inside its pack's record. No number
/// that readers compare with the upper half has that bit; they find nothing, and take the slow path.
public struct Location: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
    /// The bits, as they stand in the index.
    public var rawValue: UInt64

    /// The location with these bits.
    @inlinable public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// The location of a record of `byteCount` stored bytes, padding included.
    @inlinable @inline(__always)
    public init(segment: SegmentNumber, offset: Int, byteCount: Int) {
        let size = UInt64(truncatingIfNeeded: min(byteCount &>> 3, 511))
        let place = UInt64(truncatingIfNeeded: offset &>> 3) & 0x7f_ffff
        rawValue = UInt64(segment.rawValue) &<< 32 | place &<< 9 | size
    }

    /// The location of an entry of a pack, or with ordinal 0 of a record whose value is compressed.
    package init(compressedIn segment: SegmentNumber, recordOffset: Int, ordinal: Int = 0) {
        let place = UInt64(truncatingIfNeeded: recordOffset &>> 3 &+ ordinal) & 0x7f_ffff
        rawValue =
            1 &<< 63 | UInt64(segment.rawValue) &<< 32 | place &<< 9
            | UInt64(truncatingIfNeeded: ordinal) & 511
    }

    /// The segment that the record is in.
    @inlinable public var segment: SegmentNumber {
        SegmentNumber(rawValue: UInt32(truncatingIfNeeded: rawValue &>> 32) & 0x7fff_ffff)
    }

    /// Whether the value there has to be decompressed.
    @inlinable public var isCompressed: Bool { rawValue &>> 63 != 0 }

    /// The place of an entry in its pack; 0 where nothing is packed.
    package var ordinal: Int {
        isCompressed ? Int(truncatingIfNeeded: rawValue & 511) : 0
    }

    /// The location of another entry of the same pack.
    package func entry(_ ordinal: Int) -> Location {
        Location(compressedIn: segment, recordOffset: recordOffset, ordinal: ordinal)
    }

    /// The offset of the record itself: of the pack, for an entry of one.
    package var recordOffset: Int { offset - 8 * ordinal }

    /// The offset of the record's first byte in its segment, plus 8 × `ordinal`; a multiple of 8.
    @inlinable public var offset: Int {
        Int(truncatingIfNeeded: (rawValue &>> 9) & 0x7f_ffff) &<< 3
    }

    /// The stored size in bytes, padding included; nil when it does not fit the location.
    @inlinable public var sizeHint: Int? {
        let size = Int(truncatingIfNeeded: rawValue & 511)
        return size == 511 || isCompressed ? nil : size &<< 3
    }

    /// True when the location is a place in a transaction's arena and not in a segment.
    @inlinable public var isStaged: Bool { rawValue &>> 32 == 0 }
}

extension Location: CustomStringConvertible {
    /// The segment and the offset.
    public var description: String { "\(segment):\(offset)" }
}
