import CPlatform

/// The 64 bytes in front of a batch's records.
///
///      0 magic "TRVB"               4
///      4 checksum                   u32   CRC32C of bytes 8 ..< 64, then of each record's header;
///                                         of a sealed batch without the headers
///      8 LSN                        u64
///     16 salt of the segment        u64
///     24 own offset                 u32
///     28 byte count                 u32   of the whole batch, a multiple of 8
///     32 transaction's first LSN    u64
///     40 durable LSN                u64   as of the writing of this batch
///     48 record count               u32
///     52 flags                      u32   1: last batch of its transaction, 2: compaction
///     56 activation                 u64   random, of the opening of the segment for writing under
///                                         which the batch was sealed; zero: it is not sealed
@usableFromInline
package struct BatchHeader: Equatable, Sendable, BitwiseCopyable {
    package var checksum: UInt32
    package var lsn: LSN
    package var salt: UInt64
    package var offset: UInt32
    package var byteCount: UInt32
    package var transactionFirstLSN: LSN
    package var durableLSN: LSN
    package var recordCount: UInt32
    package var flags: UInt32
    /// Which opening of its segment sealed the batch; 0: it is not sealed.
    package var activation: UInt64 = 0

    /// Where the fields are.
    @usableFromInline enum Offset {
        @inlinable static var magic: Int { 0 }
        @inlinable static var checksum: Int { magic &+ 4 }
        /// The first byte that the checksum covers.
        @inlinable static var lsn: Int { checksum &+ 4 }
        @inlinable static var salt: Int { lsn &+ 8 }
        @inlinable static var offset: Int { salt &+ 8 }
        @inlinable static var byteCount: Int { offset &+ 4 }
        @inlinable static var transactionFirstLSN: Int { byteCount &+ 4 }
        @inlinable static var durableLSN: Int { transactionFirstLSN &+ 8 }
        @inlinable static var recordCount: Int { durableLSN &+ 8 }
        @inlinable static var flags: Int { recordCount &+ 4 }
        @inlinable static var activation: Int { flags &+ 4 }
        @inlinable static var end: Int { activation &+ 8 }
    }

    @inlinable package static var byteCount: Int { Offset.end }
    /// "TRVB" as a little-endian number.
    package static let magic: UInt32 = 0x4256_5254
    package static let lastFlag: UInt32 = 1
    package static let compactionFlag: UInt32 = 2
    static let knownFlags = lastFlag | compactionFlag

    /// Whether the batch is encrypted in its file; tags are its last bytes then (`BatchSeal`).
    package var isSealed: Bool { activation != 0 }

    /// The bytes of the batch before the tags: the header and the records.
    var contentByteCount: Int {
        guard isSealed else { return Int(byteCount) }
        let seal = BatchSeal(start: Int(offset), byteCount: Int(byteCount))
        return seal.map { $0.contentEnd - $0.start } ?? BatchHeader.byteCount
    }

    /// True for the batch that completes its transaction.
    package var isLast: Bool { flags & Self.lastFlag != 0 }

    /// Writes the header; the checksum goes on over `recordHeadersChecksum`, the CRC32C of all
    /// record headers one after the other. That of a sealed batch says nothing of its records.
    package mutating func encode(
        into target: UnsafeMutableRawPointer, recordHeadersChecksum: UInt32
    ) {
        target.storeBytes(of: Self.magic, toByteOffset: Offset.magic, as: UInt32.self)
        target.storeBytes(of: lsn.rawValue, toByteOffset: Offset.lsn, as: UInt64.self)
        target.storeBytes(of: salt, toByteOffset: Offset.salt, as: UInt64.self)
        target.storeBytes(of: offset, toByteOffset: Offset.offset, as: UInt32.self)
        target.storeBytes(of: byteCount, toByteOffset: Offset.byteCount, as: UInt32.self)
        target.storeBytes(
            of: transactionFirstLSN.rawValue, toByteOffset: Offset.transactionFirstLSN,
            as: UInt64.self)
        target.storeBytes(
            of: durableLSN.rawValue, toByteOffset: Offset.durableLSN, as: UInt64.self)
        target.storeBytes(of: recordCount, toByteOffset: Offset.recordCount, as: UInt32.self)
        target.storeBytes(of: flags, toByteOffset: Offset.flags, as: UInt32.self)
        target.storeBytes(of: activation, toByteOffset: Offset.activation, as: UInt64.self)
        checksum = Self.ownChecksum(target)
        if !isSealed {
            let headers = UInt64(recordCount) * UInt64(RecordLayout.headerByteCount)
            checksum = travertine_crc32c_combine(checksum, recordHeadersChecksum, headers)
        }
        target.storeBytes(of: checksum, toByteOffset: Offset.checksum, as: UInt32.self)
    }

    /// The checksum of a header's own bytes, which that of its batch continues over the headers of
    /// the records.
    static func ownChecksum(_ source: UnsafeRawPointer) -> UInt32 {
        travertine_crc32c(0, source + Offset.lsn, Offset.end - Offset.lsn)
    }

    /// Writes what the records of a batch that is being built find before its header is complete.
    static func begin(at target: UnsafeMutableRawPointer, lsn: LSN) {
        target.storeBytes(of: magic, toByteOffset: Offset.magic, as: UInt32.self)
        target.storeBytes(of: lsn.rawValue, toByteOffset: Offset.lsn, as: UInt64.self)
    }

    /// Whether the magic of a header is here.
    static func hasMagic(_ source: UnsafeRawPointer) -> Bool {
        source.loadUnaligned(fromByteOffset: Offset.magic, as: UInt32.self) == magic
    }

    /// Why no batch of any segment can have this header; nil if one can. Checked before a batch is
    /// written and after one is read.
    var impossibility: String? {
        let (offset, count) = (Int(offset), Int(byteCount))
        if count < Self.byteCount || count % RecordLayout.alignment != 0
            || offset + count > SegmentHeader.segmentByteCountMax
        {
            return "the batch has the impossible length \(count)"
        }
        if isSealed, BatchSeal(start: offset, byteCount: count) == nil {
            return "the batch has the impossible sealed length \(count)"
        }
        if offset < SegmentHeader.byteCount || offset % RecordLayout.alignment != 0 {
            return "the batch has the impossible offset \(offset)"
        }
        if Int(recordCount) > count / RecordLayout.byteCountMin {
            return "the batch has too many records"
        }
        if flags & ~Self.knownFlags != 0 { return "the batch has unknown flags \(flags)" }
        if transactionFirstLSN > lsn || transactionFirstLSN == .zero {
            return "the batch has an impossible transaction"
        }
        return salt == 0 ? "the batch has no salt" : nil
    }

    /// Reads the 64 bytes at `source`; nil when the magic is missing. Checks nothing else.
    package init?(decoding source: UnsafeRawPointer) {
        guard Self.hasMagic(source) else { return nil }
        func word(_ offset: Int) -> UInt64 {
            source.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        }
        func half(_ offset: Int) -> UInt32 {
            source.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
        }
        checksum = half(Offset.checksum)
        lsn = LSN(rawValue: word(Offset.lsn))
        salt = word(Offset.salt)
        offset = half(Offset.offset)
        byteCount = half(Offset.byteCount)
        transactionFirstLSN = LSN(rawValue: word(Offset.transactionFirstLSN))
        durableLSN = LSN(rawValue: word(Offset.durableLSN))
        recordCount = half(Offset.recordCount)
        flags = half(Offset.flags)
        activation = word(Offset.activation)
    }

    package init(
        lsn: LSN, salt: UInt64, offset: UInt32, byteCount: UInt32, transactionFirstLSN: LSN,
        durableLSN: LSN, recordCount: UInt32, flags: UInt32, activation: UInt64 = 0
    ) {
        checksum = 0
        self.lsn = lsn
        self.salt = salt
        self.offset = offset
        self.byteCount = byteCount
        self.transactionFirstLSN = transactionFirstLSN
        self.durableLSN = durableLSN
        self.recordCount = recordCount
        self.flags = flags
        self.activation = activation
    }
}
