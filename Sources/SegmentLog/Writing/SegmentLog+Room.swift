/// The room on the disk that new segments leave to others (rule 8).
extension SegmentLog {
    /// How many bytes of the disk a transaction that must not use the reserve leaves free, beside
    /// the spare (rule 8); asked for each new segment, by the writing thread. Set before use.
    package var roomToLeave: @Sendable () -> Int {
        get { writer.roomToLeave }
        set { writer.roomToLeave = newValue }
    }

    /// The size of the next segment. The writing thread.
    package var nextSegmentByteCount: Int { segmentByteCount(toFit: 0) }

    /// Throws `.diskFull` unless there is room for a new spare beside what must be left free.
    func demandRoom(for byteCount: Int) throws(LogError) {
        let needed = UInt64(byteCount + writer.roomToLeave())
        guard let free = freeByteCount, free < needed else { return }
        let number = SegmentNumber(rawValue: UInt32(clamping: writer.nextNumber))
        throw .diskFull(path: path(of: number), neededBytes: needed)
    }

    /// Notes whether the transaction, which may use what others leave free, does.
    func noteReserve() {
        guard let free = freeByteCount else { return }
        if free < UInt64(segmentByteCount(toFit: 0) + writer.roomToLeave()) {
            writer.usesReserve = true
        }
    }

    /// Whether the newest transaction of a user began a segment in the room that was to be left
    /// free. The writing thread.
    package var hasUsedReserve: Bool { writer.usesReserve && !writer.isCompaction }

    /// Free bytes of the disk; nil where the system can't say, so that only an attempt shows
    /// whether there is room.
    package var freeByteCount: UInt64? {
        do throws(FileSystemError) {
            return try environment.fileSystem.freeBytes(at: directory)
        } catch {
            return nil
        }
    }
}
