extension SegmentLog {
    /// Marks the open transaction as compaction's: its batches carry the flag.
    ///
    /// - Parameter mayUseReserve: lets it use the space that is kept for deleting, as what it
    ///   copies gives back more.
    package func markCompaction(mayUseReserve: Bool = false) {
        precondition(writer.isInTransaction, "a mark needs a transaction")
        writer.isCompaction = true
        writer.mayUseReserve = mayUseReserve
    }

    /// Where the newest retirement table lies, `none` when nothing was ever retired. Set it after
    /// recovery when the record lies before the place where replay began.
    package var retirementLocation: Location? {
        get { writer.retirementLocation }
        set { writer.retirementLocation = newValue }
    }

    /// The retirement table; read from its record the first time. The writing thread.
    package func retirementTable() throws(LogError) -> RetirementTable {
        if let table = writer.retirementTable { return table }
        let table = try readRetirementTable(at: writer.retirementLocation)
        writer.retirementTable = table
        return table
    }

    /// Reads the table at a location, by `pread`; the empty one for nil. Any thread.
    func readRetirementTable(at location: Location?) throws(LogError) -> RetirementTable {
        guard let location else { return RetirementTable() }
        let fetcher = RecordFetcher(of: self)
        let record = try fetcher.record(at: location)
        guard record.kind == .retireSegment, let table = RetirementTable(decoding: record.value)
        else {
            throw .damaged(
                LogDamage(
                    file: path(of: location.segment), offset: UInt64(location.offset), lsn: nil,
                    reason: "the record here is no retirement table"))
        }
        withExtendedLifetime(fetcher) {}
        return table
    }

    /// Appends a table that retires these segments too to the open transaction. Once the
    /// transaction is durable, and `didRetire` was called with what this returns, their files may
    /// be removed.
    ///
    /// Needs a log without unreachable segments (`removeUnreachableForGood`): one that names the
    /// same predecessor as a retired segment could take its place in a replay of the whole log.
    package func appendRetirement(
        of segments: [(summary: SegmentSummary, continuation: RetirementTable.Continuation)]
    ) throws(LogError) -> (table: RetirementTable, location: Location) {
        precondition(
            segments.isEmpty || writer.unreachable.isEmpty, "unreachable segments are removed first"
        )
        var table = try retirementTable()
        for segment in segments { table.add(segment.summary, segment.continuation) }
        let location = try table.encoded.withUnsafeBufferPointer {
            (buffer: UnsafeBufferPointer<UInt8>) throws(LogError) -> Location in
            let bytes = UnsafeRawBufferPointer(buffer)
            // Once it is durable, the files of the segments in it are removed (rule 9).
            precondition(
                RetirementTable(decoding: bytes) == table,
                "the retirement table is not one that can be read")
            return try append(
                kind: .retireSegment, keyspace: .system,
                key: UnsafeRawBufferPointer(start: nil, count: 0), value: bytes)
        }
        return (table, location)
    }

    /// Removes what `removeUnreachableSegments` removes, so that no crash brings it back; true when
    /// nothing unreachable is left. The writing thread, outside of a transaction.
    package func removeUnreachableForGood() throws(LogError) -> Bool {
        if writer.unreachable.isEmpty { return true }
        try removeUnreachableSegments()
        guard writer.unreachable.isEmpty else { return false }
        try durability.syncDirectory()
        return true
    }

    /// Retired segments whose files recovery, or `loadOlderSegments`, found. The writing thread.
    package var retiredFiles: [SegmentNumber] { writer.retiredFiles }

    /// The segments that nothing is appended to any more, by number. The writing thread.
    package var sealedSegments: [SegmentSummary] {
        let open = [writer.active?.header.number, writer.resumable?.header.number]
        return segments.filter { !open.contains($0.number) }
    }

    /// The bytes of the spare; 0 without one. The writing thread.
    package var spareByteCount: Int { writer.spare?.byteCount ?? 0 }

    /// The transaction with the table is written.
    package func didRetire(_ table: RetirementTable, location: Location) {
        writer.retirementTable = table
        writer.retirementLocation = location
    }

    /// Removes the files of retired segments permanently: the directory is synced before they leave
    /// `segments`, so that no crash brings one back unnoticed.
    ///
    /// The caller has a durable record that retires them, and knows of no reader. A failed sync
    /// poisons the log. Any thread; one at a time.
    package func removeRetired(_ numbers: [SegmentNumber]) throws(LogError) {
        if numbers.isEmpty { return }
        try durability.checkIsHealthy()
        for number in numbers {
            do throws(FileSystemError) {
                try environment.fileSystem.remove(path(of: number))
            } catch  where error.isNotFound {
                // An earlier attempt removed it and failed later.
                continue
            } catch {
                throw .io(error)
            }
        }
        try durability.syncDirectory()
        for number in numbers {
            mappings.remove(number)
            summaries.withLock { $0[number] = nil }
        }
    }
}

extension SegmentLog {
    /// Appends the table as it is, to begin a segment with something.
    package func appendRetirement() throws(LogError) -> (
        table: RetirementTable, location: Location
    ) {
        try appendRetirement(of: [])
    }
}
