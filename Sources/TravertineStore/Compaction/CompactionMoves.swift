import SegmentLog

/// What one transaction of compaction copies: liveRecords as they are, or several as a pack.
///
/// Made before the writer gate is taken, because compressing takes a hundred times as long as
/// copying; under the gate it is checked whether all of it is still the newest
/// (`WriteTransaction.move`).
struct CompactionMoves {
    enum Move {
        /// A record as it is.
        case plain(LiveRecords.LiveRecord)
        /// A record whose value was compressed, or decompressed, by itself.
        case converted(LiveRecords.LiveRecord, value: [UInt8], isCompressed: Bool)
        /// Neighbours of one keyspace in one record, compressed or not.
        case pack([LiveRecords.LiveRecord], content: [UInt8], isPlain: Bool)
    }

    private(set) var moves: [Move] = []
    /// Uncompressed bytes of the records.
    private(set) var byteCount = 0
    /// After the last live record that was taken.
    private(set) var end: Int

    /// Takes liveRecords from `start` on, until they have about so many bytes. What the moves point
    /// to lives until the next use of `values`.
    init(
        _ liveRecords: MappedArray<LiveRecords.LiveRecord>, from start: Int, byteCount limit: Int,
        values: LiveRecordValues, builder: ValueCompressor,
        compression: (KeyspaceID) -> KeyspaceCompression
    ) throws {
        end = start
        while end < liveRecords.count, byteCount < limit {
            let liveRecord = try values.whole(liveRecords[end])
            if liveRecord.isTombstone {
                moves.append(.plain(liveRecord))
                take(liveRecord)
                continue
            }
            let compression = compression(liveRecord.record.keyspace)
            let isPlain = compression == .packed
            if compression != .off, Self.isForPack(liveRecord.record, isPlain: isPlain) {
                try takePack(liveRecords, values, builder, isPlain: isPlain)
            } else if compression == .cold {
                takeCompressed(liveRecord, builder)
            } else {
                takeUncompressed(liveRecord, builder)
            }
        }
    }

    private static func isForPack(_ record: RecordPointer, isPlain: Bool) -> Bool {
        !record.isCompressed
            && PackBuilder.takes(valueByteCount: record.value.count, isPlain: isPlain)
    }

    private mutating func takeCompressed(
        _ liveRecord: LiveRecords.LiveRecord, _ builder: ValueCompressor
    ) {
        if !liveRecord.record.isCompressed, let value = builder.compress(liveRecord.record.value) {
            moves.append(.converted(liveRecord, value: value, isCompressed: true))
        } else {
            moves.append(.plain(liveRecord))
        }
        take(liveRecord)
    }

    private mutating func take(_ liveRecord: LiveRecords.LiveRecord) {
        byteCount += liveRecord.record.storedByteCount
        end += 1
    }

    private mutating func takeUncompressed(
        _ liveRecord: LiveRecords.LiveRecord, _ builder: ValueCompressor
    ) {
        if liveRecord.record.isCompressed, let value = builder.decompress(liveRecord.record.value) {
            moves.append(.converted(liveRecord, value: value, isCompressed: false))
        } else {
            moves.append(.plain(liveRecord))
        }
        take(liveRecord)
    }

    private mutating func takePack(
        _ liveRecords: MappedArray<LiveRecords.LiveRecord>, _ values: LiveRecordValues,
        _ builder: ValueCompressor,
        isPlain: Bool
    ) throws {
        let keyspace = liveRecords[end].record.keyspace
        var packed: [LiveRecords.LiveRecord] = []
        builder.pack.begin(isPlain: isPlain)
        while end < liveRecords.count, !builder.pack.isFull {
            let next = try values.whole(liveRecords[end])
            guard next.record.keyspace == keyspace, !next.isTombstone,
                Self.isForPack(next.record, isPlain: isPlain)
            else { break }
            builder.pack.add(
                next.record, originalLSN: next.originalLSN, sourceLocation: next.location)
            packed.append(next)
            take(next)
        }
        if let content = builder.pack.finish() {
            moves.append(.pack(packed, content: content, isPlain: isPlain))
        } else {
            for liveRecord in packed { moves.append(.plain(liveRecord)) }
        }
    }
}

extension WriteTransaction {
    /// Makes a move; calls `moved` with each liveRecord that was copied and its new place.
    func make(
        _ move: CompactionMoves.Move, _ builder: ValueCompressor,
        moved: (LiveRecords.LiveRecord, Location) -> Void
    ) throws(StoreError) {
        switch move {
        case .plain(let liveRecord):
            if let location = try self.move(liveRecord) { moved(liveRecord, location) }
        case .converted(let liveRecord, let value, let isCompressed):
            let location = try value.withBytes { (value) throws(StoreError) in
                try self.move(liveRecord, value: value, isCompressed: isCompressed)
            }
            if let location { moved(liveRecord, location) }
        case .pack(let liveRecords, let content, let isPlain):
            try makePack(liveRecords, content, isPlain: isPlain, builder, moved: moved)
        }
    }

    /// Appends a pack of liveRecords that are all still the newest of their keys. If some are not,
    /// it is built anew without them: in a replay of the whole log they would come back.
    private func makePack(
        _ liveRecords: [LiveRecords.LiveRecord], _ content: [UInt8], isPlain: Bool,
        _ builder: ValueCompressor, moved: (LiveRecords.LiveRecord, Location) -> Void
    ) throws(StoreError) {
        var current: [LiveRecords.LiveRecord] = []
        for liveRecord in liveRecords where try isCurrent(liveRecord) { current.append(liveRecord) }
        if current.isEmpty { return }
        var content = content
        if current.count < liveRecords.count {
            builder.pack.begin(isPlain: isPlain)
            for liveRecord in current {
                builder.pack.add(
                    liveRecord.record, originalLSN: liveRecord.originalLSN,
                    sourceLocation: liveRecord.location)
            }
            guard let rest = builder.pack.finish() else {
                for liveRecord in current {
                    if let location = try move(liveRecord) { moved(liveRecord, location) }
                }
                return
            }
            content = rest
        }
        let keyspace = current[0].record.keyspace
        let first: (location: Location, byteCount: Int)
        do {
            first = try content.withBytes { (content) throws(LogError) in
                try log.appendPack(keyspace: keyspace, content: content)
            }
        } catch {
            throw StoreError(error)
        }
        isDeleteOnly = false
        appended.add(first.location, byteCount: first.byteCount)
        for (ordinal, liveRecord) in current.enumerated() {
            let location = first.location.entry(ordinal)
            try enter(location, forKey: liveRecord.record.key, in: keyspace)
            moved(liveRecord, location)
        }
    }
}
