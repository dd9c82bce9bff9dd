import SegmentLog
import SimulatedDisk
import StoreWorkload
import TestSupport

@testable import StoreFixtures
@testable import TravertineStore

/// A store with a random history, and a consumer of a feed of it.
///
/// Calls to the disk fail, and the machine stops in any of them. A consumer that stores positions
/// also follows a store that is put back to an older state; any one a store that is restored from a
/// backup.
struct FeedHistory {
    /// What was done, to see that it is done at all.
    struct Counts {
        var interruptions = 0
        var restorings = 0
        var puttingsBack = 0
        var otherHistories = 0
        var differences = 0
        var resumptions = 0

        mutating func add(_ other: Self) {
            interruptions += other.interruptions
            restorings += other.restorings
            puttingsBack += other.puttingsBack
            otherHistories += other.otherHistories
            differences += other.differences
            resumptions += other.resumptions
        }

        var hasAll: Bool {
            [interruptions, restorings, puttingsBack, otherHistories, differences, resumptions]
                .allSatisfy { $0 >= 3 }
        }
    }

    private struct Version {
        var lsn: UInt64
        var contents: FeedConsumer.Contents
        /// Whether its commit was interrupted, so that its own LSN may be a later one.
        var isUncertain = false
    }

    /// A state of the store's files while no process had it open.
    private struct Image {
        var files: [StoreImage.File]
        var versions: [Version]
    }

    private static let backupPath = "/backup"

    private let machine: SimulatedMachine
    private var random: SeededRandom
    private var store: Store?
    private var reader: StoreReader?
    private var feed: Feed?
    /// What the store held after each commit, ascending.
    private var versions = [Version(lsn: 0, contents: [:])]
    /// What the store holds if the commit that failed last is there.
    private var attempted: FeedConsumer.Contents?
    private var consumer = FeedConsumer()
    /// The consumer as it was when it stored its data last.
    private var stored = FeedConsumer()
    private let storesPosition: Bool
    private let isOutside: Bool
    private let feedOptions: FeedOptions
    private var image: Image?
    /// The versions up to the one that the backup holds.
    private var backedUp: [Version]?
    /// Whether a call to the disk goes wrong soon.
    private var isArmed = false
    /// Whether the consumer may be shown that the history is another one.
    private var mayDiffer = false
    /// Whether a call was interrupted since the place was last written: compaction may have seen a
    /// newer place than the one that is there.
    private var isPlaceOpen = false
    private(set) var fault: String?
    private(set) var counts = Counts()

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        machine = SimulatedMachine(
            seed: seed, fileCapacity: 4 << 20,
            cipher: random.chance(20) ? RecordingCipher() : nil)
        storesPosition = random.chance(50)
        isOutside = random.chance(40)
        var options = FeedOptions()
        options.maximumByteCount = [1 << 30, 100_000, 5_000][random.below(3)]
        feedOptions = options
    }

    // MARK: Opening

    private mutating func openedStore() throws -> Store {
        if let store { return store }
        let opened = try machine.openForFeeds()
        store = opened
        try noteRecovered(opened)
        return opened
    }

    /// The newest commits may be gone, and the one that was interrupted may be there.
    private mutating func noteRecovered(_ store: Store) throws {
        let (lsn, contents) = (try store.snapshot().lsn, try store.feedContents())
        versions.removeAll { $0.lsn > lsn }
        defer { attempted = nil }
        guard let last = versions.last, last.contents != contents else { return }
        guard attempted == contents else {
            fault = "the store holds something else after it was opened"
            return
        }
        versions.append(Version(lsn: last.lsn + 1, contents: contents, isUncertain: true))
    }

    private mutating func openedFeed() throws -> Feed {
        if let feed { return feed }
        let store = try openedStore()
        let opened: Feed
        if isOutside {
            let reader = try StoreReader.open(
                at: SimulatedMachine.path, options: machine.feedOptions)
            self.reader = reader
            opened = try reader.feed(named: "copy", options: feedOptions)
        } else {
            opened = try store.feed(named: "copy", options: feedOptions)
        }
        feed = opened
        if storesPosition, let position = stored.position {
            try opened.resume(after: position)
            counts.resumptions += 1
        }
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

    private mutating func closeStore() throws {
        closeFeed()
        try store?.close()
        store = nil
    }

    // MARK: Steps

    /// Does something, in which a call to the disk may fail.
    mutating func step() throws {
        if !isArmed, random.chance(6) {
            machine.disk.setFault(
                random.pick([.inputOutput, .noSpace, .short, .crashBefore, .crashDuring]),
                atCall: random.below(200))
            isArmed = true
        }
        do {
            try act()
        } catch {
            guard isArmed, error is StoreError || error is FileSystemError else { throw error }
            counts.interruptions += 1
            isPlaceOpen = true
            endProcess(isCrash: machine.disk.hasCrashed || random.chance(50))
        }
    }

    private mutating func act() throws {
        let store = try openedStore()
        switch random.below(26) {
        case 0: try store.compact()
        case 1: try store.checkpoint()
        case 2...4: machine.executor.drain()
        case 5: closeFeed()
        case 6: try closeStore()
        case 7 where random.chance(50): endProcess(isCrash: true)
        case 8...12: try read()
        case 13...14: try acknowledge()
        case 15 where !isArmed: try saveOrPutBack()
        case 16: try backUpOrRestore()
        default: try write()
        }
    }

    /// Ends the store's process, or stops the machine, in the middle of whatever was going on.
    private mutating func endProcess(isCrash: Bool) {
        if isCrash { machine.crashAndRestart() } else { machine.restart() }
        machine.disk.clearFaults()
        isArmed = false
        closeFeed()
        store = nil
    }

    /// Keeps the files of the store as they are, or puts back those that were kept: with the lock
    /// that has been there since, or as a whole, as a machine does that goes back to an earlier
    /// state of its disk.
    ///
    /// A consumer whose position is in the feed's file only can't know that its own data is newer.
    /// What an encrypted store wrote since would be written with the same nonces.
    private mutating func saveOrPutBack() throws {
        guard storesPosition, machine.cipher == nil else { return }
        try closeStore()
        guard let kept = image, random.chance(60) else {
            image = Image(files: machine.files, versions: versions)
            return
        }
        let lock = StoreFiles.lock
        let keepsLock = random.chance(50)
        for file in machine.files where !(keepsLock && file.name == lock) {
            machine.disk.lose(SimulatedMachine.path + "/" + file.name)
        }
        for file in kept.files where !(keepsLock && file.name == lock) {
            machine.disk.setContents(of: SimulatedMachine.path + "/" + file.name, file.bytes)
        }
        versions = kept.versions
        mayDiffer = true
        // It is of another lineage now.
        backedUp = nil
        machine.disk.loseDirectory(Self.backupPath)
        counts.puttingsBack += 1
    }

    /// Backs up the store, or loses it and restores the backup.
    private mutating func backUpOrRestore() throws {
        guard let backedUp, random.chance(50) else {
            let store = try openedStore()
            // One that was interrupted goes on in the same directory.
            if backedUp != nil { machine.disk.loseDirectory(Self.backupPath) }
            backedUp = nil
            try store.backup(to: Self.backupPath, options: BackupOptions(method: .copy))
            backedUp = versions
            return
        }
        try closeStore()
        // No file that was removed before comes back in a crash.
        try machine.fileSystem.syncDirectory(SimulatedMachine.path)
        machine.disk.loseDirectory(SimulatedMachine.path)
        versions = backedUp
        (mayDiffer, image, attempted) = (true, nil, nil)
        counts.restorings += 1
        while machine.disk.contents(of: SimulatedMachine.path + "/manifest") == nil {
            do {
                try StoreBackup.restore(
                    from: Self.backupPath, to: SimulatedMachine.path,
                    options: BackupOptions(method: .copy), environment: machine.environment)
            } catch {
                guard isArmed else { throw error }
                counts.interruptions += 1
                endProcess(isCrash: machine.disk.hasCrashed || random.chance(50))
                // One that was whole already is not cleared away by itself.
                machine.disk.loseDirectory(SimulatedMachine.path + ".restoring")
            }
        }
    }

    /// Reads to the end.
    mutating func end() throws {
        machine.disk.clearFaults()
        isArmed = false
        let feed = try openedFeed()
        try note { consumer, _ in try consumer.readAll(feed) }
        let contents = try openedStore().feedContents()
        if fault == nil, consumer.contents != contents { fault = "the end differs" }
        try closeStore()
    }

    private mutating func read() throws {
        let feed = try openedFeed()
        for _ in 0..<1 + random.below(4) {
            try note { consumer, random in
                try consumer.readOnce(
                    feed, limit: 1 + random.below(30),
                    failingAfter: random.chance(20) ? random.below(40) : nil)
            }
        }
    }

    private mutating func note(
        _ read: (inout FeedConsumer, inout SeededRandom) throws -> Void
    ) throws {
        let before = consumer
        defer {
            counts.differences += consumer.differenceCount - before.differenceCount
            for reason in consumer.snapshots[before.snapshots.count...] {
                if reason == .otherHistory { counts.otherHistories += 1 }
                let isExpected =
                    switch reason {
                    case .new: before.position == nil || !storesPosition || mayDiffer
                    case .fellBehind:
                        mayDiffer || isPlaceOpen || feedOptions.maximumByteCount < 1 << 30
                    case .otherHistory: mayDiffer
                    case .otherTypes, .missedObjects: false
                    }
                if !isExpected { fault = "the feed began again: \(reason)" }
            }
            // What it had before may be of a history that is gone.
            if consumer.reached.count > before.reached.count { check() }
        }
        try read(&consumer, &random)
    }

    private mutating func acknowledge() throws {
        guard let feed, consumer.position != nil, feed.position != nil else { return }
        // The consumer's data first.
        stored = consumer
        guard random.chance(80) else { return }
        try feed.acknowledge()
        isPlaceOpen = false
    }

    /// Compares what the consumer has with what the store held at its position.
    private mutating func check() {
        // What comes again leads through earlier states, up to what the consumer had.
        guard let position = consumer.position, position.lsn == consumer.greatestLSN,
            let index = versions.lastIndex(where: { $0.lsn <= position.lsn })
        else { return }
        let version = versions[index]
        if version.contents == consumer.contents { return }
        if version.isUncertain, versions[index - 1].contents == consumer.contents { return }
        fault = fault ?? "at LSN \(position.lsn) the consumer has something else"
    }

    // MARK: Writing

    private mutating func write() throws {
        let store = try openedStore()
        for _ in 0..<1 + random.below(12) {
            let transaction = try store.beginWrite()
            var contents = versions.last?.contents ?? [:]
            do {
                for _ in 0..<1 + random.below(5) { try change(transaction, &contents) }
                if random.chance(20) {
                    let key = "key \(random.below(30))"
                    do {
                        try transaction.savepoint {
                            try transaction.put("undone", forKey: key)
                            throw FeedConsumer.Stop()
                        }
                    } catch is FeedConsumer.Stop {}
                }
                attempted = contents
                try transaction.commit()
            } catch {
                transaction.rollback()
                throw error
            }
            attempted = nil
            versions.append(Version(lsn: try store.snapshot().lsn, contents: contents))
        }
    }

    private mutating func change(
        _ transaction: WriteTransaction, _ contents: inout FeedConsumer.Contents
    ) throws {
        let name = random.pick(["default", "second", "third"])
        let keyspace =
            name == "default" ? Keyspace.default : try transaction.keyspace(named: name)
        let key = "key \(random.below(30))"
        switch random.below(20) {
        case 0 where name == "third":
            try transaction.dropKeyspace(keyspace)
            contents[name] = nil
        case 1...4:
            try transaction.delete(key, in: keyspace)
            contents[name]?[Array(key.utf8)] = nil
        default:
            let value = random.bytes(random.below(300))
            try transaction.put(value, forKey: key, in: keyspace)
            contents[name, default: [:]][Array(key.utf8)] = value
        }
        if contents[name]?.isEmpty == true { contents[name] = nil }
    }
}
