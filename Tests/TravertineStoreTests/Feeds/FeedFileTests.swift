import SimulatedDisk
import StoreWorkload
import TestSupport
import Testing

@testable import StoreFixtures
@testable import StoreMaintenance
@testable import TravertineStore

/// The files of feeds: where they go with the store, where they are damaged, or older than it.
@Suite("Files of feeds")
struct FeedFileTests {
    @Test("verification, backups, copies and removal know the files of feeds")
    func files() throws {
        let machine = SimulatedMachine(seed: 14)
        let store = try machine.openForFeeds()
        try store.fill(0..<3, "a")
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
        var store = try machine.openForFeeds()
        var feed = try store.feed(named: "copy")
        var consumer = FeedConsumer()
        for round in 0..<3 {
            try store.fill(0..<4, "round \(round)")
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
            store = try machine.openForFeeds()
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

    @Test("a block whose sequence has no next one is none")
    func lastSequence() throws {
        let machine = SimulatedMachine(seed: 26)
        var store = try machine.openForFeeds()
        var feed = try store.feed(named: "copy")
        var consumer = FeedConsumer()
        try consumer.readAll(feed)
        try feed.acknowledge()
        var record = try #require(feed.file.record)
        feed.close()
        try store.close()
        record.sequence = 1 << 62
        machine.disk.setContents(of: SimulatedMachine.path + "/copy.feed", record.encoded)
        store = try machine.openForFeeds()
        feed = try store.feed(named: "copy")
        #expect(feed.acknowledged == nil)
        try consumer.readAll(feed)
        try feed.acknowledge()
        try store.close()
    }

    @Test(
        "a store that was put back and went on has another history",
        // So far that the place is in a segment that the older state does not have.
        arguments: [9, 400])
    func otherHistory(lost: Int) throws {
        let machine = SimulatedMachine(seed: 9)
        var store = try machine.openForFeeds()
        try store.fill(0..<3, "a")
        try store.close()
        let older = machine.files
        store = try machine.openForFeeds()
        let feed = try store.feed(named: "copy")
        try store.fill(3..<lost, "b")
        var consumer = FeedConsumer()
        try consumer.readAll(feed)
        let position = try #require(consumer.position)
        try store.close()
        // As long as before, shorter, and longer.
        for count in [2, 6, 30] {
            let other = SimulatedMachine(older, seed: 10 &+ UInt64(count), fileCapacity: 1 << 20)
            store = try other.openForFeeds()
            try store.fill(0..<count, "c")
            let feed = try store.feed(named: "copy")
            try feed.resume(after: position)
            var copy = consumer
            try copy.readAll(feed)
            #expect(copy.snapshots == [.new, .otherHistory], "\(count) commits")
            #expect(copy.contents == (try store.feedContents()))
            try store.close()
        }
    }
}
