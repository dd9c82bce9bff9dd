import CPlatform

/// The first 128 bytes of a segment.
///
///       0 magic "TRVSEGMT"          8
///       8 format version            u32   1
///      12 flags                     u32   written as 0; bit 0 is accepted
///      16 store UUID                16
///      32 lineage                   u64
///      40 segment number            u32
///      44 zero                      u32
///      48 salt                      u64   random, never zero
///      56 first LSN                 u64   the LSN that its first batch has
///      64 predecessor number        u32   zero: none
///      68 zero                      u32
///      72 predecessor salt          u64
///      80 predecessor end offset    u64
///      88 predecessor last LSN      u64
///      96 segment byte count        u64   the allocated size
///     104 durable LSN               u64   as of the segment's creation
///     112 zero                      12
///     124 checksum                  u32   CRC32C of bytes 0 ..< 124
///
/// A header of 128 zeros marks a prepared spare, which holds nothing.
package struct SegmentHeader: Equatable, Sendable {
    package var flags: UInt32 = 0
    package var identity: StoreIdentity
    package var number: SegmentNumber
    package var salt: UInt64
    package var firstLSN: LSN
    package var predecessor: Predecessor
    package var segmentByteCount: UInt64
    package var durableLSN: LSN

    /// The segment that the log came from, and how far it counts.
    package struct Predecessor: Hashable, Sendable {
        package var number: SegmentNumber
        package var salt: UInt64
        package var endOffset: UInt64
        package var lastLSN: LSN

        /// The predecessor of a log's first segment.
        package static var none: Predecessor {
            Predecessor(number: .none, salt: 0, endOffset: 0, lastLSN: .zero)
        }
    }

    package static let byteCount = 128
    package static let formatVersion: UInt32 = 1
    package static let knownFlags: UInt32 = 1
    package static let segmentByteCountMax = 64 << 20
    /// "TRVSEGMT" as a little-endian number.
    package static let magic: UInt64 = 0x544d_4745_5356_5254

    /// Writes the header with its checksum into 128 bytes.
    package func encode(into target: UnsafeMutableRawBufferPointer) {
        precondition(target.count == Self.byteCount)
        target.initializeMemory(as: UInt8.self, repeating: 0)
        target.storeBytes(of: Self.magic, toByteOffset: 0, as: UInt64.self)
        target.storeBytes(of: Self.formatVersion, toByteOffset: 8, as: UInt32.self)
        target.storeBytes(of: flags, toByteOffset: 12, as: UInt32.self)
        target.storeBytes(of: identity.uuidLow, toByteOffset: 16, as: UInt64.self)
        target.storeBytes(of: identity.uuidHigh, toByteOffset: 24, as: UInt64.self)
        target.storeBytes(of: identity.lineage, toByteOffset: 32, as: UInt64.self)
        target.storeBytes(of: number.rawValue, toByteOffset: 40, as: UInt32.self)
        target.storeBytes(of: salt, toByteOffset: 48, as: UInt64.self)
        target.storeBytes(of: firstLSN.rawValue, toByteOffset: 56, as: UInt64.self)
        target.storeBytes(of: predecessor.number.rawValue, toByteOffset: 64, as: UInt32.self)
        target.storeBytes(of: predecessor.salt, toByteOffset: 72, as: UInt64.self)
        target.storeBytes(of: predecessor.endOffset, toByteOffset: 80, as: UInt64.self)
        target.storeBytes(of: predecessor.lastLSN.rawValue, toByteOffset: 88, as: UInt64.self)
        target.storeBytes(of: segmentByteCount, toByteOffset: 96, as: UInt64.self)
        target.storeBytes(of: durableLSN.rawValue, toByteOffset: 104, as: UInt64.self)
        let checksum = travertine_crc32c(0, target.baseAddress, 124)
        target.storeBytes(of: checksum, toByteOffset: 124, as: UInt32.self)
    }
}

extension SegmentHeader {
    /// What the first 128 bytes of a segment file turn out to be.
    package enum Decoded: Equatable {
        case header(SegmentHeader)
        /// All zero: a prepared spare.
        case spare
        /// A header of a format that this code does not know.
        case newerFormat(UInt32)
        case damaged(String)
    }

    /// Reads a header. Never traps, whatever the bytes are.
    package static func decode(_ source: UnsafeRawBufferPointer) -> Decoded {
        guard source.count >= byteCount, let base = source.baseAddress else {
            return source.contains(where: { $0 != 0 })
                ? .damaged("the file ends inside the segment header") : .spare
        }
        if !source[0..<byteCount].contains(where: { $0 != 0 }) { return .spare }
        func word(_ offset: Int) -> UInt64 {
            base.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        }
        func half(_ offset: Int) -> UInt32 {
            base.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
        }
        guard word(0) == magic else { return .damaged("the segment header has no magic") }
        guard travertine_crc32c(0, base, 124) == half(124) else {
            return .damaged("the checksum of the segment header does not match")
        }
        guard half(8) != 0 else { return .damaged("the segment header has format version 0") }
        guard half(8) == formatVersion else { return .newerFormat(half(8)) }
        guard half(12) & ~knownFlags == 0 else {
            return .damaged("the segment header has unknown flags \(half(12))")
        }
        let header = SegmentHeader(
            flags: half(12),
            identity: StoreIdentity(uuidLow: word(16), uuidHigh: word(24), lineage: word(32)),
            number: SegmentNumber(rawValue: half(40)), salt: word(48),
            firstLSN: LSN(rawValue: word(56)),
            predecessor: Predecessor(
                number: SegmentNumber(rawValue: half(64)), salt: word(72), endOffset: word(80),
                lastLSN: LSN(rawValue: word(88))),
            segmentByteCount: word(96), durableLSN: LSN(rawValue: word(104)))
        guard header.segmentByteCount >= UInt64(byteCount),
            header.segmentByteCount <= UInt64(segmentByteCountMax), header.salt != 0
        else { return .damaged("the segment header has an impossible size or salt") }
        guard header.number != .none, header.number <= .maximum,
            header.predecessor.number < header.number
        else { return .damaged("the segment header has impossible segment numbers") }
        return .header(header)
    }

    /// The checksum that every record of this segment begins with.
    package var saltChecksum: UInt32 {
        withUnsafeBytes(of: salt.littleEndian) { travertine_crc32c(0, $0.baseAddress, 8) }
    }
}
