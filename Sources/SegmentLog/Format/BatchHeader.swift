import CPlatform

/// The 64 bytes in front of a batch's records.
///
///      0 magic "TRVB"               4
///      4 checksum                   u32   CRC32C of bytes 8 ..< 64, then of each record's header
///      8 LSN                        u64
///     16 salt of the segment        u64
///     24 own offset                 u32
///     28 byte count                 u32   of the whole batch, a multiple of 8
///     32 transaction's first LSN    u64
///     40 durable LSN                u64   as of the writing of this batch
///     48 record count               u32
///     52 flags                      u32   1: last batch of its transaction, 2: compaction
///     56 zero                       u64
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

    package static let byteCount = 64
    /// "TRVB" as a little-endian number.
    package static let magic: UInt32 = 0x4256_5254
    package static let lastFlag: UInt32 = 1
    package static let compactionFlag: UInt32 = 2

    /// True for the batch that completes its transaction.
    package var isLast: Bool { flags & Self.lastFlag != 0 }

    /// Writes the header; the checksum goes on over `recordHeadersChecksum`, the CRC32C of all
    /// record headers one after the other.
    package mutating func encode(
        into target: UnsafeMutableRawPointer, recordHeadersChecksum: UInt32
    ) {
        target.storeBytes(of: Self.magic, toByteOffset: 0, as: UInt32.self)
        target.storeBytes(of: lsn.rawValue, toByteOffset: 8, as: UInt64.self)
        target.storeBytes(of: salt, toByteOffset: 16, as: UInt64.self)
        target.storeBytes(of: offset, toByteOffset: 24, as: UInt32.self)
        target.storeBytes(of: byteCount, toByteOffset: 28, as: UInt32.self)
        target.storeBytes(of: transactionFirstLSN.rawValue, toByteOffset: 32, as: UInt64.self)
        target.storeBytes(of: durableLSN.rawValue, toByteOffset: 40, as: UInt64.self)
        target.storeBytes(of: recordCount, toByteOffset: 48, as: UInt32.self)
        target.storeBytes(of: flags, toByteOffset: 52, as: UInt32.self)
        target.storeBytes(of: 0, toByteOffset: 56, as: UInt64.self)
        let headers = UInt64(recordCount) * UInt64(RecordLayout.headerByteCount)
        checksum = travertine_crc32c_combine(
            travertine_crc32c(0, target + 8, 56), recordHeadersChecksum, headers)
        target.storeBytes(of: checksum, toByteOffset: 4, as: UInt32.self)
    }

    /// Reads the 64 bytes at `source`; nil when the magic is missing. Checks nothing else.
    package init?(decoding source: UnsafeRawPointer) {
        guard source.loadUnaligned(as: UInt32.self) == Self.magic else { return nil }
        checksum = source.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
        lsn = LSN(rawValue: source.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        salt = source.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
        offset = source.loadUnaligned(fromByteOffset: 24, as: UInt32.self)
        byteCount = source.loadUnaligned(fromByteOffset: 28, as: UInt32.self)
        let first = source.loadUnaligned(fromByteOffset: 32, as: UInt64.self)
        transactionFirstLSN = LSN(rawValue: first)
        durableLSN = LSN(rawValue: source.loadUnaligned(fromByteOffset: 40, as: UInt64.self))
        recordCount = source.loadUnaligned(fromByteOffset: 48, as: UInt32.self)
        flags = source.loadUnaligned(fromByteOffset: 52, as: UInt32.self)
    }

    package init(
        lsn: LSN, salt: UInt64, offset: UInt32, byteCount: UInt32, transactionFirstLSN: LSN,
        durableLSN: LSN, recordCount: UInt32, flags: UInt32
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
    }
}
