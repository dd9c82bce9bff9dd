/// Going through the records of a verified batch.
extension SegmentScanner {
    /// How many records are shown at a time before they are visited.
    private static let expectedCount = 16

    /// The records of a batch that `batch(at:)` has just verified. `body` gets with the first of
    /// every 16 records all of them, from it on, except for the entries of packs.
    func forEachRecord(
        of batch: BatchHeader, at offset: Int,
        _ body: (RecoveredRecord, _ expected: UnsafeBufferPointer<RecordPointer>) throws -> Void
    ) throws {
        func damage(_ reason: String) -> LogError {
            .damaged(LogDamage(file: path, offset: UInt64(offset), lsn: batch.lsn, reason: reason))
        }
        guard let base = try bytes(at: offset, count: Int(batch.byteCount)) else {
            throw damage("the batch can't be read a second time")
        }
        var place = BatchHeader.byteCount
        var expansion: PackExpansion?
        // The records of its entries point into it.
        defer { withExtendedLifetime(expansion) {} }
        let expected = UnsafeMutableBufferPointer<RecordPointer>.allocate(
            capacity: Self.expectedCount)
        defer { expected.deallocate() }
        for number in 0..<batch.recordCount {
            let record = RecordPointer(unsafeBase: base + place, offset: offset + place)
            var expectedCount = 0
            if number % UInt32(Self.expectedCount) == 0 {
                expectedCount = min(Self.expectedCount, Int(batch.recordCount - number))
                var next = record
                for index in 0..<expectedCount {
                    if index > 0 {
                        next = RecordPointer(
                            unsafeBase: next.base + next.storedByteCount,
                            offset: next.offset + next.storedByteCount)
                    }
                    expected.initializeElement(at: index, to: next)
                }
            }
            let shown = UnsafeBufferPointer(rebasing: expected[..<expectedCount])
            guard let kind = record.kind else { throw damage("a record has an unknown kind") }
            if kind == .pack {
                let entries = expansion ?? PackExpansion()
                expansion = entries
                guard entries.fill(from: record) else {
                    throw damage("the pack at offset \(offset + place) contradicts itself")
                }
                for ordinal in 0..<entries.count {
                    try body(
                        RecoveredRecord(
                            entries, ordinal, of: record, lsn: batch.lsn, segment: header.number),
                        UnsafeBufferPointer(start: nil, count: 0))
                }
            } else {
                try body(
                    RecoveredRecord(
                        record, kind: kind, lsn: batch.lsn, segment: header.number), shown)
            }
            place += record.storedByteCount
        }
    }
}

extension RecordPointer {
    /// The location that the index has for the record; for a pack, that of its first entry.
    func location(in segment: SegmentNumber) -> Location {
        isCompressed || rawKind == RecordKind.pack.rawValue
            ? Location(compressedIn: segment, recordOffset: offset)
            : Location(segment: segment, offset: offset, byteCount: storedByteCount)
    }
}
