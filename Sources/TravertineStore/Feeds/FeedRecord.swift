import SegmentLog

/// What is remembered of a feed: one of two blocks in its file.
///
///       0   8  magic "TRVFEED1"
///       8   8  sequence: the block with the higher one counts
///      16  16  store UUID: two u64, low half first
///      32   8  lineage of the segment of the position
///      40   8  LSN of the position; 0 for the beginning of the log
///      48   8  salt of its segment
///      56   4  number of its segment
///      60   4  offset of the batch that ends the transaction
///      64   4  checksum in the header of that batch
///      68   4  state: 0 the snapshot at the position is not acknowledged, 1 it is
///      72   4  why it began with that snapshot: 0 new, 1 fell too far back, 2 other history,
///              3 other types, 4 missed objects
///      76   4  lowest 32 bits of the salt of the segment with the later batch at 112
///      80   8  bytes of log that are kept
///      88   8  seconds for which they are kept
///      96   8  when it was last used, in seconds since 1970
///     104   8  scope: what is followed; 0 for all keys
///     112   8  LSN from which on the log is kept, where nothing between the position above and it
///              shows anything; 0 for the position itself
///     120   4  checksum in the header of the batch there
///     124   4  CRC32C of bytes 0..<124
struct FeedRecord: Equatable {
    static let byteCount = 128
    static let magic: [UInt8] = Array("TRVFEED1".utf8)
    /// Where the two blocks are in the file.
    static let offsets: [UInt64] = [0, 4096]
    /// The size of the file.
    static let fileByteCount = 8192
    /// The byte that the process which reads the feed has locked; after the end of the file.
    static let lockOffset: UInt64 = 1 << 20

    var sequence: UInt64 = 0
    var store: StoreIdentity
    /// What the consumer has acknowledged, or the state that its snapshot shows; nil is the
    /// beginning of the log.
    var place: LogPlace?
    /// A later batch from which on the log is kept: nothing in between shows anything (Y9).
    var passed: Passed?
    /// Whether the consumer has all up to there.
    var hasSnapshot = false
    var reason = FeedSnapshotReason.new
    var maximumByteCount: UInt64
    var maximumSeconds: UInt64
    var lastUse: UInt64
    /// What of the store the consumer follows; 0 for all keys.
    var scope: UInt64

    /// The end of a transaction up to which the log was read, and showed nothing.
    struct Passed: Equatable {
        var lsn: LSN
        var checksum: UInt32
        /// The lowest 32 bits of the salt of its segment.
        var salt: UInt32

        init(lsn: LSN, checksum: UInt32, salt: UInt32) {
            (self.lsn, self.checksum, self.salt) = (lsn, checksum, salt)
        }

        init(_ place: LogPlace) {
            self.init(
                lsn: place.lsn, checksum: place.checksum,
                salt: UInt32(truncatingIfNeeded: place.salt))
        }

        /// Where it is in a log; nil where the log does not have it.
        func place(in log: SegmentLog) throws(LogError) -> LogPlace? {
            guard let place = try log.place(of: lsn, checksum: checksum),
                UInt32(truncatingIfNeeded: place.salt) == salt
            else { return nil }
            return place
        }
    }

    /// The LSN from which on the log is kept.
    var keptLSN: LSN { passed?.lsn ?? place?.lsn ?? .zero }

    /// Whether the consumer was shown something, or has begun to be.
    var hasBegun: Bool { hasSnapshot || place != nil }

    /// The consumer has all up to a place.
    mutating func acknowledge(_ place: LogPlace?, now: UInt64) {
        (self.place, passed, hasSnapshot, lastUse) = (place, nil, true, now)
    }

    /// The consumer gets a snapshot, at a place if one is given.
    mutating func beginAgain(_ reason: FeedSnapshotReason) {
        (passed, hasSnapshot, self.reason) = (nil, false, reason)
    }

    private static let reasons: [FeedSnapshotReason] = [
        .new, .fellBehind, .otherHistory, .otherTypes, .missedObjects,
    ]

    init(
        store: StoreIdentity, place: LogPlace?, _ options: FeedOptions, scope: UInt64, now: UInt64
    ) {
        self.store = store
        self.place = place
        self.scope = scope
        maximumByteCount = UInt64(clamping: max(0, options.maximumByteCount))
        let (seconds, attoseconds) = options.maximumAge.components
        maximumSeconds = UInt64(clamping: seconds) + (attoseconds > 0 ? 1 : 0)
        lastUse = now
    }

    /// The bytes of the block.
    var encoded: [UInt8] {
        var writer = ByteWriter(reservingByteCount: Self.byteCount)
        writer.append(contentsOf: Self.magic)
        writer.append(sequence)
        writer.append(store.uuidLow)
        writer.append(store.uuidHigh)
        writer.append(place?.lineage ?? store.lineage)
        writer.append(place?.lsn.rawValue ?? 0, at: 40)
        writer.append(place?.salt ?? 0)
        writer.append(place?.segment.rawValue ?? 0)
        writer.append(place?.offset ?? 0)
        writer.append(place?.checksum ?? 0)
        writer.append(UInt32(hasSnapshot ? 1 : 0), at: 68)
        writer.append(UInt32(Self.reasons.firstIndex(of: reason) ?? 0))
        writer.append(passed?.salt ?? 0)
        writer.append(maximumByteCount, at: 80)
        writer.append(maximumSeconds)
        writer.append(lastUse)
        writer.append(scope)
        writer.append(passed?.lsn.rawValue ?? 0)
        writer.append(passed?.checksum ?? 0)
        writer.seal(to: Self.byteCount)
        return writer.bytes
    }

    /// Reads a block; nil if it is none that is whole.
    init?(decoding bytes: UnsafeRawBufferPointer) {
        var reader = ByteReader(bytes)
        guard bytes.count == Self.byteCount, BlockChecksum.matches(bytes),
            reader.read(byteCount: 8)?.elementsEqual(Self.magic) == true,
            let sequence = reader.read(UInt64.self), let low = reader.read(UInt64.self),
            let high = reader.read(UInt64.self), let lineage = reader.read(UInt64.self),
            let lsn = reader.read(UInt64.self), let salt = reader.read(UInt64.self),
            let segment = reader.read(UInt32.self), let offset = reader.read(UInt32.self),
            let checksum = reader.read(UInt32.self), let state = reader.read(UInt32.self),
            let reason = reader.read(UInt32.self), let passedSalt = reader.read(UInt32.self),
            let byteCount = reader.read(UInt64.self), let seconds = reader.read(UInt64.self),
            let lastUse = reader.read(UInt64.self), let scope = reader.read(UInt64.self),
            let passedLSN = reader.read(UInt64.self),
            let passedChecksum = reader.read(UInt32.self), state <= 1,
            reason < UInt32(Self.reasons.count), lsn < 1 << 62, passedLSN < 1 << 62,
            sequence < 1 << 62
        else { return nil }
        self.sequence = sequence
        store = StoreIdentity(uuidLow: low, uuidHigh: high, lineage: lineage)
        place =
            lsn == 0
            ? nil
            : LogPlace(
                segment: SegmentNumber(rawValue: segment), salt: salt, lineage: lineage,
                offset: offset, checksum: checksum, lsn: LSN(rawValue: lsn))
        hasSnapshot = state == 1
        self.reason = Self.reasons[Int(reason)]
        maximumByteCount = byteCount
        maximumSeconds = seconds
        self.lastUse = lastUse
        self.scope = scope
        passed =
            passedLSN == 0
            ? nil
            : Passed(
                lsn: LSN(rawValue: passedLSN), checksum: passedChecksum, salt: passedSalt)
    }
}
