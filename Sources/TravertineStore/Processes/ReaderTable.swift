import SegmentLog
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What the writer of a store and its readers in other processes publish for each other: a part of
/// the file `lock`, after the text that names the writer.
///
///     256  8  magic "TRVREADR"
///     264  8  lineage of the store
///     272  8  durable LSN: nothing up to here is missing
///     280  4  CRC32C of bytes 256..<280
///     320 28  as at 256
///     512  .. 128 slots of 64 bytes, one for each reader (`ReaderSlot`)
///     8704, 9216    twice as at 256: a durable LSN that a power cut does not take back
///
/// With every sync one of the first two is written, the one that says less, so that a disk that
/// takes only a part of it does not undo what the other says. They are not synced: a power cut may
/// tear both. Of the last two one at a time is written, the one that says less, and synced.
///
/// A reader has its slot as long as it has the slot's bytes locked (`F_OFD_SETLK`): the system
/// drops the lock with the process, so that a slot without a lock is that of a dead reader,
/// whatever the text says; numbers of processes are never trusted. The writer clears such slots.
final class ReaderTable: @unchecked Sendable {
    private static let magic: UInt64 = 0x5244_4145_5256_5254
    /// Blocks of different sectors are not torn together.
    private static let sectorByteCount: UInt64 = 512
    /// In the first sector, after the text, which is shorter.
    private static let firstStateOffset: UInt64 = 256
    private static let stateOffsets = [firstStateOffset, firstStateOffset + 64]
    private static let slotsOffset = sectorByteCount
    private static let slotByteCount = 64
    static let slotCount = 128
    private static let firstSettledOffset = slotsOffset + UInt64(slotCount * slotByteCount)
    private static let settledOffsets = [firstSettledOffset, firstSettledOffset + sectorByteCount]

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
    /// What keeps writers away from a reader that can't say what it needs.
    private let hold: FileLock?
    private let lineage: Mutex<UInt64>
    /// The slot of this reader; nil in a writer.
    private let slot: Mutex<Int?>
    private let settlement = Mutex(Settlement())
    /// Which of the two blocks is written next; nil before the first.
    private let nextState = Mutex<Int?>(nil)
    private let process = getpid()

    /// The writer's table. Throws when the file can't be opened: a writer that can't see the pins
    /// of readers would take their files from them.
    init(directory: String, lineage: UInt64, fileSystem: FileSystem) throws(StoreError) {
        do throws(FileSystemError) {
            file = try fileSystem.open(directory + "/" + StoreFiles.lock, .readWrite)
        } catch {
            throw StoreError(error)
        }
        self.lineage = Mutex(lineage)
        hold = nil
        slot = Mutex(nil)
    }

    /// A reader's table, with a slot that pins everything until `pin` says how much.
    init(readerOf directory: String, lineage: UInt64, fileSystem: FileSystem) throws(StoreError) {
        let path = directory + "/" + StoreFiles.lock
        let taken = try Self.openForReader(path, fileSystem)
        file = taken.file
        hold = taken.hold
        self.lineage = Mutex(lineage)
        slot = Mutex(taken.slot)
        if taken.hold != nil || taken.file is AbsentFile { return }
        if taken.slot == nil {
            file.close()
            throw StoreError(
                .locked,
                "There are \(Self.slotCount) readers already, or the store is just being removed. "
                    + "Try again later.", file: directory)
        }
        try pin(.all)
    }

    /// The file with a slot taken in it; without one if there is none.
    ///
    /// Between the opening and the slot a removal may have taken the file away, and another store
    /// come in its place, whose writer looks into another file: then once more.
    private static func open(
        _ path: String, _ fileSystem: FileSystem
    ) throws(FileSystemError) -> (file: File, slot: Int?) {
        while true {
            let before = identity(of: path, fileSystem)
            let file = try openOrMake(path, fileSystem)
            do throws(FileSystemError) {
                guard let slot = try takeSlot(of: file) else { return (file, nil) }
                // An open file keeps its number: the path had this one all the time.
                if let before, identity(of: path, fileSystem) == before { return (file, slot) }
                file.close()
            } catch {
                file.close()
                throw error
            }
        }
    }

    /// What a reader opens: the file with a slot taken in it, without one if there is none; or,
    /// where the file can't be written, with a lock, or an empty file in its place.
    private static func openForReader(
        _ path: String, _ fileSystem: FileSystem
    ) throws(StoreError) -> (file: File, slot: Int?, hold: FileLock?) {
        switch capture({ () throws(FileSystemError) in try open(path, fileSystem) }) {
        case .success(let taken): return (taken.file, taken.slot, nil)
        case .failure(let error):
            guard error.isReadOnlyFileSystem || error.isPermissionDenied else {
                throw StoreError(error)
            }
            let unwritable = try openUnwritable(path, fileSystem)
            return (unwritable.file, nil, unwritable.hold)
        }
    }

    /// The file for a reader that can't write there: it keeps writers away by a lock that readers
    /// share.
    ///
    /// Where the file is missing nobody has the store open; on a file system that is read-only
    /// nobody can make it through this mount.
    private static func openUnwritable(
        _ path: String, _ fileSystem: FileSystem
    ) throws(StoreError) -> (file: File, hold: FileLock?) {
        guard fileSystem.exists(path) else { return (AbsentFile(path: path), nil) }
        switch capture({ () throws(FileSystemError) in try fileSystem.lockShared(path) }) {
        case .success(let hold):
            let file = capture { () throws(FileSystemError) in
                try fileSystem.open(path, .readOnly)
            }
            if case .success(let file) = file { return (file, hold) }
            hold.release()
            throw StoreError(
                .permissionDenied, "The file `lock` of the store can't be read.", file: path)
        case .failure(let error):
            guard let holder = error.lockHolder else { throw StoreError(error) }
            throw StoreError(
                .permissionDenied,
                "The store is open for writing (\(holder)), and this process may not show its writer "
                    + "what it reads: that takes leave to write the file `lock`.", file: path)
        }
    }

    /// The file at a path; nil if there is none.
    static func identity(of path: String, _ fileSystem: FileSystem) -> FileIdentity? {
        guard fileSystem.exists(path) else { return nil }
        let found = capture { () throws(FileSystemError) in try fileSystem.identity(of: path) }
        guard case .success(let identity) = found else { return nil }
        return identity
    }

    private static func openOrMake(
        _ path: String, _ fileSystem: FileSystem
    ) throws(FileSystemError) -> File {
        while true {
            do throws(FileSystemError) {
                let isThere = fileSystem.exists(path)
                return try fileSystem.open(path, isThere ? .readWrite : .createNew)
            } catch {
                // Another process may have been faster.
                guard error.isExisting else { throw error }
            }
        }
    }

    private static func takeSlot(of file: File) throws(FileSystemError) -> Int? {
        for slot in 0..<slotCount
        where try file.tryLock(from: offset(of: slot), byteCount: UInt64(slotByteCount)) {
            return slot
        }
        return nil
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

    private static func offset(of slot: Int) -> UInt64 {
        slotsOffset + UInt64(slot * slotByteCount)
    }

    /// Lets no reader open as long as this table is open; false if there is one.
    func excludeReaders() throws(StoreError) -> Bool {
        do throws(FileSystemError) {
            return try file.tryLock(
                from: Self.slotsOffset, byteCount: UInt64(Self.slotCount * Self.slotByteCount))
        } catch {
            throw StoreError(error)
        }
    }

    // MARK: The durable LSN

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

    /// The durable LSN that a writer published last; zero if none of this lineage did.
    func publishedLSN() throws(StoreError) -> LSN {
        // One that is being written may be read half; the other has what was published before.
        let first = try readBlock(at: Self.stateOffsets[0])
        let second = try readBlock(at: Self.stateOffsets[1])
        var announced = max(first.lsn, second.lsn)
        if first.isWhole && second.isWhole { return announced }
        // After a power cut, until a writer opens the store, the other may be older than what is
        // durable.
        for offset in Self.settledOffsets {
            announced = max(announced, try readBlock(at: offset).lsn)
        }
        return announced
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
            try read(at: offset, byteCount: BlockOffset.end),
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

    // MARK: Pins

    /// Says what this reader needs.
    func pin(_ pin: ReaderPin) throws(StoreError) {
        guard let slot = slot.withLock({ $0 }) else { return }
        guard getpid() == process else { throw .forked() }
        let bytes = ReaderSlot(pin: pin, process: UInt64(getpid())).encoded
        do throws(FileSystemError) {
            try bytes.withBytes { (bytes) throws(FileSystemError) in
                try file.write(bytes, at: Self.offset(of: slot))
            }
        } catch {
            throw StoreError(error)
        }
    }

    /// The pins of all living readers; what dead ones left is cleared. A slot that can't be read
    /// pins everything.
    func pins() -> [ReaderPin] { livingSlots()?.map(\.pin) ?? [.all] }

    /// The processes of all living readers, in words.
    var holders: String {
        let processes = Set((livingSlots() ?? []).map(\.process)).subtracting([0])
        let names = processes.sorted().map {
            $0 == UInt64(getpid()) ? "this process" : "process \($0)"
        }
        return names.isEmpty ? "another process" : names.joined(separator: ", ")
    }

    /// The slots of all living readers; nil if they can't be read.
    private func livingSlots() -> [ReaderSlot]? {
        let table = capture { () throws(StoreError) in
            try read(at: Self.slotsOffset, byteCount: Self.slotCount * Self.slotByteCount)
        }
        guard case .success(let bytes) = table else { return nil }
        return (0..<Self.slotCount).compactMap { slot in
            let start = slot * Self.slotByteCount
            guard start + ReaderSlot.pinByteCount <= bytes.count else { return nil }
            let end = min(start + Self.slotByteCount, bytes.count)
            let found = bytes.withUnsafeBytes {
                ReaderSlot(UnsafeRawBufferPointer(rebasing: $0[start..<end]))
            }
            guard let found, !clearIfDead(slot) else { return nil }
            return found
        }
    }

    /// Clears a slot that nobody has locked; true if it did.
    private func clearIfDead(_ slot: Int) -> Bool {
        let offset = Self.offset(of: slot)
        let cleared = capture { () throws(FileSystemError) -> Bool in
            guard try file.tryLock(from: offset, byteCount: UInt64(Self.slotByteCount)) else {
                return false
            }
            try clear(slot)
            try file.unlock(from: offset, byteCount: UInt64(Self.slotByteCount))
            return true
        }
        if case .success(true) = cleared { return true }
        return false
    }

    private func clear(_ slot: Int) throws(FileSystemError) {
        let zeros = [UInt8](repeating: 0, count: Self.slotByteCount)
        try zeros.withBytes { (bytes) throws(FileSystemError) in
            try file.write(bytes, at: Self.offset(of: slot))
        }
    }

    private func read(at offset: UInt64, byteCount: Int) throws(StoreError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: byteCount)
        let read = bytes.withUnsafeMutableBytes { buffer in
            capture { () throws(FileSystemError) in try file.read(into: buffer, at: offset) }
        }
        switch read {
        case .success(let count): return Array(bytes[..<count])
        case .failure(let error): throw StoreError(error)
        }
    }

    /// Gives the slot back and closes the file. A child of `fork` leaves its parent's slot alone.
    func close() {
        let taken = slot.withLock { slot in
            defer { slot = nil }
            return slot
        }
        if let taken, getpid() == process {
            // What can't be cleared is so by the lock's end; and that comes with the unlocking, as
            // closing alone would leave the lock with a child that has a copy of the descriptor.
            _ = capture { () throws(FileSystemError) in try clear(taken) }
            _ = capture { () throws(FileSystemError) in
                try file.unlock(
                    from: Self.offset(of: taken), byteCount: UInt64(Self.slotByteCount))
            }
        }
        file.close()
        hold?.release()
    }
}

/// A file that is not there, for who takes that as an empty one.
private final class AbsentFile: File, @unchecked Sendable {
    override func readOnce(into target: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Int {
        0
    }

    override func close() {}
}

extension Store {
    /// What readers outside of this store need: of segments that hold nothing of the newest version
    /// since LSN r, those go only that none of these needs.
    func outsidePins() -> [ReaderPin] {
        (readers?.pins() ?? []) + options.externalPins().map { ReaderPin(lsn: $0) }
    }

    /// The LSNs of these.
    package func externalPins() -> [UInt64] {
        checkpoints.holds.isHeld ? [0] : readers?.pins().map(\.lsn) ?? []
    }
}
