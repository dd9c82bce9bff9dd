import StoreWorkload
import TravertineStore

/// What a life does with a feed in the store's process.
extension StoreSimulation {
    /// Between two transactions: the consumer goes on.
    mutating func readFeed(of store: Store) throws {
        guard feed != nil, !chance(3) else { return }
        let newest = try Workload.counter(in: store.snapshot())
        do {
            try feed?.step(
                atLeast: newest, isOlder: false, isKept: feedsAreKept
            ) { try store.feed(named: $0, options: $1) }
        } catch let broken as BrokenRule {
            throw fail(broken.message)
        }
        durable = max(durable, feed?.seen ?? 0)
    }

    /// Counts what a consumer was shown, at the end of the life.
    mutating func count(_ feed: FeedLife) {
        report.feedChangeCount += feed.counts.changeCount
        report.feedSnapshotCount += feed.counts.snapshotCount
        report.feedDifferenceCount += feed.counts.differenceCount
        report.feedResumptionCount += feed.counts.resumptionCount
    }
}
