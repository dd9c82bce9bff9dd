import SegmentLog

/// What one transaction of compaction copies: survivors as they are, or several as a pack.
///
/// Made before the writer gate is taken, because compressing takes a hundred times as long as copying;
/// under the gate it is checked whether all of it is still the newest (`WriteTransaction.move`).
struct CompactionMoves {
    enum Move {
        /// A record as it is.
        case plain(Survivors.Survivor)
        /// A record whose value was compressed, or decompressed, by itself.
        case converted(Survivors.Survivor, value: [UInt8], isCompressed: Bool)
        /// Neighbours of one keyspace in one record, compressed or not.
        case pack([Survivors.Survivor], content: [UInt8], isPlain: Bool)
    }

    private(set) var moves: [Move] = []
    /// Uncompressed bytes of the records.
    private(set) var byteCount = 0
    /// Behind the last survivor that was taken.
    private(set) var end: Int

    /// Takes survivors from `start` on, until they have about so many bytes. What the moves point
    /// to lives until the next use of `values`.
    init(
        _ survivors: MappedArray<Survivors.Survivor>, from start: Int, byteCount limit: Int,
        values: SurvivorValues, builder: ValueCompressor,
        compression: (UInt32) -> KeyspaceCompression
    ) throws {
        end = start
        while end < survivors.count, byteCount < limit {
            let survivor = try values.whole(survivors[end])
            if survivor.isTombstone {
                moves.append(.plain(survivor))
                take(survivor)
                continue
            }
            let compression = compression(survivor.record.keyspace)
            let isPlain = compression == .packed
            if compression != .off, Self.isForPack(survivor.record, isPlain: isPlain) {
                try takePack(survivors, values, builder, isPlain: isPlain)
            } else if compression == .cold {
                takeCompressed(survivor, builder)
            } else {
                takeUncompressed(survivor, builder)
            }
        }
    }

    private static func isForPack(_ record: RecordPointer, isPlain: Bool) -> Bool {
        !record.isCompressed
            && PackBuilder.takes(valueByteCount: record.value.count, isPlain: isPlain)
    }

    private mutating func takeCompressed(
        _ survivor: Survivors.Survivor, _ builder: ValueCompressor
    ) {
        if !survivor.record.isCompressed, let value = builder.compress(survivor.record.value) {
            moves.append(.converted(survivor, value: value, isCompressed: true))
        } else {
            moves.append(.plain(survivor))
        }
        take(survivor)
    }

    private mutating func take(_ survivor: Survivors.Survivor) {
        byteCount += survivor.record.storedByteCount
        end += 1
    }

    private mutating func takeUncompressed(
        _ survivor: Survivors.Survivor, _ builder: ValueCompressor
    ) {
        if survivor.record.isCompressed, let value = builder.decompress(survivor.record.value) {
            moves.append(.converted(survivor, value: value, isCompressed: false))
        } else {
            moves.append(.plain(survivor))
        }
        take(survivor)
    }

    private mutating func takePack(
        _ survivors: MappedArray<Survivors.Survivor>, _ values: SurvivorValues,
        _ builder: ValueCompressor,
        isPlain: Bool
    ) throws {
        let keyspace = survivors[end].record.keyspace
        var packed: [Survivors.Survivor] = []
        builder.pack.begin(isPlain: isPlain)
        while end < survivors.count, !builder.pack.isFull {
            let next = try values.whole(survivors[end])
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
            for survivor in packed { moves.append(.plain(survivor)) }
        }
    }
}

extension WriteTransaction {
    /// Makes a move; calls `moved` with each survivor that was copied and its new place.
    func make(
        _ move: CompactionMoves.Move, _ builder: ValueCompressor,
        moved: (Survivors.Survivor, Location) -> Void
    ) throws(StoreError) {
        switch move {
        case .plain(let survivor):
            if let location = try self.move(survivor) { moved(survivor, location) }
        case .converted(let survivor, let value, let isCompressed):
            let location = try value.withBytes { (value) throws(StoreError) in
                try self.move(survivor, value: value, isCompressed: isCompressed)
            }
            if let location { moved(survivor, location) }
        case .pack(let survivors, let content, let isPlain):
            try makePack(survivors, content, isPlain: isPlain, builder, moved: moved)
        }
    }

    /// Appends a pack of survivors that are all still the newest of their keys. If some are not, it is
    /// built anew without them: in a replay of the whole log they would come back.
    private func makePack(
        _ survivors: [Survivors.Survivor], _ content: [UInt8], isPlain: Bool,
        _ builder: ValueCompressor, moved: (Survivors.Survivor, Location) -> Void
    ) throws(StoreError) {
        var current: [Survivors.Survivor] = []
        for survivor in survivors where try isCurrent(survivor) { current.append(survivor) }
        if current.isEmpty { return }
        var content = content
        if current.count < survivors.count {
            builder.pack.begin(isPlain: isPlain)
            for survivor in current {
                builder.pack.add(
                    survivor.record, originalLSN: survivor.originalLSN,
                    sourceLocation: survivor.location)
            }
            guard let rest = builder.pack.finish() else {
                for survivor in current {
                    if let location = try move(survivor) { moved(survivor, location) }
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
        for (ordinal, survivor) in current.enumerated() {
            let location = first.location.entry(ordinal)
            try enter(location, forKey: survivor.record.key, in: keyspace)
            moved(survivor, location)
        }
    }
}
