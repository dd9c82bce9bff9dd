import StoreWorkload
import TestSupport
import TravertineStore

/// A consumer that keeps a copy of a store by a feed, while what is around it fails.
///
/// What it has up to each end that it was shown is what the model holds after some transaction: one
/// that is durable, and not older than the newest one acknowledged as durable before it read to the
/// end. What it acknowledged does not come again. A snapshot comes at the beginning only, unless
/// something took what the feed should have kept.
struct FeedLife {
    /// What was done, to see that it is done at all.
    struct Counts {
        var changeCount = 0
        var snapshotCount = 0
        var differenceCount = 0
        var resumptionCount = 0
    }

    private let name: String
    private let workload: Workload
    private let isVaried: Bool
    /// Whether the consumer stores the position with what it has, and so has everything once.
    private let storesPosition: Bool
    private let options: FeedOptions
    private var random: SeededRandom
    private var model: WorkloadModel
    private var feed: Feed?
    private var consumer = FeedConsumer()
    /// The consumer as it stored itself last.
    private var stored = FeedConsumer()
    /// The LSN up to which it has acknowledged everything; nil before the first time.
    private var acknowledged: UInt64?
    /// Whether a call that moves the place was interrupted: compaction may have seen the new place,
    /// and a power cut may bring back the one before.
    private var isPlaceOpen = false
    /// The newest transaction that was shown: it is durable.
    private(set) var seen: UInt64 = 0
    private(set) var counts = Counts()
    /// Whether the feed is open: then it may keep a snapshot.
    var isOpen: Bool { feed != nil }

    init(named name: String, workload: Workload, isVaried: Bool, seed: UInt64) {
        self.name = name
        self.workload = workload
        self.isVaried = isVaried
        model = WorkloadModel(workload)
        random = SeededRandom(scattering: seed)
        storesPosition = random.chance(50)
        var options = FeedOptions()
        if random.chance(30) { options.maximumByteCount = 20_000 }
        self.options = options
    }

    /// Reads something, acknowledges, or ends.
    ///
    /// - Parameters:
    ///   - durable: the newest transaction that was acknowledged as durable.
    ///   - isOlder: whether the newest commit that is seen may be older than what was seen before.
    ///   - isKept: whether nothing has happened for which a feed within its bounds is given up.
    ///   - open: opens the feed.
    mutating func step(
        atLeast durable: UInt64, isOlder: Bool, isKept: Bool,
        _ open: (String, FeedOptions) throws -> Feed
    ) throws {
        let feed = try openedFeed(isKept, open)
        switch random.below(16) {
        case 0: close()
        case 1 where random.chance(20):
            // It may have begun anew when this fails.
            acknowledged = nil
            try feed.startOver()
        case 1...4: try acknowledge(feed)
        case 5...10:
            let fails = random.chance(20)
            try read(isKept) { consumer, random in
                try consumer.readOnce(
                    feed, limit: 1 + random.below(30),
                    failingAfter: fails ? random.below(40) : nil)
            }
        default:
            try read(isKept) { consumer, random in
                try consumer.readAll(feed, limit: 1 + random.below(200))
            }
            try checkEnd(atLeast: durable, isOlder: isOlder)
        }
    }

    private mutating func openedFeed(
        _ isKept: Bool, _ open: (String, FeedOptions) throws -> Feed
    ) throws -> Feed {
        if let feed { return feed }
        let opened = try open(name, options)
        if let before = acknowledged {
            if let now = opened.acknowledged, now.lsn < before {
                throw BrokenRule(
                    "the feed \(name) is acknowledged up to LSN \(now.lsn); it was up to \(before)")
            }
            if opened.acknowledged == nil {
                // It was to begin again, and stopped before it had shown that.
                try check(.fellBehind, isKept)
                acknowledged = nil
            }
        }
        if storesPosition, let position = stored.position {
            // The place of the feed is that of the position, before this returns or later.
            acknowledged = acknowledged.map { min($0, position.lsn) }
            isPlaceOpen = true
            try opened.resume(after: position)
            isPlaceOpen = false
            acknowledged = position.lsn
        }
        if acknowledged != nil { counts.resumptionCount += 1 }
        feed = opened
        return opened
    }

    /// Ends as a process does that knows that it ends.
    mutating func close() {
        feed?.close()
        stop()
    }

    /// The process has ended: what the consumer had not stored is gone.
    mutating func stop() {
        feed = nil
        consumer = stored
    }

    private mutating func acknowledge(_ feed: Feed) throws {
        guard let position = consumer.position, feed.position == position else { return }
        stored = consumer
        isPlaceOpen = true
        try feed.acknowledge()
        isPlaceOpen = false
        acknowledged = position.lsn
    }

    private mutating func read(
        _ isKept: Bool, _ body: (inout FeedConsumer, inout SeededRandom) throws -> Void
    ) throws {
        let before = consumer
        defer {
            counts.changeCount += consumer.changeCount - before.changeCount
            counts.differenceCount += consumer.differenceCount - before.differenceCount
            counts.snapshotCount += consumer.snapshots.count - before.snapshots.count
            if storesPosition { stored = consumer }
        }
        try body(&consumer, &random)
        for reason in consumer.snapshots[before.snapshots.count...] {
            try check(reason, isKept)
            acknowledged = nil
        }
        try check()
    }

    private func check(_ reason: FeedSnapshotReason, _ isKept: Bool) throws {
        let isExpected =
            switch reason {
            case .new: acknowledged == nil
            case .fellBehind: !isKept || isPlaceOpen || options != FeedOptions()
            case .otherHistory, .otherTypes, .missedObjects: false
            }
        if !isExpected { throw BrokenRule("the feed \(name) began again: \(reason)") }
    }

    /// Compares what the consumer has with the model. What comes again leads through earlier states
    /// up to what it had.
    private mutating func check() throws {
        guard let position = consumer.position, position.lsn == consumer.greatestLSN else { return }
        let contents = consumer.contents
        let number = Workload.number(contents[Keyspace.default.name]?[Workload.counterKey])
        if number < model.count { model = WorkloadModel(workload) }
        model.advance(to: number)
        let names = [Keyspace.default.name] + Workload.keyspaceNames
        for (name, expected) in zip(names, model.keyspaces)
        where contents[name] ?? [:] != expected {
            throw BrokenRule(
                "the consumer of \(self.name) has something else in keyspace \(name) "
                    + "after \(number) transactions")
        }
        if isVaried, let difference = KeyspaceLife.difference(of: contents, after: number) {
            throw BrokenRule(
                "the consumer of \(name), after \(number) transactions: \(difference)")
        }
        seen = max(seen, number)
    }

    private func checkEnd(atLeast durable: UInt64, isOlder: Bool) throws {
        guard let position = consumer.position else { return }
        if position.lsn < consumer.greatestLSN {
            if isOlder { return }
            throw BrokenRule("the feed \(name) ends before what was shown")
        }
        let number = Workload.number(
            consumer.contents[Keyspace.default.name]?[Workload.counterKey])
        if number < durable {
            throw BrokenRule(
                "the feed \(name) ends after \(number) transactions; \(durable) are durable")
        }
    }
}
