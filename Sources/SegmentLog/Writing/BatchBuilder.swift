import CPlatform

/// The batch that is being built, in one buffer: the writer's hot state.
///
///     base                base + count                       base + limit
///     | batch header | record | record | ...  free          |
///
/// 1. While `count` is 0 there is no batch, and `limit` is 0, so that the next append takes the
///    slow path.
/// 2. Otherwise the batch begins at `segmentOffset` of the active segment, and a record may be
///    appended when it ends at or before `limit`; the segment has room for all of it.
/// 3. Bytes 8 ..< 16 of the buffer are the batch's LSN already, so that a pending record finds it.
@usableFromInline
package struct BatchBuilder: BitwiseCopyable {
    @usableFromInline package let base: UnsafeMutableRawPointer
    @usableFromInline package var count: Int = 0
    @usableFromInline package var limit: Int = 0
    @usableFromInline package var segmentOffset: Int = 0
    @usableFromInline package var segment: UInt32 = 0
    /// The CRC32C of the segment's salt.
    @usableFromInline package var saltChecksum: UInt32 = 0
    /// The CRC32C of all record headers so far, one after the other.
    @usableFromInline package var headersChecksum: UInt32 = 0
    @usableFromInline package var recordCount: UInt32 = 0
    /// A bit for each kind that the transaction has appended.
    @usableFromInline package var kinds: UInt32 = 0

    /// The buffer's size: no batch is larger than a segment. Untouched pages cost nothing.
    static let capacity = SegmentHeader.segmentByteCountMax

    /// No batch, and no buffer yet.
    init() { base = UnsafeMutableRawPointer(bitPattern: 4096).unsafelyUnwrapped }

    /// A buffer of `capacity` bytes, which its owner frees.
    init(base: UnsafeMutableRawPointer) { self.base = base }

    /// Encodes a record at the end of the batch.
    ///
    /// The caller has checked that `byteCount`, the padded size, fits below `limit`.
    @inline(__always)
    package mutating func encode(
        kind: RecordKind, flags: UInt8, keyspace: KeyspaceID, key: UnsafeRawBufferPointer,
        value: UnsafeRawBufferPointer, byteCount: Int
    ) -> Location {
        let start = base + count
        Self.clearPadding(start, byteCount: byteCount)
        storeHeader(
            start, kind: kind, flags: flags, keyspace: keyspace, keyByteCount: key.count,
            valueByteCount: value.count)
        let keyStart = start + RecordLayout.headerByteCount
        if let source = key.baseAddress { keyStart.copyMemory(from: source, byteCount: key.count) }
        if let source = value.baseAddress {
            (keyStart + key.count).copyMemory(from: source, byteCount: value.count)
        }
        return seal(
            start,
            contentByteCount: RecordLayout.contentByteCount(
                key: key.count, value: value.count, isMove: false), byteCount: byteCount)
    }

    /// Clears the last bytes of a record, which are padding as far as nothing else is written
    /// there.
    @inline(__always)
    package static func clearPadding(_ start: UnsafeMutableRawPointer, byteCount: Int) {
        (start + (byteCount &- RecordLayout.alignment)).storeBytes(of: 0, as: UInt64.self)
    }

    /// Writes what follows the checksum in a record's header.
    @inline(__always)
    package func storeHeader(
        _ start: UnsafeMutableRawPointer, kind: RecordKind, flags: UInt8, keyspace: KeyspaceID,
        keyByteCount: Int, valueByteCount: Int
    ) {
        start.storeBytes(
            of: UInt32(truncatingIfNeeded: count), toByteOffset: RecordLayout.distance,
            as: UInt32.self)
        let lengths = UInt64(truncatingIfNeeded: keyByteCount) &<< 16
        let word =
            UInt64(kind.rawValue) | UInt64(flags) &<< 8 | lengths | UInt64(keyspace.rawValue) &<< 32
        start.storeBytes(of: word, toByteOffset: RecordLayout.kind, as: UInt64.self)
        start.storeBytes(
            of: UInt32(truncatingIfNeeded: valueByteCount),
            toByteOffset: RecordLayout.valueByteCount, as: UInt32.self)
    }

    /// Adds the checksums of a record whose other bytes are in place, and counts it.
    @inline(__always)
    package mutating func seal(
        _ start: UnsafeMutableRawPointer, contentByteCount: Int, byteCount: Int
    ) -> Location {
        assert(count >= BatchHeader.byteCount && count &+ byteCount <= limit, "there is no room")
        assert(byteCount == RecordLayout.padded(contentByteCount), "a record has another size")
        let offset = segmentOffset &+ count
        let checksum = travertine_crc32c_after_word(
            saltChecksum, UInt64(truncatingIfNeeded: offset), start + RecordLayout.distance,
            contentByteCount &- RecordLayout.distance)
        start.storeBytes(of: checksum, toByteOffset: RecordLayout.checksum, as: UInt32.self)
        headersChecksum = travertine_crc32c(
            headersChecksum, start, RecordLayout.headerByteCount)
        recordCount &+= 1
        count &+= byteCount
        return Location(
            segment: SegmentNumber(rawValue: segment), offset: offset, byteCount: byteCount)
    }

    /// Drops the batch, as if it had never begun.
    mutating func drop() {
        count = 0
        limit = 0
        recordCount = 0
        headersChecksum = 0
    }
}
