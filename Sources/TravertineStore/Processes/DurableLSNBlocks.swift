import Locks
import SegmentLog

/// The durable LSN that the writer of a store publishes for readers in other processes: four blocks
/// in the file `lock`, around the slots of `ReaderTable`.
///
///     256  8  magic "TRVREADR"
///     264  8  lineage of the store
///     272  8  durable LSN: nothing up to here is missing
///     280  4  CRC32C of bytes 256..<280
///     320 28  as at 256
///     8704, 9216    twice as at 256: a durable LSN that a power cut does not take back
///
/// With every sync one of the first two is written, the one that says less, so that a disk that
/// takes only a part of it does not undo what the other says. They are not synced: a power cut may
/// tear both. Of the last two one at a time is written, the one that says less, and synced.
final class DurableLSNBlocks: @unchecked Sendable {
    private static let magic: UInt64 = 0x5244_4145_5256_5254
    /// In the first sector, after the text, which is shorter.
    private static let firstStateOffset: UInt64 = 256
    private static let stateOffsets = [firstStateOffset, firstStateOffset + 64]
    private static let firstSettledOffset = ReaderTable.slotsEnd
    private static let settledOffsets = [
        firstSettledOffset, firstSettledOffset + ReaderTable.sectorByteCount,
    ]

    /// Where each field of a block begins.
    private enum BlockOffset {
        static let magic = 0
        static let lineage = magic + 8
        static let lsn = lineage + 8
        static let checksum = lsn + 8
        static let end = checksum + BlockChecksum.byteCount
    }

    /// How far the LSN that readers see is durable.
    private struct Settlement {
        var lsn = LSN.zero
        var syncFailure: StoreError?
    }

    /// What a block says.
    private enum Block: Equatable {
        /// Nothing was written, or what is there is not whole.
        case unwritten, torn
        /// It names another lineage: it says nothing of this one.
        case foreign
        case lsn(LSN)

        var lsn: LSN { if case .lsn(let lsn) = self { lsn } else { .zero } }
        var isWhole: Bool { self != .unwritten && self != .torn }
    }

    private let file: File
    private let lineage: Locked<UInt64>
    private let settlement = Locked(Settlement())
    /// Which of the two blocks is written next; nil before the first.
    private let nextState = Locked<Int?>(nil)

    /// The blocks in an open file, which the caller closes.
    init(_ file: File, lineage: UInt64) {
        self.file = file
        self.lineage = Locked(lineage)
    }

    /// Whether a file that begins so has a block that a writer publishes its LSN in.
    static func hasBlock(_ bytes: [UInt8]) -> Bool {
        stateOffsets.contains { offset in
            let place = Int(offset)
            guard bytes.count >= place + BlockOffset.lineage else { return false }
            return bytes.withUnsafeBytes {
                UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: place, as: UInt64.self))
            } == magic
        }
    }

    /// A writer begins: readers see its durable LSN, and nothing after it that a later
    /// state of the store, in whose place this one was put, may have left.
    ///
    /// Such a block must not come back: what this writer is going to write would look damaged
    /// beside it (`LockEvidence`). The blocks that will be made durable get their place on the
    /// disk now: on a full one nothing could be given back otherwise. What else fails here, later
    /// calls try again.
    func begin(at lsn: LSN) throws(StoreError) {
        try forgetLater(than: lsn)
        for offset in Self.stateOffsets + Self.settledOffsets {
            _ = capture { () throws(StoreError) in
                let block = try readBlock(at: offset)
                if block == .unwritten, Self.settledOffsets.contains(offset) { try clear(offset) }
            }
        }
        publish(lsn)
    }

    /// Overwrites, durably, each block that says more than an LSN.
    private func forgetLater(than lsn: LSN) throws(StoreError) {
        var hasWritten = false
        for offset in Self.stateOffsets + Self.settledOffsets
        where saysMore(than: lsn, at: offset) {
            try write(lsn, at: offset)
            hasWritten = true
        }
        guard hasWritten else { return }
        do throws(FileSystemError) {
            try file.sync()
        } catch {
            throw StoreError(error)
        }
    }

    /// Whether a block says more than an LSN; one that can't be read may.
    private func saysMore(than lsn: LSN, at offset: UInt64) -> Bool {
        let block = capture { () throws(StoreError) in try readBlock(at: offset) }
        guard case .success(let block) = block else { return true }
        return block.lsn > lsn
    }

    private func clear(_ offset: UInt64) throws(StoreError) {
        let zeros = [UInt8](repeating: 0, count: BlockOffset.end)
        do throws(FileSystemError) {
            try zeros.withBytes { (bytes) throws(FileSystemError) in
                try file.write(bytes, at: offset)
            }
        } catch {
            throw StoreError(error)
        }
    }

    /// Publishes for readers that everything up to an LSN is durable.
    ///
    /// A failure that lasts keeps readers where they are until the next commit, and harms nothing
    /// else.
    func publish(_ lsn: LSN) {
        // Once more after a passing error: nothing is published until the next commit.
        for _ in 0..<2 {
            let announced = capture { () throws(StoreError) in try announce(lsn) }
            if case .success = announced { return }
        }
    }

    private func announce(_ lsn: LSN) throws(StoreError) {
        try nextState.withLock { (next) throws(StoreError) in
            if next == nil { next = try lesserBlock(of: Self.stateOffsets) }
            let place = next ?? 0
            try write(lsn, at: Self.stateOffsets[place])
            next = 1 - place
        }
    }

    /// Which of two blocks is to be overwritten: that which says less, or nothing, or more than is
    /// so.
    private func lesserBlock(
        of offsets: [UInt64], durableLSN: LSN? = nil
    ) throws(StoreError) -> Int {
        let first = try readBlock(at: offsets[0]).lsn
        let second = try readBlock(at: offsets[1]).lsn
        if let durableLSN, max(first, second) > durableLSN { return first > second ? 0 : 1 }
        return first <= second ? 0 : 1
    }

    private func write(_ lsn: LSN, at offset: UInt64) throws(StoreError) {
        var writer = ByteWriter(reservingByteCount: BlockOffset.end)
        writer.append(Self.magic, at: BlockOffset.magic)
        writer.append(lineage.withLock { $0 }, at: BlockOffset.lineage)
        writer.append(lsn.rawValue, at: BlockOffset.lsn)
        writer.appendChecksum()
        assert(writer.bytes.count == BlockOffset.end)
        do throws(FileSystemError) {
            try writer.bytes.withBytes { (bytes) throws(FileSystemError) in
                try file.write(bytes, at: offset)
            }
        } catch {
            throw StoreError(error)
        }
    }

    /// Makes durable that an LSN was published for readers, which is durable in the log, as is
    /// `durableLSN`.
    ///
    /// Before a segment goes that was retired there: after a power cut a reader would else believe
    /// no commit after an older LSN, not the retirement either, and look for records in what is
    /// gone. After a failed write the next call tries again; after a failed sync (`hasFailedSync`)
    /// none does.
    func settle(_ lsn: LSN, durableLSN: LSN) throws(StoreError) {
        try settlement.withLock { (settlement) throws(StoreError) in
            if let failure = settlement.syncFailure { throw failure }
            if settlement.lsn >= lsn { return }
            // What a later state of the store left here counts for nothing.
            var announced = min(try publishedLSN(), durableLSN)
            if announced < lsn {
                try announce(lsn)
                announced = lsn
            }
            let place = try lesserBlock(of: Self.settledOffsets, durableLSN: durableLSN)
            try write(announced, at: Self.settledOffsets[place])
            do throws(FileSystemError) {
                try file.sync()
            } catch {
                let failure = StoreError(error)
                settlement.syncFailure = failure
                throw failure
            }
            settlement.lsn = announced
        }
    }

    /// Whether a sync failed: what is on the disk of the blocks is unknown.
    var hasFailedSync: Bool { settlement.withLock { $0.syncFailure != nil } }

    /// Believes writers of this lineage from here on: the first one to open a copied store draws a
    /// new one, and readers may be there before it.
    func follow(lineage: UInt64) { self.lineage.withLock { $0 = lineage } }

    /// The lineage that is believed.
    var followedLineage: UInt64 { lineage.withLock { $0 } }

    /// The durable LSN that a writer published last; zero if none of this lineage did.
    func publishedLSN() throws(StoreError) -> LSN { try publication().lsn }

    /// The same, and whether a block that is torn, or not written yet, may have said more.
    func publication() throws(StoreError) -> (lsn: LSN, isCertain: Bool) {
        // One that is being written may be read half; the other has what was published before.
        let first = try readBlock(at: Self.stateOffsets[0])
        let second = try readBlock(at: Self.stateOffsets[1])
        var announced = max(first.lsn, second.lsn)
        if first.isWhole && second.isWhole { return (announced, true) }
        // After a power cut, until a writer opens the store, the other may be older than what is
        // durable.
        for offset in Self.settledOffsets {
            announced = max(announced, try readBlock(at: offset).lsn)
        }
        return (announced, false)
    }

    /// The highest LSN that a block of a lineage in a lock file says, whichever it is; zero if none
    /// does. A block that can't be read says nothing.
    static func highestLSN(in file: File, lineage: UInt64) -> LSN {
        var highest = LSN.zero
        for offset in stateOffsets + settledOffsets {
            var bytes = [UInt8](repeating: 0, count: BlockOffset.end)
            let count = bytes.withUnsafeMutableBytes { buffer in
                capture { () throws(FileSystemError) in try file.read(into: buffer, at: offset) }
            }
            guard case .success(let read) = count else { continue }
            highest = max(highest, block(Array(bytes[..<read]), lineage: lineage).lsn)
        }
        return highest
    }

    private func readBlock(at offset: UInt64) throws(StoreError) -> Block {
        Self.block(
            try file.bytes(at: offset, byteCount: BlockOffset.end),
            lineage: lineage.withLock { $0 })
    }

    private static func block(_ bytes: [UInt8], lineage expected: UInt64) -> Block {
        bytes.withUnsafeBytes { bytes -> Block in
            var reader = ByteReader(bytes)
            guard bytes.count == BlockOffset.end,
                let magic = reader.read(UInt64.self, at: BlockOffset.magic), magic != 0,
                let lineage = reader.read(UInt64.self, at: BlockOffset.lineage),
                let lsn = reader.read(UInt64.self, at: BlockOffset.lsn)
            else { return .unwritten }
            guard BlockChecksum.matches(bytes), magic == self.magic else { return .torn }
            return lineage == expected ? .lsn(LSN(rawValue: lsn)) : .foreign
        }
    }
}
