import SegmentLog
import SimulatedDisk
import StoreWorkload
import TestSupport
import Testing

@testable import StoreFixtures
@testable import StoreMaintenance
@testable import TravertineStore

/// Feeds: what they show, what is acknowledged, what is kept.
@Suite("Feeds")
struct FeedTests {
    private static func open(_ machine: SimulatedMachine) throws -> Store {
        var options = machine.options(segmentByteCount: 16 << 10)
        options.checkpointInterval = 40_000
        return try Store.open(at: SimulatedMachine.path, options: options)
    }

    private static func fill(_ store: Store, _ range: Range<Int>, _ text: String) throws {
        for number in range {
            try store.write { transaction in
                try transaction.put(
                    text + String(repeating: "x", count: 100), forKey: "key \(number)")
            }
        }
    }

    /// Overwrites everything so often that compaction would remove all that was.
    private static func overwrite(_ store: Store, _ machine: SimulatedMachine) throws {
        for round in 0..<40 {
            try fill(store, 0..<40, "round \(round) ")
            machine.executor.drain()
        }
        try store.compact()
    }

    @Test("a new feed begins with a snapshot, and goes on with each transaction in its order")
    func order() throws {
        let machine = SimulatedMachine(seed: 1)
        let store = try Self.open(machine)
        try Self.fill(store, 0..<5, "first")
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
        var store = try Self.open(machine)
        var consumer = FeedConsumer()
        var feed = try store.feed(named: "copy")
        try consumer.readAll(feed)
        // The first snapshot was not acknowledged.
        feed.close()
        feed = try store.feed(named: "copy")
        try consumer.readAll(feed)
        #expect(consumer.snapshots == [.new, .new])
        try feed.acknowledge()
        try Self.fill(store, 0..<10, "a")
        try consumer.readAll(feed, limit: 3)
        let reached = try #require(consumer.position)
        let half = try #require(FeedPosition("\(reached)"))
        #expect(half == consumer.position)
        try feed.acknowledge(upTo: half)
        try Self.fill(store, 10..<14, "b")
        try consumer.readAll(feed)
        feed.close()
        try store.close()
        store = try Self.open(machine)
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

    @Test(
        "compaction keeps what is not acknowledged; beyond the bound a difference or a snapshot comes"
    )
    func bounds() throws {
        let machine = SimulatedMachine(seed: 3)
        var store = try Self.open(machine)
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
        try Self.fill(store, 0..<40, "a")
        try kept.readAll(keeping)
        try bounded.readAll(little)
        try keeping.acknowledge()
        try little.acknowledge()
        let before = try store.statistics.lastLSN
        try Self.overwrite(store, machine)
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
        store = try Self.open(machine)
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
        let store = try Self.open(machine)
        var options = FeedOptions()
        options.maximumAge = .seconds(100)
        let feed = try store.feed(named: "old", options: options)
        var consumer = FeedConsumer()
        try consumer.readAll(feed)
        try feed.acknowledge()
        #expect(try store.feeds.first?.isKept == true)
        machine.advance(seconds: 101)
        try Self.fill(store, 0..<1, "a")
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
        let store = try Self.open(machine)
        try Self.fill(store, 0..<3, "a")
        var options = FeedOptions()
        options.maximumAge = .seconds(100)
        let feeds = try ["one", "other", "unread"].map {
            try store.feed(named: $0, options: options, scope: 1)
        }
        var consumers = [FeedConsumer(), FeedConsumer()]
        // The other one is shown a snapshot that it never acknowledges.
        try consumers[1].readAll(feeds[1])
        let shown = try #require(consumers[1].position).lsn
        try Self.fill(store, 3..<6, "b")
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
        try Self.fill(store, 6..<9, "c")
        try consumers[0].readAll(feeds[0])
        try feeds[0].acknowledge()
        // One that is open is waited for, however long it was not read.
        machine.advance(seconds: 101)
        #expect(try store.acknowledged(ofFeed: "one")?.lsn == newest)
        feeds[1].close()
        let last = try #require(consumers[0].position).lsn
        #expect(try store.acknowledged(ofFeed: "one")?.lsn == last && last > newest)
        #expect(try store.acknowledged(ofFeed: "unread") == nil)
        // One that was given up begins again.
        let again = try store.feed(named: "other", options: nil, scope: 1)
        try again.resume(after: try #require(consumers[1].position))
        try consumers[1].readAll(again)
        #expect(consumers[1].snapshots.last == .fellBehind)
        try store.close()
    }

    @Test("a feed that was never read keeps nothing")
    func neverRead() throws {
        let machine = SimulatedMachine(seed: 24)
        let store = try Self.open(machine)
        try store.feed(named: "never").close()
        try Self.overwrite(store, machine)
        let count = machine.files.count { $0.name.hasSuffix(".segment") }
        #expect(count < 12, "\(count) segments")
        #expect(try store.feeds.map(\.unacknowledgedByteCount) == [0])
        try store.close()
    }

    @Test("a feed has one consumer; names are checked")
    func consumers() throws {
        let machine = SimulatedMachine(seed: 5)
        let store = try Self.open(machine)
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
        let store = try Self.open(machine)
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
        try store.close()
    }

    @Test("a consumer goes on from the position that it has stored with its data")
    func resuming() throws {
        let machine = SimulatedMachine(seed: 7)
        let store = try Self.open(machine)
        let feed = try store.feed(named: "copy")
        var consumer = FeedConsumer()
        try consumer.readAll(feed)
        try Self.fill(store, 0..<6, "a")
        try consumer.readAll(feed)
        let stored = consumer
        try Self.fill(store, 6..<12, "b")
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
        let otherStore = try Self.open(other)
        try Self.fill(otherStore, 0..<2, "c")
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
        "a store that was put back and went on has another history",
        // So far that the place is in a segment that the older state does not have.
        arguments: [9, 400])
    func otherHistory(lost: Int) throws {
        let machine = SimulatedMachine(seed: 9)
        var store = try Self.open(machine)
        try Self.fill(store, 0..<3, "a")
        try store.close()
        let older = machine.files
        store = try Self.open(machine)
        let feed = try store.feed(named: "copy")
        try Self.fill(store, 3..<lost, "b")
        var consumer = FeedConsumer()
        try consumer.readAll(feed)
        let position = try #require(consumer.position)
        try store.close()
        // As long as before, shorter, and longer.
        for count in [2, 6, 30] {
            let other = SimulatedMachine(older, seed: 10 &+ UInt64(count), fileCapacity: 1 << 20)
            store = try Self.open(other)
            try Self.fill(store, 0..<count, "c")
            let feed = try store.feed(named: "copy")
            try feed.resume(after: position)
            var copy = consumer
            try copy.readAll(feed)
            #expect(copy.snapshots == [.new, .otherHistory], "\(count) commits")
            #expect(copy.contents == (try store.feedContents()))
            try store.close()
        }
    }

    @Test(
        "a feed of a reader in another process follows the writer, and its file is the writer's too"
    )
    func ofReaders() throws {
        let machine = SimulatedMachine(seed: 11)
        let store = try Self.open(machine)
        try Self.fill(store, 0..<4, "a")
        let reader = try StoreReader.open(at: SimulatedMachine.path, options: machine.options())
        let feed = try reader.feed(named: "outside")
        var consumer = FeedConsumer()
        try consumer.readAll(feed)
        try feed.acknowledge()
        for round in 0..<30 {
            try Self.fill(store, 0..<40, "round \(round)")
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
        let store = try Self.open(machine)
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

    @Test("verification, backups, copies and removal know the files of feeds")
    func files() throws {
        let machine = SimulatedMachine(seed: 14)
        let store = try Self.open(machine)
        try Self.fill(store, 0..<3, "a")
        let feed = try store.feed(named: "copy")
        var consumer = FeedConsumer()
        try consumer.readAll(feed)
        try feed.acknowledge()
        try store.backup(to: "/backup", options: BackupOptions(method: .copy))
        #expect(machine.disk.paths.filter { $0.hasSuffix(".feed") } == ["/store/copy.feed"])
        feed.close()
        try store.close()
        let report = try StoreVerifier.verify(
            path: SimulatedMachine.path, environment: machine.environment)
        #expect(report.worst == nil, "\(report.findings)")
        let salvaged = try StoreSalvage.recover(
            directory: SimulatedMachine.path, to: "/recovered", options: machine.options())
        #expect(salvaged.isComplete, "\(salvaged)")
        #expect(
            try Store.remove(at: SimulatedMachine.path, options: machine.options()) { _ in true })
        #expect(!machine.disk.paths.contains { $0.hasPrefix("/store") })
    }

    @Test(
        "a block that is torn, or a file that is empty, makes the feed begin anew or a step before")
    func damagedFile() throws {
        let machine = SimulatedMachine(seed: 15)
        var store = try Self.open(machine)
        var feed = try store.feed(named: "copy")
        var consumer = FeedConsumer()
        for round in 0..<3 {
            try Self.fill(store, 0..<4, "round \(round)")
            try consumer.readAll(feed)
            try feed.acknowledge()
        }
        let last = try #require(feed.acknowledged)
        feed.close()
        try store.close()
        let path = SimulatedMachine.path + "/copy.feed"
        let bytes = try #require(machine.disk.contents(of: path))
        for (start, end, count) in [(0, 128, 2), (4096, 4224, 2), (0, 8192, 0), (8192, 8192, 1)] {
            var changed = bytes
            for index in start..<end { changed[index] ^= 0x55 }
            machine.disk.setContents(of: path, changed)
            store = try Self.open(machine)
            feed = try store.feed(named: "copy")
            if count > 0 {
                #expect(try #require(feed.acknowledged).lsn <= last.lsn, "\(start)..<\(end)")
            } else {
                #expect(feed.acknowledged == nil)
            }
            var other = FeedConsumer()
            try other.readAll(feed)
            if count == 0 {
                #expect(other.snapshots == [.new])
            } else {
                #expect(other.snapshots == [])
            }
            feed.close()
            try store.close()
        }
    }

    @Test("what a large transaction wrote before it was rolled back is nothing, nor waited for")
    func deadBatches() throws {
        let machine = SimulatedMachine(seed: 16, fileCapacity: 8 << 20)
        func open() throws -> Store {
            try Store.open(
                at: SimulatedMachine.path, options: machine.options(segmentByteCount: 4 << 20))
        }
        var store = try open()
        try Self.fill(store, 0..<2, "a")
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
        try Self.fill(store, 2..<4, "b")
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

    @Test("a segment goes on after a removed one only if it names it")
    func removedSegment() throws {
        let machine = SimulatedMachine(seed: 17)
        let store = try Self.open(machine)
        store.pauseCompaction()
        try Self.fill(store, 0..<400, "a")
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
        var store = try Self.open(machine)
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
                    try Self.fill(store, 0..<40, "round \(round) ")
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
        store = try Self.open(machine)
        feed = try store.feed(named: "slow")
        try consumer.readAll(feed)
        #expect(consumer.snapshots == [.new, .fellBehind], "\(refusedCount) writes were refused")
        #expect(consumer.contents == contents)
        try store.close()
    }

    @Test("positions are read from their text; nothing else is one")
    func texts() throws {
        let machine = SimulatedMachine(seed: 13)
        let store = try Self.open(machine)
        let feed = try store.feed(named: "copy")
        var consumer = FeedConsumer()
        try consumer.readAll(feed)
        let start = try #require(consumer.position)
        #expect(start.lsn == 0 && FeedPosition("\(start)") == start)
        try Self.fill(store, 0..<1, "a")
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
