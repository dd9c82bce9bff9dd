import CPlatform
import OrderedIndex
import SegmentLog
import TravertineStore

/// Compares an index with the whole log in both directions, while the log is read once in order.
///
/// From the index to the log: every place in the index is marked; every marked place must turn up
/// in the log as a put or move of the same key. That is decided by count and by the sum of a hash
/// of place, keyspace and key, so that nothing is looked up for a live record.
/// From the log to the index: a put whose place is not marked must have been replaced by one after
/// it, or deleted later; a deleted key must not be in the index with an older place. A move counts
/// as a put, and a moved tombstone as a delete: the log has one order, and compaction copies
/// nothing under the writer gate but what is the newest there, or is absent.
struct LogAgainstIndex: RecoveryVisitor {
    /// One index, with what was found about it. One thread has it, and no change of it is made
    /// inside of another: its properties are changed for every record, without asking for that
    /// each time.
    final class Subject {
        let name: String
        let store: ReplayedStore
        let access: ReadAccess
        @exclusivity(unchecked) fileprivate(set) var marks: LocationMarks
        @exclusivity(unchecked) fileprivate(set) var expectedCount = 0
        @exclusivity(unchecked) fileprivate(set) var expectedSum: UInt64 = 0
        @exclusivity(unchecked) fileprivate(set) var seenCount = 0
        @exclusivity(unchecked) fileprivate(set) var seenSum: UInt64 = 0
        /// Records that are newer than what the index has of their key.
        @exclusivity(unchecked) fileprivate(set) var staleCount = 0
        @exclusivity(unchecked) fileprivate(set) var firstStale: (location: Location, lsn: LSN)?
        /// Keys that the log has and the index has not, until the log deletes them.
        @exclusivity(unchecked) fileprivate(set) var missing: Set<UInt64> = []
        /// The live bytes as they really are.
        @exclusivity(unchecked) fileprivate(set) var usage = SegmentUsage()
        /// Keys that are looked up together, and the records that they belong to.
        @exclusivity(unchecked) fileprivate var keys = KeyBatch()
        @exclusivity(unchecked) fileprivate var waiting: [Waiting] = []

        /// Marks every place in an index.
        init(
            _ store: ReplayedStore, name: String, segments: [UInt32]
        ) throws(StoreError) {
            self.store = store
            self.name = name
            access = store.access
            marks = LocationMarks(segments: segments)
            for keyspace in KeyspaceID.ofTrees(0..<access.treeCount)
            where access.tree(of: keyspace).flags & TreeFlags.derived == 0 {
                var cursor = access.cursor(in: keyspace)
                var isValid = try cursor.seekToFirst()
                while isValid {
                    let location = Location(rawValue: cursor.indexValue)
                    _ = marks.insert(location)
                    expectedCount += 1
                    expectedSum &+= cursor.withKey { fingerprint(location, keyspace, $0) }
                    isValid = try cursor.next()
                }
            }
        }

        /// Whether every place in the index turned up in the log under its key.
        var isInLog: Bool { expectedCount == seenCount && expectedSum == seenSum }
    }

    let subject: Subject
    let progress: (Int) -> Void
    private var byteCount = 0

    init(_ subject: Subject, progress: @escaping (Int) -> Void) {
        self.subject = subject
        self.progress = progress
    }

    mutating func beginTransaction(firstLSN: LSN) {}

    mutating func endTransaction(lastLSN: LSN) { progress(byteCount) }

    mutating func record(_ record: RecoveredRecord) throws {
        byteCount += record.storedByteCount
        let isPut: Bool
        switch record.kind {
        case .put, .move: isPut = true
        case .delete, .tombstoneMove: isPut = false
        case .indexPut, .indexDelete, .indexReset, .rollback, .retireSegment, .pack: return
        }
        guard isPut, subject.marks.contains(record.location) else {
            return try subject.checkLater(record)
        }
        subject.seenCount += 1
        subject.seenSum &+= fingerprint(record.location, record.keyspace, record.key)
        subject.usage.add(record.storedByteCount, to: record.location.segment)
    }

    /// Checks what still waits for others to be looked up with.
    func finish() throws {
        try subject.check()
    }
}

/// Records whose keys must be looked up; several at once, for each waits for memory.
extension LogAgainstIndex.Subject {
    /// A record whose key is in the batch.
    fileprivate struct Waiting {
        var kind: RecordKind
        var keyspace: KeyspaceID
        var location: Location
        var lsn: LSN
    }

    /// Checks a put without a mark, or a tombstone, together with the next ones.
    fileprivate func checkLater(_ record: RecoveredRecord) throws {
        // A dropped keyspace is gone with all its keys; their puts may be left, without tombstones.
        if givesValue(record.kind), hasTree(record.keyspace),
            access.tree(of: record.keyspace).flags & TreeFlags.dropped != 0
        {
            return
        }
        if keys.isFull || waiting.first.map({ $0.keyspace != record.keyspace }) ?? false {
            try check()
        }
        keys.append(record.key)
        waiting.append(
            Waiting(
                kind: record.kind, keyspace: record.keyspace, location: record.location,
                lsn: record.lsn))
    }

    /// Looks the keys that wait up, and judges their records in the order of the log.
    fileprivate func check() throws {
        guard let keyspace = waiting.first?.keyspace else { return }
        let isThere = hasTree(keyspace)
        if isThere { try keys.lookUp(in: access.tree(of: keyspace), of: access.index) }
        for (place, record) in waiting.enumerated() {
            let found = isThere ? keys.value(place).map { Location(rawValue: $0) } : nil
            judge(record, key: keys.key(place), current: found)
        }
        keys.removeAll()
        waiting.removeAll(keepingCapacity: true)
    }

    private func judge(_ record: Waiting, key: UnsafeRawBufferPointer, current: Location?) {
        if givesValue(record.kind) {
            guard let current else {
                missing.insert(fingerprint(Location(rawValue: 0), record.keyspace, key))
                return
            }
            if isBefore(current, record.location) { noteStale(record) }
            return
        }
        if !missing.isEmpty {
            missing.remove(fingerprint(Location(rawValue: 0), record.keyspace, key))
        }
        guard let current else { return }
        if isBefore(current, record.location) { noteStale(record) }
    }

    private func hasTree(_ keyspace: KeyspaceID) -> Bool { keyspace.treeNumber < access.treeCount }

    private func noteStale(_ record: Waiting) {
        staleCount += 1
        if firstStale == nil { firstStale = (record.location, record.lsn) }
    }

    private func isBefore(_ left: Location, _ right: Location) -> Bool {
        (left.segment.rawValue, left.offset) < (right.segment.rawValue, right.offset)
    }
}

/// Whether a record gives its key a value.
private func givesValue(_ kind: RecordKind) -> Bool { kind == .put || kind == .move }

/// A hash of a place and the key that is there.
private func fingerprint(
    _ location: Location, _ keyspace: KeyspaceID, _ key: UnsafeRawBufferPointer
) -> UInt64 {
    let sum = travertine_crc32c(keyspace.rawValue, key.baseAddress, key.count)
    // The size in a location is a hint; the place is what counts.
    var hash = (location.rawValue >> 9) &* 0x9e37_79b9_7f4a_7c15
    hash ^= (UInt64(sum) << 32 | UInt64(keyspace.rawValue)) &* 0xbf58_476d_1ce4_e5b9
    hash ^= hash >> 29
    hash = hash &* 0x94d0_49bb_1331_11eb
    return hash ^ hash >> 32
}
