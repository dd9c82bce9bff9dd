import OrderedIndex
import SegmentLog

/// Applies the records of the log to an index transaction, in LSN order.
struct ReplayVisitor: RecoveryVisitor {
    let writer: IndexWriter
    var usage: SegmentUsage
    let log: SegmentLog
    /// Opening maps nothing (2).
    let fetcher: RecordFetcher
    /// Whether operations of derived keyspaces count: without a checkpoint they may be incomplete
    /// (compaction drops them), so that the keyspaces are rebuilt instead (4.4).
    let appliesDerived: Bool
    /// Whether the log is replayed from its beginning: then a move stands for the record that it
    /// was copied from, which may be gone, and a keyspace may have records before its definition.
    let startsAtBeginning: Bool
    init(
        writer: IndexWriter, usage: SegmentUsage, log: SegmentLog, appliesDerived: Bool,
        startsAtBeginning: Bool
    ) {
        self.writer = writer
        self.usage = usage
        self.log = log
        fetcher = RecordFetcher(of: log)
        self.appliesDerived = appliesDerived
        self.startsAtBeginning = startsAtBeginning
    }

    /// Whether the file of a segment is there, of those that were asked for.
    var fileExists: [SegmentNumber: Bool] = [:]

    mutating func beginTransaction(firstLSN: LSN) {}

    mutating func endTransaction(lastLSN: LSN) {}

    mutating func record(_ record: RecoveredRecord) throws {
        switch record.kind {
        case .put:
            try applyPut(record)
        case .move where startsAtBeginning:
            try applyPut(record)
        case .delete:
            try applyDelete(record)
        case .tombstoneMove where startsAtBeginning:
            try applyDelete(record)
        case .move, .tombstoneMove:
            try applyMove(record)
        case .indexPut, .indexDelete, .indexReset:
            if appliesDerived { try applyDerived(record) }
        case .retireSegment:
            applyRetirement(record)
        case .rollback, .pack:
            // The entries of packs arrive as moves.
            break
        }
    }

    /// Asks for the leaves that the records will change: entering random keys one by one mostly
    /// waits for memory, and so the waits of 16 overlap.
    mutating func expect(_ records: UnsafeBufferPointer<RecordPointer>) {
        guard let keyspace = records.first?.keyspace, keyspace.treeNumber < writer.treeCount else {
            return
        }
        withUnsafeTemporaryAllocation(
            of: UnsafeRawBufferPointer.self, capacity: IndexReader.batchCountMax
        ) { keys in
            var count = 0
            for record in records where record.keyspace == keyspace && count < keys.count {
                keys.initializeElement(at: count, to: record.key)
                count += 1
            }
            writer.reader.prefetch(
                keys: UnsafeBufferPointer(rebasing: keys[..<count]),
                in: writer.trees[keyspace.treeNumber])
        }
    }

    private mutating func applyDelete(_ record: RecoveredRecord) throws {
        try makeTree(for: record)
        if let old = try writer.remove(record.key, in: record.keyspace.treeNumber) { retire(old) }
    }

    private mutating func applyPut(_ record: RecoveredRecord) throws {
        if record.keyspace == .system {
            guard let definition = KeyspaceDefinition(key: record.key, value: record.value) else {
                throw StoreError(
                    .damaged, "A keyspace definition in the log can't be decoded.",
                    lsn: record.lsn.rawValue)
            }
            try makeTrees(upTo: definition.id, lsn: record.lsn)
            if definition.kind == .dropped { try drop(definition.id) }
            writer.trees[definition.id.treeNumber].flags = definition.treeFlags
        }
        try makeTree(for: record)
        let location = record.location
        let old = try writer.insert(
            record.key, value: location.rawValue, in: record.keyspace.treeNumber)
        if let old { retire(old) }
        usage.add(record.storedByteCount, to: location.segment)
    }

    /// A move counts only if the entry is still where the record was moved from (M3).
    private mutating func applyMove(_ record: RecoveredRecord) throws {
        try makeTree(for: record)
        guard record.kind == .move, let source = record.sourceLocation,
            try writer.value(forKey: record.key, in: record.keyspace.treeNumber) == source.rawValue
        else { return }
        _ = try writer.insert(
            record.key, value: record.location.rawValue, in: record.keyspace.treeNumber)
        retire(source.rawValue)
        usage.add(record.storedByteCount, to: record.location.segment)
    }

    /// Empties a keyspace that was dropped. Its keys were deleted one by one before, but compaction
    /// may have left out the tombstones.
    private mutating func drop(_ id: KeyspaceID) throws {
        var cursor = writer.reader.makeCursor(over: writer.trees[id.treeNumber])
        let isDerived = writer.trees[id.treeNumber].flags & TreeFlags.derived != 0
        var isValid = try !isDerived && cursor.seekToFirst()
        while isValid {
            retire(cursor.value)
            isValid = try cursor.next()
        }
        writer.removeAll(in: id.treeNumber)
    }

    /// The segments of a retirement table hold nothing that is live.
    private mutating func applyRetirement(_ record: RecoveredRecord) {
        guard let table = RetirementTable(decoding: record.value) else { return }
        for (number, _) in usage.segments {
            let number = SegmentNumber(rawValue: number)
            if table.contains(number) { usage.clear(number) }
        }
    }

    private func applyDerived(_ record: RecoveredRecord) throws {
        try makeTree(for: record)
        let tree = record.keyspace.treeNumber
        // Its definition may come later.
        writer.trees[tree].flags |= TreeFlags.derived
        switch record.kind {
        case .indexPut:
            guard record.value.count == 8 else {
                throw StoreError(
                    .damaged, "A derived record in the log has no 8-byte value.",
                    lsn: record.lsn.rawValue)
            }
            let value = UInt64(littleEndian: record.value.loadUnaligned(as: UInt64.self))
            _ = try writer.insert(record.key, value: value, in: tree)
        case .indexDelete:
            _ = try writer.remove(record.key, in: tree)
        default:
            writer.removeAll(in: tree)
            writer.trees[tree].flags &= ~TreeFlags.invalid
        }
    }

    private mutating func retire(_ location: UInt64) {
        let location = Location(rawValue: location)
        let byteCount =
            isReadable(location)
            ? SegmentLog.storedByteCount(at: location, record: fetcher.record(at:))
            : SegmentLog.leastStoredByteCount(at: location)
        usage.add(-byteCount, to: location.segment)
    }

    /// Whether the size of a record can be found out. The segment may be one that is retired
    /// further on in the log, and removed: then no record there is looked for.
    private mutating func isReadable(_ location: Location) -> Bool {
        if location.sizeHint != nil { return true }
        if let known = fileExists[location.segment] { return known }
        let found = log.hasFile(of: location.segment)
        fileExists[location.segment] = found
        return found
    }

    /// Marks every derived keyspace as lost.
    mutating func invalidateDerived() {
        for tree in 0..<writer.treeCount where writer.trees[tree].flags & TreeFlags.derived != 0 {
            writer.removeAll(in: tree)
            writer.trees[tree].flags |= TreeFlags.invalid
        }
    }

    /// The derived keyspaces that must be rebuilt before they are used.
    var invalidDerivedKeyspaces: [KeyspaceID] {
        (0..<writer.treeCount).filter { writer.trees[$0].flags & TreeFlags.invalid != 0 }
            .map { KeyspaceID(treeNumber: $0) }
    }

    private func makeTree(for record: RecoveredRecord) throws {
        if startsAtBeginning { try makeTrees(upTo: record.keyspace, lsn: record.lsn) }
        guard record.keyspace.treeNumber < writer.treeCount else {
            throw StoreError(
                .damaged,
                "A record in the log belongs to keyspace \(record.keyspace), which was never "
                    + "created. Run `travertine fsck`.", lsn: record.lsn.rawValue)
        }
    }

    private func makeTrees(upTo id: KeyspaceID, lsn: LSN) throws {
        guard id.treeNumber < KeyspaceDefinition.idLimit else {
            throw StoreError(
                .damaged, "The log defines keyspace \(id); there can't be so many.",
                lsn: lsn.rawValue)
        }
        while writer.treeCount <= id.treeNumber { _ = writer.appendTree(.empty) }
    }
}
