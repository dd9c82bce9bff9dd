import StoreWorkload
import TestSupport
import Testing

@testable import StoreFixtures
@testable import TravertineStore

/// A feed reads past what shows nothing, and lets that go; the position that its consumer has
/// stays the same, and is as good as where reading goes on (Y9).
@Suite("Positions that a feed has moved past")
struct PassedPositionTests {
    /// Writes what no consumer is shown, to a new segment at least.
    private static func writeUnshown(_ store: Store, _ machine: SimulatedMachine) throws {
        for round in 0..<400 {
            try store.write { transaction in
                let derived = try transaction.keyspace(named: "derived", kind: .derived)
                for number in 0..<20 {
                    try "key \(number)".withBytes { (key) throws(StoreError) in
                        _ = try transaction.indexPut(
                            key, value: UInt64(round), in: derived.identifier)
                    }
                }
            }
            machine.executor.drain()
        }
    }

    /// A feed whose consumer has all that there is, and has acknowledged it.
    private static func follow(
        _ store: Store, _ consumer: inout FeedConsumer
    ) throws -> Feed {
        let feed = try store.feed(named: "copy")
        try consumer.readAll(feed)
        try feed.acknowledge()
        return feed
    }

    private static func segmentNames(_ machine: SimulatedMachine) -> Set<String> {
        Set(machine.files.map(\.name).filter { $0.hasSuffix(".segment") })
    }

    @Test("a consumer resumes after its own position, though compaction took the log there")
    func resuming() throws {
        let machine = SimulatedMachine(seed: 21)
        var store = try machine.openForFeeds()
        for number in 0..<5 { try store.write { try $0.put("a", forKey: "key \(number)") } }
        var consumer = FeedConsumer()
        var feed = try Self.follow(store, &consumer)
        let position = try #require(consumer.position)
        let before = Self.segmentNames(machine)
        for _ in 0..<3 {
            try Self.writeUnshown(store, machine)
            #expect(try feed.read { _ in Issue.record("nothing is to be shown") } == false)
            try feed.acknowledge()
            try store.compact()
        }
        #expect(!before.isEmpty)
        #expect(Self.segmentNames(machine).isDisjoint(with: before), "the segment is gone")
        #expect(feed.position == position && feed.acknowledged == position)
        // What was acknowledged once may be acknowledged again.
        try feed.acknowledge(upTo: position)
        feed.close()
        try store.close()
        machine.crashAndRestart()

        store = try machine.openForFeeds()
        feed = try store.feed(named: "copy")
        #expect(feed.position == position && feed.acknowledged == position)
        // Whether it says where it is, or not.
        #expect(try feed.read { _ in Issue.record("nothing is to be shown") } == false)
        try feed.resume(after: position)
        #expect(try feed.read { _ in Issue.record("nothing is to be shown") } == false)
        #expect(feed.position == position && feed.acknowledged == position)
        try store.write { try $0.put("b", forKey: "last") }
        try consumer.readAll(feed)
        #expect(consumer.snapshots == [.new])
        #expect(consumer.contents == (try store.feedContents()))
        try feed.acknowledge()
        // It has a newer position now: the old one counts no more.
        try feed.resume(after: position)
        try consumer.readAll(feed)
        #expect(consumer.snapshots == [.new, .fellBehind])
        feed.close()
        try store.close()
    }

    @Test("where the segment that reading goes on after is gone too, the next one names it")
    func removedSegments() throws {
        let machine = SimulatedMachine(seed: 23)
        var store = try machine.openForFeeds()
        try store.write { try $0.put("a", forKey: "first") }
        var consumer = FeedConsumer()
        var feed = try Self.follow(store, &consumer)
        let position = try #require(consumer.position)
        for _ in 0..<20 {
            try Self.writeUnshown(store, machine)
            try consumer.readAll(feed)
            try store.compact()
            feed.close()
            try store.close()
            store = try machine.openForFeeds()
            feed = try store.feed(named: "copy")
        }
        try store.write { try $0.put("b", forKey: "last") }
        try feed.resume(after: position)
        try consumer.readAll(feed)
        #expect(consumer.snapshots == [.new])
        #expect(consumer.contents == (try store.feedContents()))
        feed.close()
        try store.close()
    }

    @Test("where the log was put back under a newer feed, what follows the position is shown")
    func putBack() throws {
        let machine = SimulatedMachine(seed: 24)
        var store = try machine.openForFeeds()
        try store.write { try $0.put("a", forKey: "first") }
        var consumer = FeedConsumer()
        var feed = try Self.follow(store, &consumer)
        feed.close()
        try store.close()
        let older = machine.files
        store = try machine.openForFeeds()
        feed = try store.feed(named: "copy")
        try Self.writeUnshown(store, machine)
        #expect(try feed.read { _ in Issue.record("nothing is to be shown") } == false)
        #expect(feed.file.record?.passed != nil)
        feed.close()
        try store.close()
        let newer = try #require(machine.files.first { $0.name == "copy.feed" })
        for file in machine.files where file.name != newer.name {
            machine.disk.lose(SimulatedMachine.path + "/" + file.name)
        }
        for file in older where file.name != newer.name {
            machine.disk.setContents(of: SimulatedMachine.path + "/" + file.name, file.bytes)
        }
        store = try machine.openForFeeds()
        feed = try store.feed(named: "copy")
        try store.write { try $0.put("b", forKey: "second") }
        try consumer.readAll(feed)
        #expect(consumer.snapshots == [.new])
        #expect(consumer.contents == (try store.feedContents()))
        // Nothing of the history that is gone keeps the log from being kept.
        #expect(feed.file.record?.passed == nil)
        feed.close()
        try store.close()
    }

    @Test("a position before the one that was acknowledged is not taken for it")
    func older() throws {
        let machine = SimulatedMachine(seed: 22)
        let store = try machine.openForFeeds()
        try store.write { try $0.put("a", forKey: "first") }
        var consumer = FeedConsumer()
        let feed = try Self.follow(store, &consumer)
        let stale = consumer
        try store.write { try $0.put("b", forKey: "second") }
        try consumer.readAll(feed)
        try feed.acknowledge()
        try Self.writeUnshown(store, machine)
        try consumer.readAll(feed)
        try store.compact()
        var late = stale
        try feed.resume(after: try #require(stale.position))
        try late.readAll(feed)
        #expect(late.contents == (try store.feedContents()))
        feed.close()
        try store.close()
    }
}
