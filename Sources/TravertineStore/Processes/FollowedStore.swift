import OrderedIndex
import SegmentLog

/// A store that is read beside its writer: an index and a log that follow what becomes durable.
///
/// The store inside has a closed gate: each call that writes throws, and closing does nothing.
final class FollowedStore: @unchecked Sendable {
    let store: Store
    private let opening: StoreOpening
    /// Where the next replay begins.
    private var next: (position: LogPosition, nextLSN: LSN)?
    /// The salt of the segment where that is.
    private var salt: UInt64?
    /// Up to here the log was read; the last commit may lie before.
    private(set) var readLSN: LSN
    /// The newest commit.
    private(set) var lsn: LSN
    /// The newest commit that put or deleted something, as far as that is known.
    private(set) var newestChange: LSN
    /// The LSNs of the versions that were published here, oldest first, those that a snapshot may
    /// still have.
    private var history: [(version: UInt64, lsn: LSN)]
    /// Mapped segments that the writer has retired, each with the LSNs of the commits that may have
    /// records there.
    private var retired: [SegmentNumber: Range<LSN>] = [:]

    init(
        _ path: String, _ options: StoreOptions, _ manifest: Manifest, through limit: LSN
    ) throws(StoreError) {
        var options = options
        options.eventHandler = nil
        let following = Following(through: limit)
        opening = StoreOpening(path: path, options: options, following: following)
        let opened = try opening.recover(
            manifest, start: options.environment.now(), isNew: false)
        lsn = LSN(rawValue: opened.report.lastLSN)
        newestChange = lsn
        readLSN = limit
        next = following.end.map { [lsn] in ($0, lsn.next) }
        salt = following.salt
        store = Store(path: path, options: options, opened: opened, lock: nil, readers: nil)
        _ = try store.gate.close(.readOnlyStore)
        history = [(Self.version(of: store), lsn)]
    }

    /// Brings every segment with live records into memory: a writer that has looked for readers
    /// just before this one came may be removing those that were retired after the commit.
    ///
    /// - Throws: `.damaged` where one is missing.
    func holdSegments() throws(StoreError) {
        // Their files may go: what is let go of could not be read again.
        store.log.setDecryptedByteCountMax(.max) {}
        do throws(LogError) {
            try store.log.hold(store.usage.segments.map { SegmentNumber(rawValue: $0.number) })
        } catch {
            throw StoreError(error)
        }
    }

    /// Where the log that was read ends; nil if it holds nothing.
    var end: LogPosition? { next?.position }

    private static func version(of store: Store) -> UInt64 {
        let pin = store.index.pin(note: 0)
        defer { store.index.unpin(pin) }
        return pin.root.pointee.version
    }

    /// A snapshot of the newest commit.
    func snapshot(
        verification: RecordVerification
    ) throws(StoreError) -> Snapshot {
        try store.snapshot(verification: verification)
    }

    /// Whether a snapshot is open, or just being taken.
    var hasSnapshots: Bool { store.index.isPinned }

    /// Whether a checkpoint could not be read: perhaps because the writer replaced it in the
    /// meantime.
    var hasPassedOver: Bool { !store.openingReport.damagedCheckpoints.isEmpty }

    /// The LSN of the oldest version that a snapshot has, or of the newest commit.
    var oldestLSN: LSN {
        guard let oldest = store.index.oldestHeldVersion else { return history.first?.lsn ?? lsn }
        return history.last { $0.version <= oldest }?.lsn ?? history.first?.lsn ?? lsn
    }

    /// Replays what became durable since, up to an LSN.
    ///
    /// - Throws: `.misuse` in verified mode, whose private copies of segments do not grow, and
    ///   errors of the log that is not whole any more: then another `FollowedStore` must take over.
    func follow(through limit: LSN) throws(StoreError) {
        guard store.options.readMode == .mapped else {
            throw StoreError(.misuse, "Private copies of segments can't follow the log.")
        }
        var visitor = ReplayVisitor(
            writer: store.index.beginWrite(), usage: store.usage, log: store.log,
            appliesDerived: true, startsAtBeginning: false)
        let report: RecoveryReport
        do {
            report = try store.log.follow(
                from: next, through: limit, salt: salt, visitor: &visitor)
        } catch {
            visitor.writer.rollback()
            throw StoreError(anyError: error)
        }
        store.usage = visitor.usage
        store.index.publish(visitor.writer.commit(tag: report.lastLSN.rawValue))
        // What fails below leaves the version that was published, and its place in the log.
        (readLSN, lsn) = (limit, report.lastLSN)
        history.append((Self.version(of: store), lsn))
        if visitor.changesKeys { newestChange = lsn }
        if report.end != .start {
            next = (report.end, report.lastLSN.next)
            salt = report.endSalt ?? salt
        }
        store.catalog.install(try opening.readDefinitions(store.index, store.log))
    }

    /// Takes over what is known of changes from the store that this one replaces.
    func noteChange(since older: FollowedStore) {
        if lsn == older.lsn { newestChange = older.newestChange }
    }

    /// Whether versions, or segments, are kept for snapshots that were open the last time that
    /// `release` looked.
    var keepsOlder: Bool { history.count > 1 || !retired.isEmpty }

    /// Forgets versions that no snapshot has any more, and unmaps segments that the writer has
    /// retired and that none can need: their files take room on the disk as long as they are
    /// mapped.
    ///
    /// A mapped segment of the newest retirement table has records of commits between its first
    /// batch and the newest commit only, so that it is needed as long as one of these may be read.
    func release() {
        for (number, firstLSN) in store.log.mappedRetiredSegments where retired[number] == nil {
            retired[number] = min(firstLSN, lsn)..<lsn
        }
        guard store.index.oldestHeldVersion != nil else { return }
        // Of each version that may be read, the newest entry that is not newer. A snapshot that is
        // taken from here on has the newest version.
        var needed: Set = [history.count - 1]
        for (version, _) in store.index.pins {
            if let place = history.lastIndex(where: { $0.version <= version }) {
                needed.insert(place)
            }
        }
        history = needed.sorted().map { history[$0] }
        let unneeded = retired.filter { _, commits in
            !history.contains { commits.contains($0.lsn) }
        }.keys
        store.log.unmap(unneeded)
        for number in unneeded { retired[number] = nil }
    }

    /// The statistics of the newest commit.
    func statistics() throws(StoreError) -> StoreStatistics {
        let snapshot = try store.snapshot()
        var segments: [SegmentSummary] = []
        do throws(LogError) {
            if let end {
                segments = try store.log.followedSegments(from: nil, through: end, lastLSN: lsn)
            }
        } catch {
            throw StoreError(error)
        }
        return store.statistics(
            snapshot,
            Store.LogFigures(
                usage: store.usage, segments: segments.reversed(), tail: end ?? .start,
                writtenLSN: lsn, durableLSN: lsn, feeds: try store.feedRecords()))
    }
}
