import SegmentLog

/// What compaction must copy out of its segments: live records, and tombstones that may be needed.
///
/// The records lie in the images of the segments, which stay in memory until the pass is over. Of
/// entries of packs only the keys do; `LiveRecordValues` has their values when they are copied.
struct LiveRecords {
    /// A record to copy.
    struct LiveRecord {
        var record: RecordPointer
        var location: Location
        var originalLSN: LSN
        var isTombstone: Bool
    }

    /// Live records and tombstones; `sort` puts them in the order of keyspaces and keys.
    private(set) var records = MappedArray<LiveRecord>()
    /// Tombstones whose keys are absent, until `keep` decides about them.
    private(set) var tombstones: [Tombstone] = []
    /// The greatest LSN of an undecided tombstone.
    private var newestOpenLSN = LSN.zero
    /// The images by segment.
    private(set) var images: [SegmentNumber: SegmentImage] = [:]

    /// A tombstone that goes unless an older segment has a value of its key.
    struct Tombstone {
        var liveRecord: LiveRecord
        var hash: UInt32
        var isNeeded = false
    }

    var byteCount: Int { records.reduce(0) { $0 + $1.record.storedByteCount } }

    /// Adds what a segment holds that is live in the version that `access` reads.
    ///
    /// What is dead there stays dead: a location never becomes the newest again. Throws, and adds
    /// nothing, at damage.
    mutating func add(_ image: SegmentImage, access: ReadAccess) throws {
        let count = records.count
        var deleted: [Tombstone] = []
        let batch = KeyBatch(copiesKeys: false)
        var entries: [SegmentImage.Entry] = []
        entries.reserveCapacity(KeyBatch.capacity)
        func decide() throws {
            guard let keyspace = entries.first?.record.keyspace else { return }
            try batch.lookUp(in: access.tree(of: keyspace), of: access.index)
            for (place, entry) in entries.enumerated() {
                let current = batch.value(place)
                if entry.kind == .put || entry.kind == .move {
                    if current == entry.location.rawValue {
                        try records.append(LiveRecord(entry, isTombstone: false))
                    }
                } else if current == nil, Self.mayConcern(keyspace, access) {
                    deleted.append(
                        Tombstone(
                            liveRecord: LiveRecord(entry, isTombstone: true),
                            hash: KeyHashes.hash(of: entry.record.key, in: keyspace)))
                }
            }
            batch.removeAll()
            entries.removeAll(keepingCapacity: true)
        }
        do {
            try image.forEachRecord(keepsKeys: true) { entry in
                switch entry.kind {
                case .put, .move, .delete, .tombstoneMove:
                    if batch.isFull || entries.first?.record.keyspace != entry.record.keyspace {
                        try decide()
                    }
                    entries.append(entry)
                    batch.appendInPlace(entry.record.key)
                case .indexPut, .indexDelete, .indexReset, .rollback, .retireSegment, .pack:
                    return
                }
            }
            try decide()
        } catch {
            records.removeAll(from: count)
            throw error
        }
        tombstones += deleted
        for tombstone in deleted {
            newestOpenLSN = max(newestOpenLSN, tombstone.liveRecord.originalLSN)
        }
        images[image.header.number] = image
    }

    /// Whether a keyspace has a tree to be deleted from. A transaction that was rolled back may
    /// have deleted from a keyspace that it had made: there is none, and nothing to be deleted.
    private static func mayConcern(_ keyspace: KeyspaceID, _ access: ReadAccess) -> Bool {
        keyspace.treeNumber < access.treeCount
            && access.tree(of: keyspace).flags & TreeFlags.dropped == 0
    }

    /// Whether an undecided tombstone is younger than what a segment begins with.
    func concerns(_ segment: SegmentSummary) -> Bool { segment.firstLSN < newestOpenLSN }

    /// M5: marks the tombstones that a segment makes necessary; nil hashes mean every key.
    mutating func keepTombstones(against segment: SegmentSummary, _ hashes: KeyHashes?) {
        for place in tombstones.indices where tombstones[place].isOpen(for: segment) {
            tombstones[place].isNeeded = hashes?.contains(tombstones[place].hash) ?? true
        }
        newestOpenLSN = .zero
        for tombstone in tombstones where !tombstone.isNeeded {
            newestOpenLSN = max(newestOpenLSN, tombstone.liveRecord.originalLSN)
        }
    }

    /// Puts the needed tombstones to the records, and sorts all by keyspace and key.
    ///
    /// Throws when the system has no memory.
    mutating func sort() throws(FileSystemError) {
        for tombstone in tombstones where tombstone.isNeeded {
            try records.append(tombstone.liveRecord)
        }
        tombstones = []
        let records = records
        let order = KeyOrder.places(records.count) {
            (records[$0].record.keyspace, records[$0].record.key)
        }
        let sorted = MappedArray<LiveRecord>()
        try sorted.grow(to: records.count)
        for place in order { try sorted.append(records[place]) }
        self.records = sorted
    }
}

extension LiveRecords.LiveRecord {
    init(_ entry: SegmentImage.Entry, isTombstone: Bool) {
        record = entry.record
        location = entry.location
        originalLSN = entry.originalLSN
        self.isTombstone = isTombstone
    }
}

extension LiveRecords.Tombstone {
    /// Whether it is not yet decided, and the segment may hold what it deletes. The log has one
    /// order, so that a segment that begins after a tombstone has nothing for it to delete.
    fileprivate func isOpen(for segment: SegmentSummary) -> Bool {
        !isNeeded && segment.number != liveRecord.location.segment
            && segment.firstLSN < liveRecord.originalLSN
    }
}
