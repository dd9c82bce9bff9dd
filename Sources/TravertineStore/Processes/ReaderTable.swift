import Locks
import SegmentLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What the readers of a store in other processes say that they need: a part of the file `lock`,
/// after the text that names the writer, between the blocks of `DurableLSNBlocks`.
///
///     512  .. 128 slots of 64 bytes, one for each reader (`ReaderSlot`)
///
/// A reader has its slot as long as it has the slot's bytes locked (`F_OFD_SETLK`): the system
/// drops the lock with the process, so that a slot without a lock is that of a dead reader,
/// whatever the text says; numbers of processes are never trusted. The writer clears such slots.
final class ReaderTable: @unchecked Sendable {
    /// Blocks of different sectors are not torn together.
    static let sectorByteCount: UInt64 = 512
    private static let slotsOffset = sectorByteCount
    static let slotByteCount = 64
    static let slotCount = 128
    /// The end of the slots.
    static let slotsEnd = slotsOffset + UInt64(slotCount * slotByteCount)

    private let file: File
    /// The file of a reader, as the path named it before it was opened; nil where there is none,
    /// and in a writer.
    let identity: FileIdentity?
    /// What keeps writers away from a reader that can't say what it needs.
    private let hold: FileLock?
    /// The LSN that the writer publishes.
    let durable: DurableLSNBlocks
    /// The slot of this reader; nil in a writer.
    private let slot: Locked<Int?>
    private let process = getpid()

    /// The writer's table. Throws when the file can't be opened: a writer that can't see the pins
    /// of readers would take their files from them.
    init(directory: String, lineage: UInt64, fileSystem: FileSystem) throws(StoreError) {
        do throws(FileSystemError) {
            file = try fileSystem.open(directory + "/" + StoreFiles.lock, .readWrite)
        } catch {
            throw StoreError(error)
        }
        durable = DurableLSNBlocks(file, lineage: lineage)
        identity = nil
        hold = nil
        slot = Locked(nil)
    }

    /// A reader's table, with a slot that pins everything until `pin` says how much.
    ///
    /// - Parameter mustHaveSlot: whether it is refused where the file can't be written; else it
    ///   keeps writers away by a lock then, as long as it is open.
    init(
        readerOf directory: String, lineage: UInt64, fileSystem: FileSystem,
        mustHaveSlot: Bool = false
    ) throws(StoreError) {
        let path = directory + "/" + StoreFiles.lock
        let taken = try Self.openForReader(path, fileSystem, mustHaveSlot: mustHaveSlot)
        file = taken.file
        identity = taken.identity
        hold = taken.hold
        durable = DurableLSNBlocks(file, lineage: lineage)
        slot = Locked(taken.slot)
        if taken.hold != nil || taken.file is AbsentFile { return }
        if taken.slot == nil {
            file.close()
            throw StoreError(
                .locked,
                "There are \(Self.slotCount) readers already, or the store is just being removed. "
                    + "Try again later.", file: directory)
        }
        do {
            try pin(.all)
        } catch {
            // The slot is that of nobody.
            close()
            throw error
        }
    }

    static func offset(of slot: Int) -> UInt64 {
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
            try file.bytes(at: Self.slotsOffset, byteCount: Self.slotCount * Self.slotByteCount)
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

extension File {
    /// The bytes from an offset on; fewer where the file ends.
    func bytes(at offset: UInt64, byteCount: Int) throws(StoreError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: byteCount)
        let read = bytes.withUnsafeMutableBytes { buffer in
            capture { () throws(FileSystemError) in try self.read(into: buffer, at: offset) }
        }
        switch read {
        case .success(let count): return Array(bytes[..<count])
        case .failure(let error): throw StoreError(error)
        }
    }
}
