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
    /// Up to here the log was read; the last commit may lie before.
    private(set) var readLSN: LSN
    /// The newest commit.
    private(set) var lsn: LSN
    /// The LSNs of the versions that were published here, oldest first, those that a snapshot may
    /// still have.
    private var history: [(version: UInt64, lsn: LSN)]

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
        readLSN = limit
        next = following.end.map { [lsn] in ($0, lsn.next) }
        store = Store(path: path, options: options, opened: opened, lock: nil, readers: nil)
        _ = try store.gate.close(.readOnlyStore)
        history = [(Self.version(of: store), lsn)]
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

    /// Whether a snapshot is open.
    var hasSnapshots: Bool { !store.index.pins.isEmpty }

    /// Whether a checkpoint could not be read: perhaps because the writer replaced it in the
    /// meantime.
    var hasPassedOver: Bool { !store.openingReport.damagedCheckpoints.isEmpty }

    /// The LSN of the oldest version that a snapshot has, or of the newest commit.
    var oldestLSN: LSN {
        guard let oldest = store.index.pins.map(\.version).min() else { return lsn }
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
            report = try store.log.follow(from: next, through: limit, visitor: &visitor)
        } catch {
            visitor.writer.rollback()
            throw StoreError(anyError: error)
        }
        store.usage = visitor.usage
        store.index.publish(visitor.writer.commit(tag: report.lastLSN.rawValue))
        store.catalog.install(try opening.readDefinitions(store.index, store.log))
        (readLSN, lsn) = (limit, report.lastLSN)
        next = report.end == .start ? next : (report.end, report.lastLSN.next)
        noteVersion()
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
                writtenLSN: lsn, durableLSN: lsn))
    }

    private func noteVersion() {
        let oldest = store.index.pins.map(\.version).min() ?? .max
        // The newest entry that is not newer than the oldest pin is still needed.
        if let needed = history.lastIndex(where: { $0.version <= oldest }) {
            history.removeSubrange(..<needed)
        }
        history.append((Self.version(of: store), lsn))
    }
}
