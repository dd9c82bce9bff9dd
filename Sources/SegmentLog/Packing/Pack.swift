/// The value of a pack: several values of one keyspace that share a record, with their keys.
///
///     0    entry count n          u16   1 to 511
///     2    form of the block      u16   0 LZ4, 1 the values as they are
///     4    directory byte count   u32
///     8    block byte count       u32
///     12   n ends                 u16   where each value ends among the uncompressed values
///          directory                    for each entry, below
///          block                        the values, one after the other, compressed together or
///          not zeros                        so that the record has at least 8 bytes for each entry
///
/// An entry of the directory, numbers as LEB128: bytes that the key shares with the key before,
/// count of the other bytes, these bytes, original LSN minus the one before (zigzag), source
/// location minus the one before (zigzag, both as 64-bit numbers that wrap around).
///
/// An entry counts as a move of a put. One value is had by decompressing the block up to its end,
/// or is read in place.
package struct Pack: BitwiseCopyable {
    private let base: UnsafeRawPointer
    /// The number of entries.
    package let count: Int
    private let directoryByteCount: Int
    private let blockByteCount: Int
    /// Whether the values are as they are, to be read in place.
    package let isPlain: Bool

    /// The most entries of a pack.
    package static let countMax = 511
    /// Where the fields of the header are; the count of entries is the first.
    private static var formOffset: Int { 2 }
    private static var directoryByteCountOffset: Int { formOffset + 2 }
    private static var blockByteCountOffset: Int { directoryByteCountOffset + 4 }
    static var headerByteCount: Int { blockByteCountOffset + 4 }
    /// The bytes of an entry's end among the values.
    static var endByteCount: Int { 2 }
    /// The form of a block whose values are as they are.
    static let plainForm: UInt16 = 1

    /// The pack in a record; nil when the record is none, or its parts do not fit into its value.
    package init?(_ record: RecordPointer) {
        let value = record.value
        guard record.rawKind == RecordKind.pack.rawValue, record.keyByteCount == 0,
            value.count >= Self.headerByteCount, let base = value.baseAddress
        else { return nil }
        self.base = base
        count = Int(base.loadUnaligned(as: UInt16.self))
        let form = base.loadUnaligned(fromByteOffset: Self.formOffset, as: UInt16.self)
        isPlain = form == Self.plainForm
        directoryByteCount = Int(
            base.loadUnaligned(fromByteOffset: Self.directoryByteCountOffset, as: UInt32.self))
        blockByteCount = Int(
            base.loadUnaligned(fromByteOffset: Self.blockByteCountOffset, as: UInt32.self))
        guard form <= Self.plainForm, (1...Self.countMax).contains(count),
            directoryOffset + directoryByteCount + blockByteCount <= value.count,
            record.storedByteCount >= RecordLayout.alignment * count
        else { return nil }
    }

    /// Where a value lies among the uncompressed ones; nil when the pack contradicts itself.
    package func range(of ordinal: Int) -> Range<Int>? {
        guard ordinal >= 0, ordinal < count else { return nil }
        let start = ordinal == 0 ? 0 : end(of: ordinal - 1)
        let end = end(of: ordinal)
        return start <= end ? start..<end : nil
    }

    /// Bytes of all values.
    package var valuesByteCount: Int { end(of: count - 1) }

    private func end(of ordinal: Int) -> Int {
        Int(base.loadUnaligned(fromByteOffset: Self.endOffset(of: ordinal), as: UInt16.self))
    }

    /// Where in a pack the end of a value is.
    static func endOffset(of ordinal: Int) -> Int { headerByteCount + endByteCount * ordinal }

    private var directoryOffset: Int { Self.headerByteCount + Self.endByteCount * count }

    var directory: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: base + directoryOffset, count: directoryByteCount)
    }

    private var block: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: base + (directoryOffset + directoryByteCount), count: blockByteCount)
    }

    /// What reading values in place needs; nil of a compressed pack.
    var plainPart: PlainPart? {
        guard isPlain else { return nil }
        let values = base + (directoryOffset + directoryByteCount)
        return PlainPart(
            ends: base + Self.headerByteCount, values: values, byteCount: blockByteCount,
            count: count)
    }

    /// A value in place; nil if it is compressed, or the pack contradicts itself.
    package func value(_ ordinal: Int) -> UnsafeRawBufferPointer? {
        guard isPlain, let range = range(of: ordinal), range.upperBound <= blockByteCount else {
            return nil
        }
        return UnsafeRawBufferPointer(rebasing: block[range])
    }

    /// Decompresses, or copies, the first `end` bytes of the values; false when the block does not
    /// hold them.
    package func decompress(
        through end: Int, into target: UnsafeMutableRawBufferPointer
    ) -> Bool {
        if !isPlain { return Compression.decompressStart(of: block, byteCount: end, into: target) }
        guard end <= blockByteCount, end <= target.count else { return false }
        target.copyMemory(from: UnsafeRawBufferPointer(rebasing: block[..<end]))
        return true
    }

    /// The part of a pack's stored bytes that counts for an entry; all parts together are the
    /// whole.
    package static func share(
        ofByteCount byteCount: Int, ordinal: Int, count: Int
    ) -> Int {
        byteCount * (ordinal + 1) / count - byteCount * ordinal / count
    }
}

extension RecordPointer {
    /// The stored bytes that count for what is at a location: the record's, or a pack's entry's.
    package func storedByteCount(ofEntryAt location: Location) -> Int {
        guard rawKind == RecordKind.pack.rawValue, let pack = Pack(self) else {
            return storedByteCount
        }
        return Pack.share(
            ofByteCount: storedByteCount, ordinal: min(location.ordinal, pack.count - 1),
            count: pack.count)
    }
}
