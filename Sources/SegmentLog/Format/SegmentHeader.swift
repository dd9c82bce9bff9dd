import CPlatform

/// The first 128 bytes of a segment.
///
///       0 magic "TRVSEGMT"          8
///       8 format version            u32   1; 3 in an encrypted store, before that 2
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
///     112 algorithm                 u32   of the encryption; zero in version 1
///     116 check of the encryption   u64   `SegmentSeal`; in version 2 random, in version 1 zero
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
    /// The algorithm that its batches are encrypted with; nil in version 1, where they are not.
    package var algorithm: UInt32?

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

    /// Where the fields are.
    package enum Offset {
        static var magic: Int { 0 }
        static var formatVersion: Int { magic + 8 }
        static var flags: Int { formatVersion + 4 }
        package static var uuidLow: Int { flags + 4 }
        static var uuidHigh: Int { uuidLow + 8 }
        package static var lineage: Int { uuidHigh + 8 }
        package static var number: Int { lineage + 8 }
        static var zeroAfterNumber: Int { number + 4 }
        static var salt: Int { zeroAfterNumber + 4 }
        static var firstLSN: Int { salt + 8 }
        static var predecessorNumber: Int { firstLSN + 8 }
        static var zeroAfterPredecessor: Int { predecessorNumber + 4 }
        static var predecessorSalt: Int { zeroAfterPredecessor + 4 }
        static var predecessorEnd: Int { predecessorSalt + 8 }
        static var predecessorLastLSN: Int { predecessorEnd + 8 }
        static var segmentByteCount: Int { predecessorLastLSN + 8 }
        package static var durableLSN: Int { segmentByteCount + 8 }
        static var algorithm: Int { durableLSN + 8 }
        static var check: Int { algorithm + 4 }
        static var checksum: Int { check + 8 }
    }

    package static var byteCount: Int { Offset.checksum + 4 }
    package static let formatVersion: UInt32 = 1
    /// The version of segments whose batches are encrypted.
    package static let sealedFormatVersion: UInt32 = 3
    package static let knownFlags: UInt32 = 1
    package static let segmentByteCountMax = 64 << 20
    /// "TRVSEGMT" as a little-endian number.
    package static let magic: UInt64 = 0x544d_4745_5356_5254

    /// Writes the header with its checksum into 128 bytes; of an encrypted segment without its
    /// check.
    package func encode(into target: UnsafeMutableRawBufferPointer) {
        precondition(target.count == Self.byteCount)
        target.initializeMemory(as: UInt8.self, repeating: 0)
        target.storeBytes(of: Self.magic, toByteOffset: Offset.magic, as: UInt64.self)
        target.storeBytes(
            of: algorithm == nil ? Self.formatVersion : Self.sealedFormatVersion,
            toByteOffset: Offset.formatVersion, as: UInt32.self)
        target.storeBytes(of: flags, toByteOffset: Offset.flags, as: UInt32.self)
        target.storeBytes(of: identity.uuidLow, toByteOffset: Offset.uuidLow, as: UInt64.self)
        target.storeBytes(of: identity.uuidHigh, toByteOffset: Offset.uuidHigh, as: UInt64.self)
        target.storeBytes(of: identity.lineage, toByteOffset: Offset.lineage, as: UInt64.self)
        target.storeBytes(of: number.rawValue, toByteOffset: Offset.number, as: UInt32.self)
        target.storeBytes(of: salt, toByteOffset: Offset.salt, as: UInt64.self)
        target.storeBytes(of: firstLSN.rawValue, toByteOffset: Offset.firstLSN, as: UInt64.self)
        target.storeBytes(
            of: predecessor.number.rawValue, toByteOffset: Offset.predecessorNumber,
            as: UInt32.self)
        target.storeBytes(
            of: predecessor.salt, toByteOffset: Offset.predecessorSalt, as: UInt64.self)
        target.storeBytes(
            of: predecessor.endOffset, toByteOffset: Offset.predecessorEnd, as: UInt64.self)
        target.storeBytes(
            of: predecessor.lastLSN.rawValue, toByteOffset: Offset.predecessorLastLSN,
            as: UInt64.self)
        target.storeBytes(
            of: segmentByteCount, toByteOffset: Offset.segmentByteCount, as: UInt64.self)
        target.storeBytes(
            of: durableLSN.rawValue, toByteOffset: Offset.durableLSN, as: UInt64.self)
        target.storeBytes(
            of: algorithm ?? 0, toByteOffset: Offset.algorithm, as: UInt32.self)
        Self.storeChecksum(in: target)
    }

    /// Writes the checksum of a header after it.
    package static func storeChecksum(in target: UnsafeMutableRawBufferPointer) {
        let checksum = travertine_crc32c(0, target.baseAddress, Offset.checksum)
        target.storeBytes(of: checksum, toByteOffset: Offset.checksum, as: UInt32.self)
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
        guard word(Offset.magic) == magic else {
            return .damaged("the segment header has no magic")
        }
        guard travertine_crc32c(0, base, Offset.checksum) == half(Offset.checksum) else {
            return .damaged("the checksum of the segment header does not match")
        }
        let version = half(Offset.formatVersion)
        guard version != 0 else { return .damaged("the segment header has format version 0") }
        guard version <= sealedFormatVersion else { return .newerFormat(version) }
        let header = SegmentHeader(
            flags: half(Offset.flags),
            identity: StoreIdentity(
                uuidLow: word(Offset.uuidLow), uuidHigh: word(Offset.uuidHigh),
                lineage: word(Offset.lineage)),
            number: SegmentNumber(rawValue: half(Offset.number)), salt: word(Offset.salt),
            firstLSN: LSN(rawValue: word(Offset.firstLSN)),
            predecessor: Predecessor(
                number: SegmentNumber(rawValue: half(Offset.predecessorNumber)),
                salt: word(Offset.predecessorSalt), endOffset: word(Offset.predecessorEnd),
                lastLSN: LSN(rawValue: word(Offset.predecessorLastLSN))),
            segmentByteCount: word(Offset.segmentByteCount),
            durableLSN: LSN(rawValue: word(Offset.durableLSN)),
            algorithm: version == formatVersion ? nil : half(Offset.algorithm))
        if let reason = header.impossibility { return .damaged(reason) }
        return .header(header)
    }

    /// Why no segment can have this header; nil if one can. Checked before a header is written and
    /// after one is read.
    var impossibility: String? {
        if flags & ~Self.knownFlags != 0 {
            return "the segment header has unknown flags \(flags)"
        }
        if segmentByteCount < UInt64(Self.byteCount)
            || segmentByteCount > UInt64(Self.segmentByteCountMax) || salt == 0
        {
            return "the segment header has an impossible size or salt"
        }
        if number == .none || number > .maximum || predecessor.number >= number {
            return "the segment header has impossible segment numbers"
        }
        return nil
    }

    /// Reads the first bytes of a segment file.
    package static func read(from file: File) throws(FileSystemError) -> Decoded {
        let bytes = UnsafeMutableRawBufferPointer.allocate(
            byteCount: byteCount, alignment: RecordLayout.alignment)
        defer { bytes.deallocate() }
        let count = try file.read(into: bytes, at: 0)
        return decode(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
    }

    /// The checksum that every record of this segment begins with.
    package var saltChecksum: UInt32 {
        Self.checksum(ofSalt: salt)
    }

    /// The checksum that every record of a segment with this salt begins with.
    static func checksum(ofSalt salt: UInt64) -> UInt32 {
        withUnsafeBytes(of: salt.littleEndian) { travertine_crc32c(0, $0.baseAddress, $0.count) }
    }
}
