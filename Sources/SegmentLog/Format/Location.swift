/// Where a record lies: its segment, its offset there, and a hint of its size.
///
///     63          32 31               9 8        0
///     +-------------+------------------+---------+
///     |   segment   |    offset / 8    | size/8  |
///     +-------------+------------------+---------+
///
/// 23 bits of offset make segments of at most 64 MiB. A size of 511 means "511 or more: read the
/// record's header". Segment 0 does not exist: a location there is staged, its offset belongs to
/// the arena of a transaction.
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

    /// The segment that the record is in.
    @inlinable public var segment: SegmentNumber {
        SegmentNumber(rawValue: UInt32(truncatingIfNeeded: rawValue &>> 32))
    }

    /// The offset of the record's first byte in its segment; a multiple of 8.
    @inlinable public var offset: Int {
        Int(truncatingIfNeeded: (rawValue &>> 9) & 0x7f_ffff) &<< 3
    }

    /// The stored size in bytes, padding included; nil when it does not fit the location.
    @inlinable public var sizeHint: Int? {
        let size = Int(truncatingIfNeeded: rawValue & 511)
        return size == 511 ? nil : size &<< 3
    }

    /// True when the location is a place in a transaction's arena and not in a segment.
    @inlinable public var isStaged: Bool { rawValue &>> 32 == 0 }
}

extension Location: CustomStringConvertible {
    /// The segment and the offset.
    public var description: String { "\(segment):\(offset)" }
}
