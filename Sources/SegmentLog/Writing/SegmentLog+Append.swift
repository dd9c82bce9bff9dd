/// Appending records to the open transaction, in the buffer of its batch. The location of a record
/// is final at once, because one writer at a time appends (rule 5).
extension SegmentLog {
    /// Appends a record to the open transaction and returns its final location.
    ///
    /// A value over the spill threshold, a full segment or a full buffer write a batch on the way.
    /// After an error other than `keyTooLarge` and `valueTooLarge` the transaction can only be
    /// aborted. Costs about 30 ns for 116 bytes.
    @discardableResult
    package func append(
        kind: RecordKind, keyspace: KeyspaceID, key: UnsafeRawBufferPointer,
        value: UnsafeRawBufferPointer
    ) throws(LogError) -> Location {
        let byteCount = RecordLayout.paddedByteCount(
            key: key.count, value: value.count, isMove: false)
        if batch.pointee.count &+ byteCount > batch.pointee.limit
            || key.count > RecordLayout.keyByteCountMax
            || value.count > RecordLayout.valueByteCountMax
        {
            try makeRoom(key: key.count, value: value.count, byteCount: byteCount, kind: kind)
        }
        batch.pointee.kinds |= 1 &<< UInt32(kind.rawValue)
        return batch.pointee.encode(
            kind: kind, flags: 0, keyspace: keyspace, key: key, value: value,
            byteCount: byteCount)
    }

    /// Appends a small put that a deletion makes necessary: it may use the room that is kept for
    /// deleting, and a transaction that only deletes stays one.
    package func appendOfDeletion(
        keyspace: KeyspaceID, key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer
    ) throws(LogError) -> Location {
        let (kinds, mayUseReserve) = (batch.pointee.kinds, writer.mayUseReserve)
        if !hasAppendedLiveData { writer.mayUseReserve = true }
        defer { writer.mayUseReserve = mayUseReserve }
        let location = try append(kind: .put, keyspace: keyspace, key: key, value: value)
        batch.pointee.kinds = kinds
        return location
    }

    /// Appends a record whose value is in LZ4 form already (`Compression.compress`).
    package func appendCompressed(
        kind: RecordKind, keyspace: KeyspaceID, key: UnsafeRawBufferPointer,
        storedValue: UnsafeRawBufferPointer
    ) throws(LogError) -> Location {
        try appendUnreadInPlace(
            kind: kind, flags: RecordLayout.compressedFlag, keyspace: keyspace, key: key,
            value: storedValue
        ).location
    }

    /// Appends a pack that `PackBuilder` has built; returns the location of its first entry, and
    /// its stored bytes.
    package func appendPack(
        keyspace: KeyspaceID, content: UnsafeRawBufferPointer
    ) throws(LogError) -> (location: Location, byteCount: Int) {
        let added = try appendUnreadInPlace(
            kind: .pack, flags: 0, keyspace: keyspace,
            key: UnsafeRawBufferPointer(start: nil, count: 0), value: content)
        // The source of its entries is removed once this is durable.
        precondition(
            pendingPack(at: added.location) != nil, "a pack contradicts itself before it is written"
        )
        assert(
            pendingPack(at: added.location).map { PackExpansion().fill(from: $0) } ?? false,
            "the entries of a pack can't be read before it is written")
        return added
    }

    /// Appends a record whose value readers don't take in place, so that its location has bit 63.
    private func appendUnreadInPlace(
        kind: RecordKind, flags: UInt8, keyspace: KeyspaceID, key: UnsafeRawBufferPointer,
        value: UnsafeRawBufferPointer
    ) throws(LogError) -> (location: Location, byteCount: Int) {
        let byteCount = RecordLayout.paddedByteCount(
            key: key.count, value: value.count, isMove: false)
        try makeRoomIfNeeded(key: key.count, value: value.count, byteCount: byteCount, kind: kind)
        let place = batch.pointee.encode(
            kind: kind, flags: flags, keyspace: keyspace, key: key, value: value,
            byteCount: byteCount)
        return (Location(compressedIn: place.segment, recordOffset: place.offset), byteCount)
    }

    /// The record of a pack that was just appended, if it is one.
    private func pendingPack(at location: Location) -> RecordPointer? {
        let base = batch.pointee.base + (location.recordOffset - batch.pointee.segmentOffset)
        let record = RecordPointer(unsafeBase: base, offset: location.recordOffset)
        return Pack(record) == nil ? nil : record
    }

    /// Appends a copy of a record: a move of a put or of a tombstone.
    ///
    /// - Parameters:
    ///   - value: The stored value of the copy, if it is another than the source's.
    ///   - isCompressed: Whether this is in LZ4 form.
    package func appendMove(
        of source: RecordPointer, kind: RecordKind, originalLSN: LSN, sourceLocation: Location,
        value: UnsafeRawBufferPointer? = nil, isCompressed: Bool? = nil
    ) throws(LogError) -> Location {
        precondition(kind.isMove, "appendMove takes the kinds of moves")
        let key = source.key
        let value = value ?? source.value
        let isCompressed = isCompressed ?? source.isCompressed
        let byteCount = RecordLayout.paddedByteCount(
            key: key.count, value: value.count, isMove: true)
        try makeRoomIfNeeded(key: key.count, value: value.count, byteCount: byteCount, kind: kind)
        let start = batch.pointee.base + batch.pointee.count
        BatchBuilder.clearPadding(start, byteCount: byteCount)
        batch.pointee.storeHeader(
            start, kind: kind, flags: isCompressed ? RecordLayout.compressedFlag : 0,
            keyspace: source.keyspace, keyByteCount: key.count, valueByteCount: value.count)
        start.storeBytes(
            of: originalLSN.rawValue, toByteOffset: RecordLayout.originalLSN, as: UInt64.self)
        start.storeBytes(
            of: sourceLocation.rawValue, toByteOffset: RecordLayout.sourceLocation,
            as: UInt64.self)
        let keyStart = start + RecordLayout.moveHeaderByteCount
        if let bytes = key.baseAddress { keyStart.copyMemory(from: bytes, byteCount: key.count) }
        if let bytes = value.baseAddress {
            (keyStart + key.count).copyMemory(from: bytes, byteCount: value.count)
        }
        let place = batch.pointee.seal(
            start,
            contentByteCount: RecordLayout.contentByteCount(
                key: key.count, value: value.count, isMove: true), byteCount: byteCount)
        return isCompressed
            ? Location(compressedIn: place.segment, recordOffset: place.offset) : place
    }

    /// The record at a location, if it is still in the unwritten buffer; valid until the next
    /// append. Records that were spilled are read through `reader`.
    @inlinable @inline(__always)
    package func pendingRecord(at location: Location) -> UnsafeRawPointer? {
        let offset = location.offset &- batch.pointee.segmentOffset
        // A compressed location has another upper half: only compaction appends what it names.
        guard location.upperHalf == UInt64(batch.pointee.segment),
            offset >= BatchHeader.byteCount, offset < batch.pointee.count
        else { return nil }
        return UnsafeRawPointer(batch.pointee.base + offset)
    }

    /// The same as `pendingRecord`, as a record.
    @inlinable
    package func pendingRecordPointer(at location: Location) -> RecordPointer? {
        guard let base = pendingRecord(at: location) else { return nil }
        return RecordPointer(unsafeBase: base, offset: location.offset)
    }

    private func makeRoomIfNeeded(
        key: Int, value: Int, byteCount: Int, kind: RecordKind
    ) throws(LogError) {
        if batch.pointee.count + byteCount > batch.pointee.limit
            || key > RecordLayout.keyByteCountMax || value > RecordLayout.valueByteCountMax
        {
            try makeRoom(key: key, value: value, byteCount: byteCount, kind: kind)
        }
        batch.pointee.kinds |= 1 << UInt32(kind.rawValue)
    }

    /// The slow path of appending: checks the limits, writes the batch when it is full, begins a
    /// batch, and a segment, with room for the record.
    @usableFromInline @inline(never)
    func makeRoom(
        key: Int, value: Int, byteCount: Int, kind: RecordKind
    ) throws(LogError) {
        precondition(writer.isInTransaction, "append needs beginTransaction")
        guard key <= RecordLayout.keyByteCountMax else { throw .keyTooLarge(byteCount: key) }
        guard value <= RecordLayout.valueByteCountMax else {
            throw .valueTooLarge(byteCount: value)
        }
        if let failure = writer.transactionFailure { throw failure }
        do throws(LogError) {
            try durability.checkIsHealthy()
            if batch.pointee.count > 0 {
                try writeBatch(
                    isLast: false, mayUseReserve: !hasAppendedLiveData || writer.mayUseReserve)
            }
            let mayUseReserve =
                !hasAppendedLiveData && kind.usesReserve || writer.mayUseReserve
            try beginBatch(recordByteCount: byteCount, mayUseReserve: mayUseReserve)
        } catch {
            fail(error)
            throw error
        }
    }

    /// True when the transaction holds something that a full disk must not accept.
    var hasAppendedLiveData: Bool {
        let live: [RecordKind] = [.put, .move, .indexPut, .pack]
        return live.contains { batch.pointee.kinds & 1 << UInt32($0.rawValue) != 0 }
    }

    /// Ends what the open transaction may still do.
    func fail(_ error: LogError) {
        writer.transactionFailure = error
        if case .diskFull = error { writer.isShortOfSpace = true }
        batch.pointee.drop()
    }
}
