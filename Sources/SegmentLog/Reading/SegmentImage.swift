/// A sealed segment in memory, for compaction: read through `pread`, every batch and record
/// verified before it is shown.
///
/// The bytes stay as long as this object; nothing that happens to the file reaches them. One
/// thread.
package final class SegmentImage {
    private let scanner: SegmentScanner
    private let endOffset: Int
    /// The pack that is shown.
    private let expansion = PackExpansion()
    /// The keys of packs, as far as the caller keeps them.
    private var keys: [PackExpansion] = []
    /// The segment's header.
    package var header: SegmentHeader { scanner.header }

    /// A record of the image, with the LSN of its batch.
    package struct Entry {
        package var record: RecordPointer
        package var kind: RecordKind
        package var lsn: LSN
        package var location: Location

        /// The LSN that the record had first.
        package var originalLSN: LSN { record.originalLSN ?? lsn }
    }

    init(scanner: SegmentScanner, endOffset: Int) {
        self.scanner = scanner
        self.endOffset = endOffset
    }

    /// Calls `body` for every record, in the order of the log. What `Entry` points to lives as long
    /// as the image. The entries of a pack are shown as moves; they take more memory, which is
    /// used again from pack to pack. With `keepsKeys` they live as long as the image too, but
    /// without their values: `expand` has these, and memory is not a multiple of the segment's.
    ///
    /// Throws `.damaged` at the first batch or record that is not what it must be.
    package func forEachRecord(
        keepsKeys: Bool = false, _ body: (Entry) throws -> Void
    ) throws {
        guard try scanner.bytes(at: 0, count: endOffset) != nil else {
            throw damage(at: 0, "the segment is shorter than its batches")
        }
        var offset = SegmentHeader.byteCount
        while offset < endOffset {
            guard case .batch(let batch, _) = try scanner.batch(at: offset) else {
                throw damage(at: offset, "no valid batch is here")
            }
            let end = offset + Int(batch.byteCount)
            guard end <= endOffset, let base = try scanner.bytes(at: 0, count: end) else {
                throw damage(at: offset, "the batch ends after the end of its segment")
            }
            var place = offset + BatchHeader.byteCount
            for _ in 0..<batch.recordCount {
                let record = RecordPointer(unsafeBase: base + place, offset: place)
                guard let kind = record.kind else {
                    throw damage(at: place, "a record has an unknown kind")
                }
                if kind == .pack {
                    try forEachEntry(of: record, lsn: batch.lsn, keepsKeys: keepsKeys, body)
                } else {
                    let location = record.location(in: header.number)
                    try body(
                        Entry(record: record, kind: kind, lsn: batch.lsn, location: location))
                }
                place += record.storedByteCount
            }
            offset = end
        }
    }

    /// Expands the pack whose entry is at a location, with values; false if none is there. For the
    /// locations that `forEachRecord` has shown.
    package func expand(packAt location: Location, into expansion: PackExpansion) throws -> Bool {
        guard location.isCompressed, location.recordOffset >= SegmentHeader.byteCount,
            let base = try scanner.bytes(at: 0, count: endOffset),
            let record = SegmentReader.checked(
                base: base, offset: location.recordOffset, limit: endOffset)
        else { return false }
        return expansion.fill(from: record)
    }

    private func forEachEntry(
        of pack: RecordPointer, lsn: LSN, keepsKeys: Bool, _ body: (Entry) throws -> Void
    ) throws {
        guard expansion.fill(from: pack) else {
            throw damage(at: pack.offset, "a pack contradicts itself")
        }
        var entries = expansion
        if keepsKeys {
            entries = PackExpansion(keysOf: expansion)
            keys.append(entries)
        }
        for ordinal in 0..<entries.count {
            let location = Location(
                compressedIn: header.number, recordOffset: pack.offset, ordinal: ordinal)
            try body(Entry(record: entries[ordinal], kind: .move, lsn: lsn, location: location))
        }
    }

    /// What the segment says of the transaction that is open where it begins.
    package func continuation() throws -> RetirementTable.Continuation {
        var found = RetirementTable.Continuation()
        var offset = SegmentHeader.byteCount
        var transaction: LSN?
        while offset < endOffset {
            guard case .batch(let batch, let contents) = try scanner.batch(at: offset) else {
                throw damage(at: offset, "no valid batch is here")
            }
            if batch.transactionFirstLSN == batch.lsn { return found }
            if transaction ?? batch.transactionFirstLSN != batch.transactionFirstLSN {
                return found
            }
            transaction = batch.transactionFirstLSN
            if contents.hasRollback {
                try scanner.forEachRecord(of: batch, at: offset) { record, _ in
                    guard let target = TransactionPlace(rollback: record),
                        target.lsn < header.firstLSN
                    else { return }
                    found.voidFrom = min(found.voidFrom ?? target, target)
                }
            }
            if batch.isLast {
                found.outcome = .committed
                return found
            }
            offset += Int(batch.byteCount)
        }
        found.outcome = .open
        return found
    }

    private func damage(at offset: Int, _ reason: String) -> LogError {
        .damaged(
            LogDamage(file: scanner.path, offset: UInt64(offset), lsn: nil, reason: reason))
    }
}

extension SegmentLog {
    /// Reads a sealed segment into memory; nothing of it is verified before its records are asked
    /// for.
    ///
    /// It holds no descriptor: a pass may have as many images as there are segments.
    package func image(of segment: SegmentSummary) throws(LogError) -> SegmentImage {
        let scanner = try scanner(of: segment)
        let end = Int(clamping: segment.endOffset)
        do throws(FileSystemError) {
            try scanner.readWhole(end: end)
        } catch {
            throw .io(error)
        }
        return SegmentImage(scanner: scanner, endOffset: end)
    }

    /// Whether a segment's file is there.
    package func hasFile(of number: SegmentNumber) -> Bool {
        environment.fileSystem.exists(path(of: number))
    }

    /// Opens a segment for reading by `pread`, if the file's header is the one that the log knows.
    func scanner(of segment: SegmentSummary) throws(LogError) -> SegmentScanner {
        do throws(FileSystemError) {
            let file = try environment.fileSystem.open(path(of: segment.number), .readOnly)
            do throws(FileSystemError) {
                let header = try SegmentHeader.read(
                    from: file, number: segment.number, identity: identity)
                guard header.firstLSN == segment.firstLSN else {
                    throw .damage("the segment header is not its own", in: file.path)
                }
                return try SegmentScanner(file: file, header: header)
            } catch {
                file.close()
                throw error
            }
        } catch {
            guard error.code == 0 else { throw .io(error) }
            throw LogError(damageOrIO: error)
        }
    }
}
