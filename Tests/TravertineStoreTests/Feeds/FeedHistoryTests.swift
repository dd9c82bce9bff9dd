import SegmentLog
import SimulatedDisk
import StoreWorkload
import TestSupport
import Testing

@testable import StoreFixtures
@testable import TravertineStore

/// Random histories with a consumer: at each end that it is shown it has what the store held there,
/// whatever was compacted, crashed, forgotten or repeated in between (Y2, Y4).
@Suite struct FeedHistoryTests {
    private static let seeds: [UInt64] =
        [2_212_977_904] + (0..<11).map { _ in .random(in: 0..<1 << 32) }

    @Test("a consumer has at each position what the store held there", arguments: seeds)
    func anyHistory(seed: UInt64) throws {
        var history = FeedHistory(seed: seed)
        for step in 0..<120 {
            try history.step()
            if let fault = history.fault {
                Issue.record("step \(step), seed \(seed): \(fault)")
                return
            }
        }
        try history.end()
        #expect(history.fault == nil, "seed \(seed): \(history.fault ?? "")")
    }
}

/// A store with a random history, and a consumer of a feed of it.
struct FeedHistory {
    private let machine: SimulatedMachine
    private var random: SeededRandom
    private var store: Store?
    private var reader: StoreReader?
    private var feed: Feed?
    /// What the store held after each commit, by its LSN, ascending.
    private var versions: [(lsn: UInt64, contents: FeedConsumer.Contents)] = [(0, [:])]
    private(set) var consumer = FeedConsumer()
    /// The consumer as it was when it stored its data last.
    private var stored = FeedConsumer()
    private let storesPosition: Bool
    private let isOutside: Bool
    private let feedOptions: FeedOptions
    private(set) var fault: String?

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        machine = SimulatedMachine(
            seed: seed, fileCapacity: 4 << 20,
            cipher: random.chance(20) ? RecordingCipher() : nil)
        storesPosition = random.chance(50)
        isOutside = random.chance(40)
        var options = FeedOptions()
        options.maximumByteCount = [1 << 30, 200_000, 30_000][random.below(3)]
        feedOptions = options
    }

    private var options: StoreOptions {
        var options = machine.options(segmentByteCount: 16 << 10)
        options.checkpointInterval = 40_000
        return options
    }

    private mutating func openedStore() throws -> Store {
        if let store { return store }
        let opened = try Store.open(at: SimulatedMachine.path, options: options)
        store = opened
        return opened
    }

    private mutating func openedFeed() throws -> Feed {
        if let feed { return feed }
        let store = try openedStore()
        let opened: Feed
        if isOutside {
            let reader = try StoreReader.open(at: SimulatedMachine.path, options: options)
            self.reader = reader
            opened = try reader.feed(named: "copy", options: feedOptions)
        } else {
            opened = try store.feed(named: "copy", options: feedOptions)
        }
        if storesPosition, let position = stored.position {
            try opened.resume(after: position)
        }
        feed = opened
        return opened
    }

    private mutating func closeFeed() {
        feed?.close()
        feed = nil
        reader?.close()
        reader = nil
        // What it had not stored is gone.
        consumer = stored
    }

    mutating func step() throws {
        let store = try openedStore()
        switch random.below(24) {
        case 0: try store.compact()
        case 1: try store.checkpoint()
        case 2...4: machine.executor.drain()
        case 5: closeFeed()
        case 6:
            closeFeed()
            try store.close()
            self.store = nil
        case 7 where random.chance(50):
            closeFeed()
            self.store = nil
            machine.crashAndRestart()
        case 8...12: try read()
        case 13...14: try acknowledge()
        default: try write()
        }
    }

    /// Reads to the end.
    mutating func end() throws {
        let feed = try openedFeed()
        try consumer.readAll(feed)
        check()
        let contents = try openedStore().feedContents()
        if fault == nil, consumer.contents != contents { fault = "the end differs" }
        closeFeed()
        try store?.close()
    }

    private mutating func read() throws {
        let feed = try openedFeed()
        for _ in 0..<1 + random.below(4) {
            let limit = 1 + random.below(30)
            let fails = random.chance(20)
            try consumer.readOnce(
                feed, limit: limit, failingAfter: fails ? random.below(40) : nil)
            check()
        }
    }

    private mutating func acknowledge() throws {
        guard let feed, consumer.position != nil, feed.position != nil else { return }
        // The consumer's data first.
        stored = consumer
        if random.chance(80) { try feed.acknowledge() }
    }

    /// Compares what the consumer has with what the store held at its position.
    private mutating func check() {
        // What comes again leads through earlier states, up to what the consumer had.
        guard let position = consumer.position, position.lsn == consumer.greatestLSN,
            let version = versions.last(where: { $0.lsn <= position.lsn })
        else { return }
        if version.contents != consumer.contents {
            fault = "at LSN \(position.lsn) the consumer has something else"
        }
    }

    private mutating func write() throws {
        let store = try openedStore()
        for _ in 0..<1 + random.below(12) {
            try store.write { transaction in
                for _ in 0..<1 + random.below(5) {
                    try change(transaction)
                }
                if random.chance(20) {
                    let key = "key \(random.below(30))"
                    try? transaction.savepoint {
                        try transaction.put("undone", forKey: key)
                        throw FeedConsumer.Stop()
                    }
                }
            }
            versions.append((try store.snapshot().lsn, try store.feedContents()))
        }
    }

    private mutating func change(_ transaction: WriteTransaction) throws {
        let name = ["default", "second", "third"][random.below(3)]
        let keyspace =
            name == "default" ? Keyspace.default : try transaction.keyspace(named: name)
        switch random.below(20) {
        case 0 where name == "third": try transaction.dropKeyspace(keyspace)
        case 1...4: try transaction.delete("key \(random.below(30))", in: keyspace)
        default:
            try transaction.put(
                random.bytes(random.below(300)), forKey: "key \(random.below(30))", in: keyspace)
        }
    }
}
