import StoreWorkload
import TestSupport
import Testing

@testable import StoreFixtures
@testable import TravertineStore

/// Feeds: what they show, and what their consumers acknowledge.
@Suite("Feeds")
struct FeedTests {
    @Test("a new feed begins with a snapshot, and goes on with each transaction in its order")
    func order() throws {
        let machine = SimulatedMachine(seed: 1)
        let store = try machine.openForFeeds()
        try store.fill(0..<5, "first")
        let feed = try store.feed(named: "copy")
        #expect(feed.acknowledged == nil && feed.position == nil)
        var consumer = FeedConsumer()
        try consumer.readAll(feed)
        #expect(consumer.snapshots == [.new] && consumer.changeCount == 5)
        #expect(consumer.contents == (try store.feedContents()))
        try feed.acknowledge()
        var events: [FeedEvent] = []
        try store.write { transaction in
            try transaction.put("a", forKey: "b")
            try transaction.delete("key 1")
            let other = try transaction.keyspace(named: "other")
            try transaction.put("c", forKey: "d", in: other)
        }
        try store.write { try $0.put("e", forKey: "f") }
        #expect(try feed.read { events.append($0) } == false)
        let other = try #require(try store.keyspace(named: "other"))
        let changes: [FeedChange?] = events.map {
            if case .change(let change) = $0 { change } else { nil }
        }
        func change(
            _ key: String, _ value: String?, _ keyspace: Keyspace = .default
        ) -> FeedChange {
            FeedChange(
                keyspace: keyspace, key: Array(key.utf8), value: value.map { Array($0.utf8) })
        }
        #expect(
            changes == [
                change("b", "a"), change("key 1", nil), change("d", "c", other), nil,
                change("f", "e"), nil,
            ])
        #expect(feed.position?.lsn == (try store.snapshot().lsn))
        try store.close()
    }

    @Test("what is not acknowledged comes again after the store was opened again, and no more")
    func redelivery() throws {
        let machine = SimulatedMachine(seed: 2)
        var store = try machine.openForFeeds()
        var consumer = FeedConsumer()
        var feed = try store.feed(named: "copy")
        try consumer.readAll(feed)
        // The first snapshot was not acknowledged.
        feed.close()
        feed = try store.feed(named: "copy")
        try consumer.readAll(feed)
        #expect(consumer.snapshots == [.new, .new])
        try feed.acknowledge()
        try store.fill(0..<10, "a")
        try consumer.readAll(feed, limit: 3)
        let reached = try #require(consumer.position)
        let half = try #require(FeedPosition("\(reached)"))
        #expect(half == consumer.position)
        try feed.acknowledge(upTo: half)
        try store.fill(10..<14, "b")
        try consumer.readAll(feed)
        feed.close()
        try store.close()
        store = try machine.openForFeeds()
        feed = try store.feed(named: "copy")
        #expect(feed.acknowledged == half)
        var again = FeedConsumer()
        try again.readAll(feed)
        #expect(again.snapshots == [] && again.changeCount == 4)
        try feed.acknowledge()
        try again.readAll(feed)
        #expect(again.changeCount == 4)
        try store.close()
    }

    @Test("a feed has one consumer; names are checked")
    func consumers() throws {
        let machine = SimulatedMachine(seed: 5)
        let store = try machine.openForFeeds()
        let feed = try store.feed(named: "one")
        for attempt in 0..<2 {
            let error = #expect(throws: StoreError.self) { try store.feed(named: "one") }
            #expect(error?.code == .locked, "attempt \(attempt)")
        }
        let reader = try StoreReader.open(at: SimulatedMachine.path, options: machine.options())
        let error = #expect(throws: StoreError.self) { try reader.feed(named: "one") }
        #expect(error?.code == .locked)
        let other = try reader.feed(named: "two")
        #expect(try reader.feeds.map(\.name) == ["one", "two"])
        let long = String(repeating: "a", count: 65)
        for name in ["", ".", "..", "a/b", ".a", "-a", "a b", "ä", "a\n", long] {
            let error = #expect(throws: StoreError.self) { try store.feed(named: name) }
            #expect(error?.code == .misuse, "“\(name)”")
        }
        feed.close()
        other.close()
        reader.close()
        try store.close()
        let closed = #expect(throws: StoreError.self) { try store.feed(named: "one") }
        #expect(closed?.code == .closed)
    }

    @Test("an error of the consumer is passed on, and what was not reached comes again")
    func consumerErrors() throws {
        let machine = SimulatedMachine(seed: 6)
        let store = try machine.openForFeeds()
        let feed = try store.feed(named: "copy")
        var consumer = FeedConsumer()
        try consumer.readAll(feed)
        for number in 0..<4 {
            try store.write { transaction in
                try transaction.put("\(number)", forKey: "a \(number)")
                try transaction.put("\(number)", forKey: "b \(number)")
            }
        }
        // In a change, and in the end of a transaction.
        for count in [1, 2, 4, 5, 9, 11] {
            try consumer.readOnce(feed, limit: 1000, failingAfter: count)
            #expect(throws: FeedConsumer.Stop.self) {
                try feed.read { _ in throw FeedConsumer.Stop() }
                throw FeedConsumer.Stop()
            }
        }
        try consumer.readAll(feed)
        #expect(consumer.contents == (try store.feedContents()))
        let error = #expect(throws: StoreError.self) {
            try store.write { try $0.put("c", forKey: "d") }
            try feed.read { _ in _ = try feed.read { _ in } }
        }
        #expect(error?.code == .misuse)
        // What it is shown may still fail.
        let early = #expect(throws: StoreError.self) {
            try feed.read { _ in try feed.acknowledge() }
        }
        #expect(early?.code == .misuse)
        try consumer.readAll(feed)
        #expect(consumer.contents == (try store.feedContents()))
        try store.close()
    }

    @Test("a consumer goes on from the position that it has stored with its data")
    func resuming() throws {
        let machine = SimulatedMachine(seed: 7)
        let store = try machine.openForFeeds()
        let feed = try store.feed(named: "copy")
        var consumer = FeedConsumer()
        try consumer.readAll(feed)
        try store.fill(0..<6, "a")
        try consumer.readAll(feed)
        let stored = consumer
        try store.fill(6..<12, "b")
        try consumer.readAll(feed)
        try feed.acknowledge()
        // The server lost its newest transactions.
        consumer = stored
        try feed.resume(after: try #require(stored.position))
        try consumer.readAll(feed)
        #expect(consumer.reached.count == 13)
        #expect(consumer.contents == (try store.feedContents()))
        let error = #expect(throws: StoreError.self) {
            try feed.acknowledge(upTo: try #require(stored.position))
            try feed.acknowledge(upTo: try #require(consumer.position))
            try feed.acknowledge(upTo: try #require(stored.position))
        }
        #expect(error?.code == .misuse)
        let other = SimulatedMachine(seed: 8)
        let otherStore = try other.openForFeeds()
        try otherStore.fill(0..<2, "c")
        let foreign = try otherStore.feed(named: "copy")
        var otherConsumer = FeedConsumer()
        try otherConsumer.readAll(foreign)
        let wrong = #expect(throws: StoreError.self) {
            try feed.resume(after: try #require(otherConsumer.position))
        }
        #expect(wrong?.code == .wrongStore)
        try store.close()
        try otherStore.close()
    }

    @Test(
        "a feed of a reader in another process follows the writer, and its file is the writer's too"
    )
    func ofReaders() throws {
        let machine = SimulatedMachine(seed: 11)
        let store = try machine.openForFeeds()
        try store.fill(0..<4, "a")
        let reader = try StoreReader.open(at: SimulatedMachine.path, options: machine.options())
        let feed = try reader.feed(named: "outside")
        var consumer = FeedConsumer()
        try consumer.readAll(feed)
        try feed.acknowledge()
        for round in 0..<30 {
            try store.fill(0..<40, "round \(round)")
            machine.executor.drain()
            if round % 5 == 4 { try consumer.readAll(feed, limit: 11) }
            if round % 10 == 9 { try feed.acknowledge() }
        }
        try store.compact()
        try consumer.readAll(feed)
        #expect(consumer.snapshots == [.new] && consumer.reached.count == 1201)
        #expect(consumer.contents == (try store.feedContents()))
        reader.close()
        let error = #expect(throws: StoreError.self) { try feed.read { _ in } }
        #expect(error?.code == .closed)
        try store.close()
    }

    @Test("what is rolled back is not shown, nor what compaction and derived keyspaces write")
    func rolledBack() throws {
        let machine = SimulatedMachine(seed: 12)
        let store = try machine.openForFeeds()
        let feed = try store.feed(named: "copy")
        var consumer = FeedConsumer()
        try consumer.readAll(feed)
        try store.write { transaction in
            try transaction.put("kept", forKey: "a")
            try? transaction.savepoint {
                try transaction.put("undone", forKey: "b")
                throw FeedConsumer.Stop()
            }
            let derived = try transaction.keyspace(named: "derived", kind: .derived)
            try "x".withBytes { (key) throws(StoreError) in
                _ = try transaction.indexPut(key, value: 1, in: derived.identifier)
            }
        }
        try? store.write { transaction in
            try transaction.put("undone", forKey: "c")
            throw FeedConsumer.Stop()
        }
        try store.compact()
        try consumer.readAll(feed)
        #expect(consumer.changeCount == 1 && consumer.reached.count == 2)
        #expect(consumer.contents == ["default": [Array("a".utf8): Array("kept".utf8)]])
        // A keyspace that is dropped takes its keys with it.
        let extra = try store.write { transaction in
            let extra = try transaction.keyspace(named: "extra")
            try transaction.put("1", forKey: "1", in: extra)
            try transaction.put("2", forKey: "2", in: extra)
            return extra
        }
        try consumer.readAll(feed)
        #expect(consumer.contents["extra"]?.count == 2)
        try store.write { try $0.dropKeyspace(extra) }
        try consumer.readAll(feed)
        #expect(consumer.contents["extra"] == nil)
        try store.close()
    }

    @Test("what a large transaction wrote before it was rolled back is nothing, nor waited for")
    func deadBatches() throws {
        let machine = SimulatedMachine(seed: 16, fileCapacity: 8 << 20)
        func open() throws -> Store {
            try Store.open(
                at: SimulatedMachine.path, options: machine.options(segmentByteCount: 4 << 20))
        }
        var store = try open()
        try store.fill(0..<2, "a")
        var feed = try store.feed(named: "early")
        var early = FeedConsumer()
        try early.readAll(feed)
        try feed.acknowledge()
        try? store.write { transaction in
            for number in 0..<30 {
                try transaction.put(
                    [UInt8](repeating: 1, count: 100_000), forKey: "large \(number)")
            }
            throw FeedConsumer.Stop()
        }
        try early.readAll(feed)
        feed.close()
        try store.close()
        store = try open()
        feed = try store.feed(named: "early")
        try early.readAll(feed)
        #expect(try !feed.waitForChange(timeout: .zero))
        let other = try store.feed(named: "late")
        var late = FeedConsumer()
        try late.readAll(other)
        #expect(try !other.waitForChange(timeout: .zero))
        try store.fill(2..<4, "b")
        #expect(try feed.waitForChange(timeout: .zero) && other.waitForChange(timeout: .zero))
        try early.readAll(feed)
        try late.readAll(other)
        #expect(early.snapshots == [.new] && late.snapshots == [.new])
        #expect(early.contents == (try store.feedContents()))
        #expect(late.contents == early.contents)
        // Closed, it is of no use.
        other.close()
        let error = #expect(throws: StoreError.self) { try other.acknowledge() }
        #expect(error?.code == .closed)
        try store.close()
    }

    @Test("positions are read from their text; nothing else is one")
    func texts() throws {
        let machine = SimulatedMachine(seed: 13)
        let store = try machine.openForFeeds()
        let feed = try store.feed(named: "copy")
        var consumer = FeedConsumer()
        try consumer.readAll(feed)
        let start = try #require(consumer.position)
        #expect(start.lsn == 0 && FeedPosition("\(start)") == start)
        try store.fill(0..<1, "a")
        try consumer.readAll(feed)
        let text = "\(try #require(consumer.position))"
        #expect(FeedPosition(text) == consumer.position)
        let parts = text.split(separator: ".").map(String.init)
        #expect(parts.count == 7)
        for place in parts.indices {
            for part in ["", "-1", "x", String(repeating: "9", count: 30)] {
                var changed = parts
                changed[place] = part
                #expect(FeedPosition(changed.joined(separator: ".")) == nil, "\(changed)")
            }
            #expect(FeedPosition(parts.dropLast(place + 1).joined(separator: ".")) == nil)
        }
        try store.close()
    }
}
