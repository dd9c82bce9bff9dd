import SegmentLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What compaction has to copy out of its segments: live records, and tombstones that may be needed.
///
/// The records lie in the images of the segments, which stay in memory until the pass is over.
struct Survivors {
    /// A record to copy.
    struct Survivor {
        var record: RecordPointer
        var location: Location
        var originalLSN: LSN
        var isTombstone: Bool
    }

    /// Live records and tombstones; `sort` puts them in the order of keyspaces and keys.
    private(set) var records: [Survivor] = []
    /// Tombstones whose keys are absent, until `keep` decides about them.
    private(set) var tombstones: [Tombstone] = []
    /// The greatest LSN of an undecided tombstone.
    private var newestOpenLSN = LSN.zero
    private var images: [SegmentImage] = []

    /// A tombstone that goes unless an older segment has a value of its key.
    struct Tombstone {
        var survivor: Survivor
        var hash: UInt32
        var isNeeded = false
    }

    var byteCount: Int { records.reduce(0) { $0 + $1.record.storedByteCount } }

    /// Adds what a segment holds that is live in the version that `access` reads.
    ///
    /// What is dead there stays dead: a location never becomes the newest again. Throws, and adds
    /// nothing, at damage.
    mutating func add(_ image: SegmentImage, access: ReadAccess) throws {
        var live: [Survivor] = []
        var deleted: [Tombstone] = []
        try image.forEachRecord(keepsPacks: true) { entry in
            let record = entry.record
            switch entry.kind {
            case .put, .move:
                let current = try access.indexValue(forKey: record.key, in: record.keyspace)
                guard current == entry.location.rawValue else { return }
                live.append(Survivor(entry, isTombstone: false))
            case .delete, .tombstoneMove:
                // A transaction that was rolled back may have deleted from a keyspace that it had
                // made: no tree is there to be asked, and nothing to be deleted.
                guard Int(record.keyspace) < access.treeCount else { return }
                let flags = access.tree(of: record.keyspace).flags
                guard flags & TreeFlags.dropped == 0,
                    try access.indexValue(forKey: record.key, in: record.keyspace) == nil
                else { return }
                deleted.append(
                    Tombstone(
                        survivor: Survivor(entry, isTombstone: true),
                        hash: KeyHashes.hash(of: record.key, in: record.keyspace)))
            case .indexPut, .indexDelete, .indexReset, .rollback, .retireSegment, .pack:
                return
            }
        }
        records += live
        tombstones += deleted
        for tombstone in deleted {
            newestOpenLSN = max(newestOpenLSN, tombstone.survivor.originalLSN)
        }
        images.append(image)
    }

    /// Whether an undecided tombstone is younger than what a segment begins with.
    func concerns(_ segment: SegmentSummary) -> Bool { segment.firstLSN < newestOpenLSN }

    /// P15: marks the tombstones that a segment makes necessary; nil hashes mean every key.
    mutating func keepTombstones(against segment: SegmentSummary, _ hashes: KeyHashes?) {
        for place in tombstones.indices where tombstones[place].isOpen(for: segment) {
            tombstones[place].isNeeded = hashes?.contains(tombstones[place].hash) ?? true
        }
        newestOpenLSN = .zero
        for tombstone in tombstones where !tombstone.isNeeded {
            newestOpenLSN = max(newestOpenLSN, tombstone.survivor.originalLSN)
        }
    }

    /// Puts the needed tombstones to the records, and sorts all by keyspace and key.
    mutating func sort() {
        records += tombstones.filter(\.isNeeded).map(\.survivor)
        tombstones = []
        records.sort { left, right in
            let (left, right) = (left.record, right.record)
            if left.keyspace != right.keyspace { return left.keyspace < right.keyspace }
            let (first, second) = (left.key, right.key)
            let count = min(first.count, second.count)
            if count > 0, let one = first.baseAddress, let other = second.baseAddress {
                let order = memcmp(one, other, count)
                if order != 0 { return order < 0 }
            }
            return first.count < second.count
        }
    }
}

extension Survivors.Survivor {
    init(_ entry: SegmentImage.Entry, isTombstone: Bool) {
        record = entry.record
        location = entry.location
        originalLSN = entry.originalLSN
        self.isTombstone = isTombstone
    }
}

extension Survivors.Tombstone {
    /// Whether it is not yet decided, and the segment may hold what it deletes. The log has one
    /// order, so that a segment that begins behind a tombstone has nothing for it to delete.
    fileprivate func isOpen(for segment: SegmentSummary) -> Bool {
        !isNeeded && segment.number != survivor.location.segment
            && segment.firstLSN < survivor.originalLSN
    }
}
