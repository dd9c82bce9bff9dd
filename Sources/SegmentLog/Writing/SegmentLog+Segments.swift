/// Ending segments and beginning the next ones, and the spare that the next one is made of (rule
/// 8).
extension SegmentLog {
    /// Ends the active segment: the next append begins a new one. An active segment that the log
    /// has not reached stays as it is: nothing in it could change, and the chain gets no empty
    /// link.
    package func seal() {
        precondition(!writer.isInTransaction, "a segment is not sealed inside a transaction")
        if isActiveSegmentReached { endActiveSegment() }
        if let place = writer.resumable {
            writer.resumable = nil
            writer.predecessor = predecessor(after: place.header, tail: place.tail)
        }
    }

    /// Whether the log ends in the active segment: a batch was written to it, or recovery found the
    /// log's end after its header.
    private var isActiveSegmentReached: Bool {
        guard let active = writer.active else { return false }
        return tail.segment == active.header.number
    }

    /// Takes up the segment that a clean close left, when there is one.
    func resumeIfPossible(mayUseReserve: Bool) throws(LogError) {
        guard let place = writer.resumable, writer.active == nil else { return }
        let path = path(of: place.header.number)
        do throws(FileSystemError) {
            let file = try environment.fileSystem.open(path, .readWrite)
            do throws(FileSystemError) {
                try file.allocate(byteCount: place.header.segmentByteCount)
            } catch {
                file.close()
                throw error
            }
            writer.resumable = nil
            activate(file, header: place.header, tail: place.tail)
        } catch {
            throw error.isNoSpace
                ? .diskFull(path: path, neededBytes: place.header.segmentByteCount) : .io(error)
        }
        if !mayUseReserve { try ensureSpare() }
    }

    /// Ends the active segment and begins the next one, with room for `needed` bytes.
    ///
    /// What must not use the reserve makes a new spare too; without room for one it throws
    /// `.diskFull`, and the active segment stays as it is (rule 8). Room is asked for before
    /// anything is allocated: what is refused takes nothing from the reserve.
    func roll(toFit needed: Int, mayUseReserve: Bool) throws(LogError) {
        try sealBudget()
        let byteCount = segmentByteCount(toFit: needed)
        let followingByteCount = segmentByteCount(toFit: 0)
        let spareByteCount = writer.spare?.byteCount ?? 0
        let isSpareEnough = spareByteCount >= needed + SegmentHeader.byteCount
        if !mayUseReserve {
            let lacking = isSpareEnough ? 0 : byteCount - spareByteCount
            try demandRoom(for: lacking + followingByteCount)
        }
        let next: SpareSegment
        if let spare = writer.spare, isSpareEnough {
            next = spare
        } else if let spare = writer.spare {
            next = try allocate(spare.number, byteCount: byteCount, isNew: false)
        } else {
            // What may use the reserve gets by with a small segment where there is no room for
            // more.
            next = try createFile(
                byteCount: byteCount,
                orAtLeast: mayUseReserve ? needed + SegmentHeader.byteCount : byteCount)
        }
        writer.spare = next
        var following: SpareSegment?
        if mayUseReserve {
            noteReserve()
        } else {
            following = try createFile(byteCount: followingByteCount)
        }
        // There are zeros ahead of the tail if somebody waits for syncs; bulk writing writes none.
        let hasWaiters = writer.active.map { $0.zeroedEnd > $0.tail } ?? true
        do throws(LogError) {
            try begin(next)
        } catch {
            // `next` may hold a part of a header and is no spare any more.
            writer.unreachable.append(next.number)
            writer.spare = following
            throw error
        }
        writer.spare = following
        if let following, hasWaiters { prepareInBackground(following.number) }
    }

    /// Creates the spare when it is missing; throws `.diskFull` when there is no room for it.
    func ensureSpare() throws(LogError) {
        guard writer.spare == nil else { return }
        let size = segmentByteCount(toFit: 0)
        try demandRoom(for: size)
        let spare = try createFile(byteCount: size)
        writer.spare = spare
        prepareInBackground(spare.number)
    }

    /// Moves the active segment to the finished ones.
    func endActiveSegment() {
        guard let active = writer.active else { return }
        writer.active = nil
        writer.predecessor = predecessor(after: active.header, tail: active.tail)
        updateSummary(active.header, tail: active.tail)
        mappings.noteGrowing(from: SegmentNumber(rawValue: active.header.number.rawValue + 1))
        durability.didSeal(tail: active.tail, byteCount: active.byteCount)
        counters.didSeal()
    }

    /// Keeps the summary of a segment as of now.
    func updateSummary(_ header: SegmentHeader, tail: Int) {
        let summary = SegmentSummary(
            number: header.number, byteCount: header.segmentByteCount, endOffset: UInt64(tail),
            firstLSN: header.firstLSN, lastLSN: writer.nextLSN.previous,
            salt: header.salt, predecessor: header.predecessor)
        summaries.withLock { $0[header.number] = summary }
    }

    /// What a header says of a segment that ends at `tail`.
    private func predecessor(
        after header: SegmentHeader, tail: Int
    ) -> SegmentHeader.Predecessor {
        SegmentHeader.Predecessor(
            number: header.number, salt: header.salt, endOffset: UInt64(tail),
            lastLSN: writer.nextLSN.previous)
    }

    /// The size of new segments where no option sets it: 1/32 of the live bytes, from 1 to 64 MiB,
    /// so that one segment is a small part of the space that a store may take (4.13).
    package static func segmentByteCount(forLiveByteCount live: Int) -> Int {
        min(max(live / 32, 1 << 20), 64 << 20)
    }

    /// The size of a new segment in whole pages; or what one record needs.
    func segmentByteCount(toFit needed: Int) -> Int {
        let live = Int(clamping: liveByteCountHint) + writer.transactionWrittenByteCount
        let wanted = options.segmentByteCount ?? Self.segmentByteCount(forLiveByteCount: live)
        let least = max(wanted, needed + SegmentHeader.byteCount)
        return min(FileBlock.roundedUp(least), SegmentHeader.segmentByteCountMax)
    }

    /// Syncs the oldest sealed segments when too many files wait for it.
    private func sealBudget() throws(LogError) {
        guard durability.unsyncedFileCount >= max(options.openFileBudget, 2) else { return }
        try durability.waitUntilDurable(writer.nextLSN.previous)
    }

    /// Creates an allocated file of zeros under the next number that no file has.
    ///
    /// A number is used up only when its file exists: on a full disk each refused put would cost
    /// one.
    private func createFile(
        byteCount: Int, orAtLeast least: Int = .max
    ) throws(LogError) -> SpareSegment {
        var byteCount = byteCount
        while true {
            guard writer.nextNumber <= UInt64(SegmentNumber.maximum.rawValue) else {
                throw .outOfSegmentNumbers
            }
            let number = SegmentNumber(rawValue: UInt32(writer.nextNumber))
            do throws(LogError) {
                let spare = try allocate(number, byteCount: byteCount, isNew: true)
                writer.nextNumber += 1
                return spare
            } catch {
                let smaller = max(
                    FileBlock.roundedUp(byteCount / 2), FileBlock.roundedUp(min(least, byteCount)))
                if case .diskFull = error, smaller < byteCount, least != .max {
                    byteCount = smaller
                    continue
                }
                // An earlier attempt left a file that it could not remove; the next opening removes
                // it.
                guard case .io(let reason) = error, reason.isExisting else { throw error }
                writer.nextNumber += 1
            }
        }
    }

    /// Makes, or enlarges, an allocated file of zeros.
    private func allocate(
        _ number: SegmentNumber, byteCount: Int, isNew: Bool
    ) throws(LogError) -> SpareSegment {
        let path = path(of: number)
        let fileSystem = environment.fileSystem
        do throws(FileSystemError) {
            let file = try fileSystem.open(path, isNew ? .createNew : .readWrite)
            defer { file.close() }
            do throws(FileSystemError) {
                try file.allocate(byteCount: UInt64(byteCount))
            } catch {
                if isNew { try fileSystem.remove(path) }
                throw error
            }
            return SpareSegment(number: number, byteCount: byteCount)
        } catch {
            throw error.isNoSpace
                ? .diskFull(path: path, neededBytes: UInt64(byteCount)) : .io(error)
        }
    }

    /// Writes the header of a spare and makes it the active segment.
    private func begin(_ spare: SpareSegment) throws(LogError) {
        endActiveSegment()
        var salt = environment.random()
        while salt == 0 { salt = environment.random() }
        let header = SegmentHeader(
            identity: identity, number: spare.number, salt: salt, firstLSN: writer.nextLSN,
            predecessor: writer.predecessor, segmentByteCount: UInt64(spare.byteCount),
            durableLSN: durability.durableLSN,
            algorithm: environment.fileSystem.segmentAlgorithm)
        let bytes = UnsafeMutableRawBufferPointer.allocate(
            byteCount: SegmentHeader.byteCount, alignment: RecordLayout.alignment)
        defer { bytes.deallocate() }
        header.encode(into: bytes)
        // A segment whose header does not read as it was meant takes all of its batches with it.
        precondition(
            SegmentHeader.decode(UnsafeRawBufferPointer(bytes)) == .header(header),
            "the header of segment \(header.number) is not one that can be read")
        do throws(FileSystemError) {
            let file = try environment.fileSystem.open(path(of: spare.number), .readWrite)
            do throws(FileSystemError) {
                try file.write(UnsafeRawBufferPointer(bytes), at: 0)
            } catch {
                file.close()
                throw error
            }
            activate(file, header: header, tail: SegmentHeader.byteCount)
        } catch {
            throw error.isNoSpace
                ? .diskFull(
                    path: path(of: spare.number), neededBytes: UInt64(SegmentHeader.byteCount))
                : .io(error)
        }
    }

    private func activate(_ file: File, header: SegmentHeader, tail: Int) {
        var activation: UInt64 = 0
        while header.algorithm != nil, activation == 0 { activation = environment.random() }
        writer.active = ActiveSegment(
            header: header, file: file, tail: tail, zeroedEnd: tail, activation: activation)
        updateSummary(header, tail: tail)
        mappings.noteGrowing(from: header.number)
        durability.didActivate(file, number: header.number)
    }

    /// Makes a new file and its directory entry durable ahead of need, so that the first commit in
    /// it need not wait for that.
    private func prepareInBackground(_ number: SegmentNumber) {
        let path = path(of: number)
        let fileSystem = environment.fileSystem
        let durability = durability
        let counters = counters
        environment.executor.submit {
            let file: File
            do throws(FileSystemError) {
                file = try fileSystem.open(path, .readWrite)
            } catch {
                // The log was closed and the spare removed. Any other failure is found by the
                // commit that needs the file.
                counters.didFailToPrepare()
                return
            }
            defer { file.close() }
            durability.syncPrepared(file, number: number)
        }
    }
}
