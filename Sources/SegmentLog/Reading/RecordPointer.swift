import CLZ4
import CPlatform

/// A record in memory: in a mapped segment, or in the buffer of an open transaction.
///
/// Invariant: `base` points to at least 20 readable bytes, and to all bytes that the lengths in
/// them ask for. The code that makes a value has checked that. Valid while the segment stays
/// mapped, or until the transaction appends again.
///
/// Public only so that reads are inlined into other modules; see `SegmentReader`.
public struct RecordPointer: BitwiseCopyable {
    /// The first byte of the record.
    public let base: UnsafeRawPointer
    /// The record's offset in its segment.
    public let offset: Int

    /// A record at an address; the caller has checked what the type's invariant says.
    @inlinable @inline(__always)
    public init(unsafeBase base: UnsafeRawPointer, offset: Int) {
        self.base = base
        self.offset = offset
    }

    /// The byte of the kind.
    @inlinable public var rawKind: UInt8 {
        base.load(fromByteOffset: RecordLayout.kind, as: UInt8.self)
    }

    /// The kind; a value that no kind has reads as nil.
    @inlinable package var kind: RecordKind? { RecordKind(rawValue: rawKind) }

    /// The keyspace that the key belongs to.
    @inlinable package var keyspace: KeyspaceID {
        KeyspaceID(
            rawValue: base.loadUnaligned(
                fromByteOffset: RecordLayout.keyspace, as: UInt32.self))
    }

    /// Bytes of the key.
    @inlinable public var keyByteCount: Int {
        Int(base.loadUnaligned(fromByteOffset: RecordLayout.keyByteCount, as: UInt16.self))
    }

    /// Stored bytes of the value: compressed, if it is.
    @inlinable public var storedValueByteCount: Int {
        Int(base.loadUnaligned(fromByteOffset: RecordLayout.valueByteCount, as: UInt32.self))
    }

    /// Whether the stored value is compressed.
    @inlinable public var isCompressed: Bool {
        base.load(fromByteOffset: RecordLayout.flags, as: UInt8.self)
            & RecordLayout.compressedFlag != 0
    }

    /// Bytes between the 20-byte header and the key: 16 for moves, else none.
    @inlinable public var extensionByteCount: Int {
        rawKind == RecordKind.move.rawValue || rawKind == RecordKind.tombstoneMove.rawValue
            ? RecordLayout.extensionByteCount : 0
    }

    /// The key in place.
    @inlinable public var key: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: base + (RecordLayout.headerByteCount &+ extensionByteCount),
            count: keyByteCount)
    }

    /// The value as stored: still compressed when `isCompressed`.
    @inlinable public var value: UnsafeRawBufferPointer {
        let start = RecordLayout.headerByteCount &+ extensionByteCount &+ keyByteCount
        return UnsafeRawBufferPointer(start: base + start, count: storedValueByteCount)
    }

    /// Bytes of the record without padding.
    @inlinable public var contentByteCount: Int {
        RecordLayout.headerByteCount &+ extensionByteCount &+ keyByteCount &+ storedValueByteCount
    }

    /// Bytes of the record with padding.
    @inlinable public var storedByteCount: Int { RecordLayout.padded(contentByteCount) }

    /// The distance back to the first byte of the record's batch, as the record says.
    @inlinable var batchDistance: Int {
        Int(base.loadUnaligned(fromByteOffset: RecordLayout.distance, as: UInt32.self))
    }

    /// The offset of the record's batch in its segment, as the record says.
    var batchOffset: Int { offset - batchDistance }

    /// The LSN of the record's batch; nil when the way back to the batch leads nowhere.
    package var lsn: LSN? { batchHeader?.lsn }

    /// The header of the record's batch; nil when the way back to it leads nowhere.
    package var batchHeader: BatchHeader? {
        let distance = batchDistance
        guard distance >= BatchHeader.byteCount,
            distance <= offset - SegmentHeader.byteCount
        else { return nil }
        return BatchHeader(decoding: base - distance)
    }

    /// The LSN that a move's record had first; nil for other kinds.
    package var originalLSN: LSN? {
        guard extensionByteCount != 0 else { return nil }
        return LSN(
            rawValue: base.loadUnaligned(fromByteOffset: RecordLayout.originalLSN, as: UInt64.self))
    }

    /// Where compaction copied a move from; nil for other kinds.
    package var sourceLocation: Location? {
        guard extensionByteCount != 0 else { return nil }
        return Location(
            rawValue: base.loadUnaligned(
                fromByteOffset: RecordLayout.sourceLocation, as: UInt64.self))
    }

    /// True when the record's bytes match its checksum, in a segment of this salt.
    /// Costs about 10 ns for 100 bytes.
    @inlinable public func verify(saltChecksum: UInt32) -> Bool {
        let computed = travertine_crc32c_after_word(
            saltChecksum, UInt64(truncatingIfNeeded: offset), base + RecordLayout.distance,
            contentByteCount &- RecordLayout.distance)
        return computed
            == base.loadUnaligned(fromByteOffset: RecordLayout.checksum, as: UInt32.self)
    }

    /// The length of the value as it was given to `append`.
    package var valueByteCount: Int {
        guard isCompressed else { return storedValueByteCount }
        return Compression.valueByteCount(ofStored: value) ?? 0
    }
}
