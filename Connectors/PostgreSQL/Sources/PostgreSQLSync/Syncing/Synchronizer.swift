import Foundation
import PostgreSQLClient
import Travertine
import TravertineStore

/// Copies the objects of a realm to tables of a PostgreSQL server, and what changes in them.
///
/// The place in the realm's feed is stored on the server, in the same transaction as the rows: so
/// that whatever is killed, and when, every change is in the tables once. Lost connections and
/// serialization failures are tried again; all else that the server refuses ends it.
public final class Synchronizer {
    private let realm: Realm
    private let feedName: String
    private let typeNames: [String]?
    /// Made when the server was reached: an attempt that fails before must not keep log.
    private var feed: ObjectFeed?
    /// Whether there was no feed of this name before.
    private var isFeedNew = false
    /// Whether the server has no position of the feed, as far as it was asked, and none was
    /// written since, as far as that is certain.
    private var isServerEmpty = true
    private let parameters: ConnectionParameters
    private let options: SyncOptions
    private let isCancelled: () -> Bool
    private let report: (SyncEvent) -> Void
    private var random = SystemRandomNumberGenerator()
    private var summary = SyncSummary()
    private var hasRebuilt = false
    private var movedCount = 0
    private let objectCount: () -> Int
    /// The UUID of the realm's store, and whether the feed had a copy before.
    private var stored: (uuid: String, hasCopy: Bool)?
    /// Where the realm is; nil for one in memory.
    private let origin: RealmOrigin?
    private let clock = ContinuousClock()
    private var lastAcknowledgement: ContinuousClock.Instant?

    /// How long a cancellation may go unnoticed while nothing changes.
    private static let pause = Duration.milliseconds(100)

    /// - Parameters:
    ///   - realm: the realm, opened read-only where another process writes it.
    ///   - feedName: the name of the feed.
    ///   - types: the stored names of the types that are copied; nil for all.
    ///   - isCancelled: asked often, on the thread that runs.
    ///   - report: gets what happens, on the thread that runs.
    public init(
        _ realm: Realm, feedName: String, types: [String]?, to parameters: ConnectionParameters,
        _ options: SyncOptions, isCancelled: @escaping () -> Bool = { false },
        report: @escaping (SyncEvent) -> Void = { _ in }
    ) {
        (self.realm, self.feedName, typeNames) = (realm, feedName, types)
        (self.parameters, self.options) = (parameters, options)
        (self.isCancelled, self.report) = (isCancelled, report)
        origin = realm.configuration.fileURL.flatMap { RealmOrigin(of: $0) }
        objectCount = {
            realm.refresh()
            // A snapshot would keep all that compaction retires while the command goes on.
            defer { realm.invalidate() }
            return realm.schema.objectSchema.reduce(0) { sum, type in
                if type.isEmbedded || type.isAsymmetric { return sum }
                guard types?.contains(type.objectTypeName) ?? true else { return sum }
                return sum + realm.dynamicObjects(type.objectTypeName).count
            }
        }
    }

    /// Copies what there is, and then what changes, until it is cancelled.
    ///
    /// Where it ends with an error before the server has anything, the feed is removed again.
    ///
    /// - Parameter follows: whether to wait for changes; if not, it ends when the tables have all.
    /// - Throws: `MappingRefusal`, `SyncError`, `PostgreSQLError` for what does not pass,
    ///   `Realm.Error`. When it is cancelled it returns.
    public func run(follows: Bool) throws -> SyncSummary {
        defer { removeUnusedFeed() }
        return try serveAgain(follows)
    }

    /// Removes the feed if nothing was copied, however that ended: it would keep log for nobody.
    private func removeUnusedFeed() {
        guard let feed, isFeedNew, isServerEmpty else { return }
        feed.close()
        self.feed = nil
        // An error that came before is the one to report; what is left can be removed by hand.
        try? realm.removeFeed(named: feedName)
    }

    private func serveAgain(_ follows: Bool) throws -> SyncSummary {
        let timekeeper = RetryPolicy.Timekeeper.system(isCancelled: isCancelled)
        var failureCount = 0
        var firstFailure: Duration?
        while true {
            do {
                try serve(follows) {
                    failureCount = 0
                    firstFailure = nil
                }
                return summary
            } catch PostgreSQLError.cancelled, PostgreSQLError.commitOutcomeUnknown(.cancelled) {
                return summary
            } catch is BatchWriter.Moved {
                // The feed has one consumer here: it is one of a copy of the realm.
                movedCount += 1
                if movedCount > 1 { throw SyncError.otherCopy }
            } catch let error as PostgreSQLError where error.isRetryable {
                failureCount += 1
                summary.retryCount += 1
                let start = firstFailure ?? timekeeper.now()
                firstFailure = start
                guard
                    let delay = options.retries.delay(
                        afterFailures: failureCount, elapsed: timekeeper.now() - start,
                        using: &random)
                else { throw error }
                report(.retry(error, delay: delay))
                do {
                    try timekeeper.sleep(delay)
                } catch {
                    return summary
                }
            }
        }
    }

    private func openedFeed() throws -> ObjectFeed {
        if let feed { return feed }
        // Its file (Format 4.17): one that begins anew, for other types, is no new one.
        let file = realm.configuration.fileURL?.appendingPathComponent(feedName + ".feed")
        isFeedNew = file.map { !FileManager.default.fileExists(atPath: $0.path) } ?? false
        let opened = try realm.feed(named: feedName, typeNames: typeNames)
        feed = opened
        return opened
    }

    /// What the realm's store has, without a change of the feed: that of other types would begin
    /// anew when it is opened.
    private func lookUpStore() throws -> (uuid: String, hasCopy: Bool) {
        if let stored { return stored }
        let statistics = try Self.statistics(of: realm)
        let found = (
            statistics.uuid,
            statistics.feeds.contains { $0.name == feedName && $0.hasSnapshot }
        )
        stored = found
        return found
    }

    private static func statistics(of realm: Realm) throws -> StoreStatistics {
        let configuration = realm.configuration
        guard configuration.readOnly, let url = configuration.fileURL else {
            return try realm.store.statistics
        }
        var options = StoreOptions()
        options.encryptionKey = try configuration.encryptionKey.map { try EncryptionKey($0) }
        let reader = try StoreReader.open(at: url.path, options: options)
        defer { reader.close() }
        return try reader.statistics
    }

    /// Refuses tables that another copy of the realm fills, and a server that has nothing of a feed
    /// which has a copy: it would begin anew, and that copy with it.
    private func checkTarget(_ state: SyncStateTable) throws {
        let (isThere, earlier) = try state.find()
        if options.rebuilds {
            guard !isThere, try lookUpStore().hasCopy else { return }
            report(
                .note(
                    "the feed \(feedName) had a copy, of which this schema has nothing: if that is "
                        + "somewhere else, it is not followed any more. Give each copy its own --feed"
                ))
            return
        }
        if let earlier, origin?.isCopy(of: earlier) ?? false {
            throw SyncError.copyOfRealm(path: earlier.path)
        }
        if !isThere, try lookUpStore().hasCopy {
            throw SyncError.otherTarget(feed: feedName, schema: options.mapping.schema)
        }
    }

    /// Copies over one connection, until it is lost.
    private func serve(_ follows: Bool, _ didCommit: () -> Void) throws {
        var connectionOptions = ConnectionOptions()
        connectionOptions.isCancelled = isCancelled
        connectionOptions.timeout = options.timeout
        connectionOptions.statementHandler = options.statementHandler
        let connection = try Connection(parameters, options: connectionOptions)
        defer { connection.close() }
        let state = SyncStateTable(
            connection: connection, schema: options.mapping.schema, store: try lookUpStore().uuid,
            feed: feedName)
        try checkTarget(state)
        let feed = try openedFeed()
        try state.create()
        if options.rebuilds, !hasRebuilt {
            try ServerSchema(state: state).drop(
                try state.readTableNames(), source: options.mapping.source)
            hasRebuilt = true
        }
        var known = try state.read()
        // Tables that were about to be made, or dropped, when something was killed.
        if known.mapping == nil, !known.pendingTables.isEmpty {
            try ServerSchema(state: state).drop(
                known.pendingTables, source: options.mapping.source)
            known = try state.read()
        }
        if let made = known.mapping?.options, made != options.mapping {
            throw MappingRefusal(problems: [MappingPlanner.difference(made, options.mapping)])
        }
        isServerEmpty = known.position == nil
        if let text = known.position {
            guard let position = FeedPosition(text) else {
                throw SyncError.stateIsUnreadable(SyncState.table)
            }
            summary.lsn = position.lsn
            try feed.resume(after: position)
        } else {
            try feed.startOver()
        }
        let writer = BatchWriter(
            connection, state, known, options, names: typeNames.map { Set($0) },
            lineage: feed.lineage, origin: origin
        ) {
            self.report(.note($0))
        }
        try writer.noteRename()
        defer {
            summary.replacedTextCount += writer.replacedTextCount
            summary.unboundedDateCount += writer.unboundedDateCount
            summary.keptRowCount += writer.keptRowCount
        }
        while true {
            while try feed.read({ try take($0, writer, didCommit) }) {
                try acknowledge(feed, now: false)
                // What is written from here on is for the next command.
                if !follows { break }
            }
            // What changed without objects: the log up to there may be gone at the next start.
            if let position = feed.position, position.description != writer.position {
                isServerEmpty = false
                try writer.end(at: position)
                summary.lsn = position.lsn
            }
            try acknowledge(feed, now: !follows)
            if !follows { return }
            while try !feed.waitForChange(timeout: Self.pause) {
                if isCancelled() {
                    try acknowledge(feed, now: true)
                    return
                }
                // What came in quick succession would else be kept until something changes.
                try acknowledge(feed, now: false)
            }
        }
    }

    private func take(
        _ event: ObjectFeedEvent, _ writer: BatchWriter, _ didCommit: () -> Void
    ) throws {
        switch event {
        case .snapshot(let reason):
            try writer.beginLoad(reason)
            report(.load(reason: reason.rawValue, objectCount: objectCount()))
        case .schema(let types): try writer.take(types)
        case .put(let object):
            try writer.put(object)
            if writer.putCount % 4096 == 0 {
                if isCancelled() { throw PostgreSQLError.cancelled(.notApplied) }
                report(.loaded(objectCount: writer.putCount))
            }
        case .delete(let object): try writer.delete(object)
        case .reached(let position):
            let (puts, deletions) = (writer.putCount, writer.deletedCount)
            isServerEmpty = false
            try writer.end(at: position)
            summary.putCount += puts
            summary.deletedCount += deletions
            summary.commitCount += 1
            summary.lsn = position.lsn
            didCommit()
            report(
                .committed(
                    putCount: puts, deletedCount: deletions, lsn: position.lsn,
                    position: position.description))
        }
    }

    /// Lets the realm's store give up what the server has: now, or once in a second, as it costs a
    /// sync. The server has the place that counts.
    private func acknowledge(_ feed: ObjectFeed, now: Bool) throws {
        guard feed.position != nil, feed.position != feed.acknowledged else { return }
        if !now, let last = lastAcknowledgement, clock.now - last < .seconds(1) { return }
        try feed.acknowledge()
        lastAcknowledgement = clock.now
    }
}
