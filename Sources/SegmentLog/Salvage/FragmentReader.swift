/// Reads records again that a scan found, with every checksum checked again.
package enum FragmentReader {
    /// The header of the valid batch at a position; nil if it reads differently now.
    package static func batch(in window: SourceWindow, at position: Int) -> BatchHeader? {
        BatchProbe.batch(in: window, at: position)
    }

    /// The position of the next valid batch at or after `start`, wherever it belongs; nil if none
    /// is.
    package static func nextBatch(in window: SourceWindow, from start: Int) -> Int? {
        var position = start
        while let magic = BatchProbe.nextMagic(in: window, from: position) {
            if BatchProbe.batch(in: window, at: magic) != nil { return magic }
            position = magic + 1
        }
        return nil
    }

    /// Calls `body` with each record of a valid batch and its position in the source.
    ///
    /// The pointers in a record are valid during the call, in which the window must not be used.
    /// The entries of a pack are shown as moves, unless the packs themselves are asked for.
    package static func forEachRecord(
        of batch: BatchHeader, at position: Int, in window: SourceWindow, number: SegmentNumber,
        expandsPacks: Bool = true,
        _ body: (RecoveredRecord, Int) throws -> Void
    ) rethrows {
        guard let base = window.bytes(at: position, count: Int(batch.byteCount)) else { return }
        let origin = Int(batch.offset)
        var place = BatchHeader.byteCount
        for _ in 0..<batch.recordCount {
            guard
                let record = SegmentReader.checked(
                    base: base - origin, offset: origin + place,
                    limit: origin + Int(batch.byteCount)), let kind = record.kind
            else { return }
            if kind == .pack, expandsPacks {
                try forEachEntry(of: record, lsn: batch.lsn, number: number) {
                    try body($0, position + place)
                }
            } else {
                try body(
                    RecoveredRecord(record, kind: kind, lsn: batch.lsn, segment: number),
                    position + place)
            }
            place += record.storedByteCount
        }
    }

    /// The record at a position, if its checksum matches.
    private static func record(
        in window: SourceWindow, at position: Int, _ context: FragmentContext
    ) -> (RecordPointer, RecordKind)? {
        let record = BatchProbe.record(
            in: window, at: position, limit: window.byteCount, context: context,
            saltChecksum: SegmentHeader.checksum(ofSalt: context.salt))
        guard let record, let kind = record.kind else { return nil }
        return (record, kind)
    }

    /// The entries of a pack as records, none if it contradicts itself.
    private static func forEachEntry(
        of pack: RecordPointer, lsn: LSN, number: SegmentNumber,
        _ body: (RecoveredRecord) throws -> Void
    ) rethrows {
        let entries = PackExpansion()
        // The records point into it.
        defer { withExtendedLifetime(entries) {} }
        guard entries.fill(from: pack) else { return }
        for ordinal in 0..<entries.count {
            try body(RecoveredRecord(entries, ordinal, of: pack, lsn: lsn, segment: number))
        }
    }

    /// Calls `body` with a single record, if its checksum matches; for a pack with each of its
    /// entries. `lsn` is what is known of it.
    package static func forEachRecord(
        at position: Int, context: FragmentContext, lsn: LSN, number: SegmentNumber,
        in window: SourceWindow, _ body: (RecoveredRecord) throws -> Void
    ) rethrows {
        guard let (record, kind) = record(in: window, at: position, context) else {
            return
        }
        if kind == .pack {
            try forEachEntry(of: record, lsn: lsn, number: number, body)
        } else {
            try body(RecoveredRecord(record, kind: kind, lsn: lsn, segment: number))
        }
    }

    /// Calls `body` with a single record, if its checksum matches, and for a pack with one of its
    /// entries; `lsn` is what is known of it. `expansion` has the entries of the pack
    /// afterwards, and is left alone if the record is none.
    package static func withRecord<Result>(
        at position: Int, ordinal: Int = 0, context: FragmentContext, lsn: LSN,
        number: SegmentNumber, in window: SourceWindow,
        expansion entries: PackExpansion = PackExpansion(),
        _ body: (RecoveredRecord) throws -> Result
    ) rethrows -> Result? {
        guard let (record, kind) = record(in: window, at: position, context) else {
            return nil
        }
        if kind == .pack {
            defer { withExtendedLifetime(entries) {} }
            guard entries.fill(from: record), ordinal < entries.count else { return nil }
            return try body(
                RecoveredRecord(entries, ordinal, of: record, lsn: lsn, segment: number))
        }
        return try body(RecoveredRecord(record, kind: kind, lsn: lsn, segment: number))
    }
}
