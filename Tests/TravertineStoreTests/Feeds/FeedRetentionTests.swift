import SegmentLog
import SimulatedDisk
import StoreWorkload
import TestSupport
import Testing

@testable import StoreFixtures
@testable import TravertineStore

/// What the log keeps for feeds, and for how long.
@Suite("What feeds keep")
struct FeedRetentionTests {
    @Test(
        "compaction keeps what is not acknowledged; beyond the bound a difference or a snapshot comes"
    )
    func bounds() throws {
        let machine = SimulatedMachine(seed: 3)
        var store = try machine.openForFeeds()
        var kept = FeedConsumer()
        var bounded = FeedConsumer()
        let keeping = try store.feed(named: "keeping")
        var options = FeedOptions()
        options.maximumByteCount = 64 << 10
        var little = try store.feed(named: "little", options: options)
        for feed in [keeping, little] {
            var consumer = FeedConsumer()
            try consumer.readAll(feed)
            try feed.acknowledge()
        }
        try store.fill(0..<40, "a")
        try kept.readAll(keeping)
        try bounded.readAll(little)
        try keeping.acknowledge()
        try little.acknowledge()
        let before = try store.statistics.lastLSN
        try store.overwrite(machine)
        #expect(try store.feeds.map(\.isKept) == [true, false])
        // All 1,600 transactions, those of compaction left out.
        let shown = kept.reached.count
        try kept.readAll(keeping, limit: 7)
        #expect(kept.reached.count - shown == 1600 && kept.snapshots == [])
        #expect(kept.contents == (try store.feedContents()))
        // The first one kept it for both, and so did the state that it holds.
        try keeping.acknowledge()
        keeping.close()
        try store.compact()
        try bounded.readAll(little)
        #expect(bounded.differenceCount == 1)
        #expect(bounded.snapshots == [])
        #expect(bounded.contents == (try store.feedContents()))
        #expect((bounded.position?.lsn ?? 0) > before)
        // What it was shown and did not acknowledge: another process has no state to begin with.
        little.close()
        try store.close()
        store = try machine.openForFeeds()
        little = try store.feed(named: "little")
        var other = FeedConsumer()
        try other.readAll(little)
        #expect(other.snapshots == [.fellBehind] && other.differenceCount == 0)
        #expect(other.contents == (try store.feedContents()))
        try store.close()
    }

    @Test(
        "what nobody reads for longer than the feed's age is not kept, and a removed feed keeps nothing"
    )
    func age() throws {
        let machine = SimulatedMachine(seed: 4)
        let store = try machine.openForFeeds()
        var options = FeedOptions()
        options.maximumAge = .seconds(100)
        let feed = try store.feed(named: "old", options: options)
        var consumer = FeedConsumer()
        try consumer.readAll(feed)
        try feed.acknowledge()
        #expect(try store.feeds.first?.isKept == true)
        machine.advance(seconds: 101)
        try store.fill(0..<1, "a")
        #expect(try store.feeds.first?.isKept == false)
        try consumer.readAll(feed)
        #expect(try store.feeds.first?.isKept == true)
        let error = #expect(throws: StoreError.self) { try store.removeFeed(named: "old") }
        #expect(error?.code == .locked)
        feed.close()
        try store.removeFeed(named: "old")
        try store.removeFeed(named: "old")
        #expect(try store.feeds.isEmpty)
        #expect(machine.files.allSatisfy { !$0.name.hasSuffix(".feed") })
        try store.close()
    }

    @Test(
        "what a feed has acknowledged waits for others that have begun, but not longer than their age"
    )
    func othersOfObjects() throws {
        let machine = SimulatedMachine(seed: 12)
        let store = try machine.openForFeeds()
        try store.fill(0..<3, "a")
        var options = FeedOptions()
        options.maximumAge = .seconds(100)
        let feeds = try ["one", "other", "unread"].map {
            try store.feed(named: $0, options: options, scope: 1)
        }
        var consumers = [FeedConsumer(), FeedConsumer()]
        // The other one is shown a snapshot that it never acknowledges.
        try consumers[1].readAll(feeds[1])
        let shown = try #require(consumers[1].position).lsn
        try store.fill(3..<6, "b")
        try consumers[0].readAll(feeds[0])
        try feeds[0].acknowledge()
        let newest = try #require(consumers[0].position).lsn
        // What it was shown may not have reached it.
        #expect(try store.acknowledged(ofFeed: "one")?.lsn == 0)
        try feeds[1].acknowledge()
        #expect(try store.acknowledged(ofFeed: "one")?.lsn == shown && shown < newest)
        try feeds[1].startOver()
        try consumers[1].readOnce(feeds[1], limit: 100, failingAfter: 2)
        #expect(try store.acknowledged(ofFeed: "one")?.lsn == 0)
        try consumers[1].readAll(feeds[1])
        try feeds[1].acknowledge()
        try store.fill(6..<9, "c")
        try consumers[0].readAll(feeds[0])
        try feeds[0].acknowledge()
        // One that is open is waited for, however long it was not read.
        machine.advance(seconds: 101)
        #expect(try store.acknowledged(ofFeed: "one")?.lsn == newest)
        feeds[1].close()
        let last = try #require(consumers[0].position).lsn
        #expect(try store.acknowledged(ofFeed: "one")?.lsn == last && last > newest)
        #expect(try store.acknowledged(ofFeed: "unread") == nil)
        try store.close()
    }

    @Test("bounds count bytes after the position, not whole segments")
    func smallBounds() throws {
        let machine = SimulatedMachine(seed: 25)
        let store = try machine.openForFeeds()
        var options = FeedOptions()
        options.maximumByteCount = 1000
        let feed = try store.feed(named: "close", options: options)
        var consumer = FeedConsumer()
        for round in 0..<300 {
            try store.fill(round..<round + 1, "a")
            try consumer.readAll(feed)
            try feed.acknowledge()
            try store.fill(round..<round + 3, "b")
            #expect(try store.feeds.map(\.isKept) == [true], "round \(round)")
        }
        // Of a whole segment, and the end of the one before.
        for _ in 0..<2 { try store.fill(0..<60, "c") }
        let found = try #require(try store.feeds.first)
        #expect(!found.isKept && 1000..<32 << 10 ~= found.unacknowledgedByteCount, "\(found)")
        try store.close()
    }

    @Test("a feed that was never read keeps nothing")
    func neverRead() throws {
        let machine = SimulatedMachine(seed: 24)
        let store = try machine.openForFeeds()
        try store.feed(named: "never").close()
        try store.overwrite(machine)
        let count = machine.files.count { $0.name.hasSuffix(".segment") }
        #expect(count < 12, "\(count) segments")
        #expect(try store.feeds.map(\.unacknowledgedByteCount) == [0])
        try store.close()
    }

    @Test("a segment goes on after a removed one only if it names it")
    func removedSegment() throws {
        let machine = SimulatedMachine(seed: 17)
        let store = try machine.openForFeeds()
        store.pauseCompaction()
        try store.fill(0..<400, "a")
        try store.sync()
        let first = try #require(store.log.segments.min { $0.number < $1.number })
        machine.disk.lose(SimulatedMachine.path + "/" + first.number.fileName)
        for (salt, isFound) in [(first.salt, true), (first.salt ^ 1, false)] {
            var place: LogPlace? = LogPlace(
                segment: first.number, salt: salt, lineage: 0, offset: 128, checksum: 0,
                lsn: first.lastLSN)
            var visitor = LastPlace()
            let reading = try store.log.read(
                after: &place, through: store.log.durableLSN, visitor: &visitor)
            if isFound {
                guard case .reached = reading else {
                    Issue.record("\(reading)")
                    return
                }
                #expect(place?.lsn == store.log.durableLSN && visitor.count > 0)
            } else {
                guard case .missing = reading else {
                    Issue.record("\(reading)")
                    return
                }
                #expect(visitor.count == 0)
            }
        }
    }

    /// Counts transactions.
    private struct LastPlace: RecoveryVisitor {
        var count = 0
        mutating func beginTransaction(firstLSN: LSN) {}
        mutating func record(_ record: RecoveredRecord) {}
        mutating func endTransaction(lastLSN: LSN) { count += 1 }
    }

    @Test("a full disk is worth more than what a feed keeps: commits go on, and the feed shows why")
    func fullDisk() throws {
        let machine = SimulatedMachine(seed: 18, fileCapacity: 4 << 20)
        var store = try machine.openForFeeds()
        var feed = try store.feed(named: "slow")
        var consumer = FeedConsumer()
        try consumer.readAll(feed)
        try feed.acknowledge()
        feed.close()
        machine.disk.setQuota(byteCount: 1 << 20)
        // Several times the disk; a write may be refused until compaction has made room.
        var refusedCount = 0
        for round in 0..<500 {
            for attempt in 0..<3 {
                do {
                    try store.fill(0..<40, "round \(round) ")
                    break
                } catch let error as StoreError where error.code == .diskFull {
                    refusedCount += 1
                    #expect(attempt < 2, "no room is made, round \(round)")
                }
                machine.executor.drain()
            }
            machine.executor.drain()
        }
        let contents = try store.feedContents()
        try store.close()
        store = try machine.openForFeeds()
        feed = try store.feed(named: "slow")
        try consumer.readAll(feed)
        #expect(consumer.snapshots == [.new, .fellBehind], "\(refusedCount) writes were refused")
        #expect(consumer.contents == contents)
        try store.close()
    }
}
