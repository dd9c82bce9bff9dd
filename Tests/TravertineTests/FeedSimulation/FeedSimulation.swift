import Foundation
import RealmSwift
import SimulatedDisk
import StoreWorkload
import TestSupport
import TravertineStore

@testable import StoreFixtures
@testable import Travertine

/// A realm on a simulated disk, and the consumer of a feed of its objects: while calls fail, the
/// machine stops in any of them, the schema is migrated, and the realm is lost and restored from a
/// backup, or put back to an older state.
///
/// Whenever the consumer has read to the end it has what the realm holds, and each asymmetric
/// object whose commit is there; one that stores its position has it once.
final class FeedSimulation {
    /// What was done, to see that it is done at all.
    struct Counts {
        var interruptions = 0
        var migrations = 0
        var interruptedMigrations = 0
        var restorings = 0
        var puttingsBack = 0
        var otherHistories = 0
        var deliveries = 0
        var comparisons = 0
    }

    /// A state of the realm's files while no process had it open.
    private struct Image {
        var files: [(path: String, bytes: [UInt8])]
        var reports: [Report]
    }

    /// An asymmetric object that was added.
    private struct Report {
        var number: Int
        /// The LSN of a commit that has it.
        var lsn: UInt64
    }

    private let seed: UInt64
    private var random: SeededRandom
    private let machine: SimulatedMachine
    private var path: String { "/followed-\(seed)" }
    private var backupPath: String { path + "-backup" }
    private let storesPosition: Bool
    private let typeNames: [String]?
    private let durability: Durability

    private var realm: Realm?
    private var feed: ObjectFeed?
    private var consumer = ObjectFeedConsumer()
    /// The consumer as it stored its data last.
    private var stored = ObjectFeedConsumer()
    /// The version of the classes of the program.
    private var version = 0
    private var nextNumber = 1
    private var portCount = 0
    /// The asymmetric objects of commits that returned.
    private var reports: [Report] = []
    private var image: Image?
    /// The reports up to the backup.
    private var backedUp: [Report]?
    private var isArmed = false
    private var mayDiffer = false
    /// Whether a call was interrupted since the place was last written.
    private var isPlaceOpen = false
    /// Whether the follower reads by a read-only realm, which stays open when the writer ends.
    private let isOutside: Bool
    private var reader: Realm?
    /// A consumer of reports alone, which acknowledges seldom: what it does not have must not be
    /// deleted.
    private var second = ObjectFeedConsumer()
    private var secondStored = ObjectFeedConsumer()
    private var secondFeed: ObjectFeed?
    private var secondHasBegun = false
    private(set) var problems: [String] = []
    private(set) var counts = Counts()

    init(seed: UInt64) {
        self.seed = seed
        random = SeededRandom(seed: seed)
        machine = SimulatedMachine(seed: seed, fileCapacity: 4 << 20)
        storesPosition = random.chance(60)
        typeNames = random.chance(30) ? ["Ship", "Report"] : nil
        durability = random.chance(60) ? .commit : .unsynced
        isOutside = random.chance(40)
    }

    /// Lives for a number of steps, and to a quiet end.
    func run(stepCount: Int) throws {
        // Jobs that were not run have the store, and the store has the executor.
        defer { machine.executor.removeAll() }
        for step in 0..<stepCount where problems.isEmpty {
            try self.step()
            problems = problems.map { "seed \(seed), step \(step): \($0)" }
        }
        guard problems.isEmpty else { return }
        endProcess(isCrash: false)
        try inProcess {
            try readAll($0)
            try readSecond($0, acknowledges: true)
        }
        endProcess(isCrash: false)
        problems = problems.map { "seed \(seed), at the end: \($0)" }
    }

    // MARK: Processes

    private var configuration: Realm.Configuration {
        var configuration = Realm.Configuration(
            fileURL: URL(filePath: path, directoryHint: .isDirectory),
            schemaVersion: UInt64(version),
            objectTypes: FollowedModels.types(version: version), durability: durability)
        configuration.migrations = FollowedModels.migrations.filter { $0.version <= version }
        return configuration
    }

    /// Calls `body` with the realm, opened if it is not.
    private func inProcess(_ body: (Realm) throws -> Void) throws {
        var options = machine.options(.verified, segmentByteCount: 16 << 10)
        options.checkpointInterval = 40_000
        try SharedStore.$simulatedOptions.withValue(options) {
            if realm == nil {
                let opened = try Realm(configuration: configuration)
                realm = opened
                let lsn = try opened.store.snapshot().lsn
                reports.removeAll { $0.lsn > lsn }
            }
            guard let realm else { return }
            // Before anything is delivered.
            if !secondHasBegun { try readSecond(realm, acknowledges: true) }
            try body(realm)
        }
    }

    /// Ends the program, or stops the machine, in the middle of whatever was going on.
    private func endProcess(isCrash: Bool) {
        if isCrash { machine.crashAndRestart() } else { machine.restart() }
        letGo()
        machine.disk.clearFaults()
        isArmed = false
    }

    /// Ends the program well.
    private func close() throws {
        try inProcess { try $0.store.sync() }
        if !isOutside { closeFeed() }
        closeSecond()
        realm = nil
        machine.executor.drain()
    }

    /// Ends all programs well.
    private func closeAll() throws {
        try close()
        closeFeed()
    }

    private func letGo() {
        closeFeed()
        closeSecond()
        realm = nil
        machine.executor.removeAll()
    }

    private func closeFeed() {
        feed?.close()
        (feed, reader) = (nil, nil)
        // What it had not stored is gone.
        consumer = stored
        consumer.forgetPart()
    }

    private func closeSecond() {
        secondFeed?.close()
        secondFeed = nil
        second = secondStored
        second.forgetPart()
    }

    // MARK: Steps

    private func step() throws {
        if !isArmed, random.chance(7) {
            machine.disk.setFault(
                random.pick([.inputOutput, .noSpace, .short, .crashBefore, .crashDuring]),
                atCall: random.below(250))
            isArmed = true
        }
        let before = version
        do {
            try act()
        } catch {
            guard isArmed else { throw error }
            counts.interruptions += 1
            isPlaceOpen = true
            if version > before { counts.interruptedMigrations += 1 }
            endProcess(isCrash: machine.disk.hasCrashed || random.chance(50))
        }
    }

    private func act() throws {
        switch random.below(30) {
        case 0: try inProcess { try $0.store.compact() }
        case 1: try inProcess { try $0.store.checkpoint() }
        case 2...4: machine.executor.drain()
        case 5: closeFeed()
        case 6: try close()
        case 7: endProcess(isCrash: random.chance(50))
        case 8...13: try inProcess { try read($0) }
        case 14...16: try inProcess { try acknowledge($0) }
        case 17 where version < 2 && random.chance(60): try migrate()
        case 18 where !isArmed: try saveOrPutBack()
        case 19: try backUpOrRestore()
        case 20, 21:
            try inProcess { try readSecond($0, acknowledges: random.chance(40)) }
        default: try inProcess { try write($0) }
        }
    }

    /// The next version of the program opens the realm.
    private func migrate() throws {
        try close()
        version += 1
        counts.migrations += 1
        try inProcess { _ in }
    }

    private var files: [(path: String, bytes: [UInt8])] {
        machine.disk.paths.filter { $0.hasPrefix(path + "/") }.map {
            (path: $0, bytes: machine.disk.contents(of: $0) ?? [])
        }
    }

    /// Keeps the files of the realm as they are, or puts back those that were kept. A consumer
    /// whose position is in the feed's file only can't know that its own data is newer.
    private func saveOrPutBack() throws {
        guard storesPosition else { return }
        try closeAll()
        guard let kept = image, random.chance(60) else {
            image = Image(files: files, reports: reports)
            return
        }
        machine.disk.loseDirectory(path)
        for file in kept.files { machine.disk.setContents(of: file.path, file.bytes) }
        reports = kept.reports
        mayDiffer = true
        // It is of another lineage now.
        backedUp = nil
        machine.disk.loseDirectory(backupPath)
        counts.puttingsBack += 1
    }

    /// Backs up the realm, or loses it and restores the backup.
    private func backUpOrRestore() throws {
        guard let backedUp, random.chance(50) else {
            // One that was interrupted goes on in the same directory.
            if backedUp != nil { machine.disk.loseDirectory(backupPath) }
            backedUp = nil
            try inProcess {
                try $0.store.backup(to: backupPath, options: BackupOptions(method: .copy))
            }
            backedUp = reports
            return
        }
        try closeAll()
        // No file that was removed before comes back in a crash.
        try machine.fileSystem.syncDirectory(path)
        machine.disk.loseDirectory(path)
        reports = backedUp
        (mayDiffer, image) = (true, nil)
        // Its feed is gone, and what it has not may be delivered before it begins.
        secondHasBegun = false
        counts.restorings += 1
        while machine.disk.contents(of: path + "/manifest") == nil {
            do {
                try StoreBackup.restore(
                    from: backupPath, to: path, options: BackupOptions(method: .copy),
                    environment: machine.environment)
            } catch {
                guard isArmed else { throw error }
                counts.interruptions += 1
                endProcess(isCrash: machine.disk.hasCrashed || random.chance(50))
                // One that was whole already is not cleared away by itself.
                machine.disk.loseDirectory(path + ".restoring")
            }
        }
    }

    // MARK: The consumer

    private func openedFeed(_ realm: Realm) throws -> ObjectFeed {
        if let feed { return feed }
        if isOutside {
            // It shows what is durable.
            try realm.store.sync()
            var configuration = configuration
            (configuration.readOnly, configuration.objectTypes) = (true, [])
            configuration.migrations = []
            reader = try Realm(configuration: configuration)
        }
        let opened = try (reader ?? realm).feed(named: "follower", typeNames: typeNames)
        opened.keyCountMax = random.chance(50) ? 3 : 2 << 20
        feed = opened
        if storesPosition, let position = stored.position { try opened.resume(after: position) }
        return opened
    }

    private func read(_ realm: Realm) throws {
        guard random.chance(30) else { return try readAll(realm) }
        let feed = try openedFeed(realm)
        try noting {
            // It fails in between.
            var rest = random.below(40)
            do {
                while try feed.read({ event in
                    if rest == 0 { throw FeedConsumer.Stop() }
                    rest -= 1
                    consumer.take(event)
                }) {}
            } catch is FeedConsumer.Stop {}
            consumer.forgetPart()
        }
    }

    private func readAll(_ realm: Realm) throws {
        let feed = try openedFeed(realm)
        if isOutside { try realm.store.sync() }
        try noting { try consumer.readAll(feed) }
        try compare(realm)
    }

    private func readSecond(_ realm: Realm, acknowledges: Bool) throws {
        let feed = try secondFeed ?? realm.feed(named: "second", typeNames: nil)
        secondFeed = feed
        try second.readAll(feed)
        requireReports(second, "the second consumer")
        guard acknowledges else { return }
        secondStored = second
        try feed.acknowledge()
        secondHasBegun = true
    }

    private func requireReports(_ consumer: ObjectFeedConsumer, _ name: String) {
        let missing = reports.filter { consumer.reports[Int64($0.number)] == nil }
        if !missing.isEmpty { problems.append("\(name) lacks \(missing.map(\.number))") }
    }

    private func noting(_ body: () throws -> Void) throws {
        let before = consumer.snapshots.count
        defer {
            for reason in consumer.snapshots[before...] {
                if reason == .otherHistory { counts.otherHistories += 1 }
                let isExpected =
                    switch reason {
                    case .new: stored.position == nil || mayDiffer || !storesPosition
                    case .otherHistory: mayDiffer
                    case .fellBehind: mayDiffer || isPlaceOpen
                    case .otherTypes: false
                    }
                if !isExpected { problems.append("the feed began again: \(reason)") }
            }
        }
        try body()
    }

    private func acknowledge(_ realm: Realm) throws {
        guard let feed, consumer.position != nil, feed.position != nil else { return }
        // The consumer's data first.
        stored = consumer
        guard random.chance(80) else { return }
        try feed.acknowledge()
        isPlaceOpen = false
        guard random.chance(50) else { return }
        counts.deliveries += try realm.outbox.acknowledge(shownBy: "follower", types: typeNames)
    }

    /// Compares what the consumer has with what one has that begins here.
    private func compare(_ realm: Realm) throws {
        let feed = try realm.feed(named: "whole", typeNames: typeNames)
        var whole = ObjectFeedConsumer()
        try whole.readAll(feed)
        feed.close()
        try realm.removeFeed(named: "whole")
        problems += consumer.differences(from: whole, isChanging: true)
        problems += consumer.problems
        requireReports(consumer, "the consumer")
        let isOnce = storesPosition && consumer.snapshots.count == 1
        let twice = consumer.reports.filter { $0.value > 1 }
        if isOnce, !twice.isEmpty { problems.append("reports came twice: \(twice.keys)") }
        counts.comparisons += 1
    }

    // MARK: Writing

    private func write(_ realm: Realm) throws {
        let first = nextNumber
        try realm.write {
            for _ in 0..<1 + random.below(8) { try change(realm) }
        }
        let lsn = try realm.store.snapshot().lsn
        reports += (first..<nextNumber).map { Report(number: $0, lsn: lsn) }
    }

    private func nextPortName() -> String {
        portCount += 1
        return "port \(portCount)"
    }

    private func change(_ realm: Realm) throws {
        let name = "n\(random.below(1000))"
        let ports = realm.dynamicObjects("Port")
        let id: Any = version < 2 ? random.below(20) : "s\(random.below(20))"
        switch random.below(12) {
        case 0, 1:
            try realm.insert(asymmetric: "Report", value: ["number": nextNumber])
            nextNumber += 1
        case 2: realm.dynamicCreate("Port", value: ["name": nextPortName()])
        case 3:
            if !ports.isEmpty { realm.delete(ports[random.below(ports.count)]) }
        case 4:
            if let ship = realm.dynamicObject(ofType: "Ship", forPrimaryKey: id) {
                realm.delete(ship)
            }
        case 5 where version < 2: realm.dynamicCreate("Note", value: ["text": name])
        case 6 where version != 1:
            // It becomes the primary key.
            if !ports.isEmpty { ports[random.below(ports.count)]["name"] = nextPortName() }
        default:
            var value: [String: Any] = ["id": id, version == 0 ? "captain" : "master": name]
            if version > 0, random.chance(50) {
                value["load"] = Double(random.below(9))
                value["flags"] = [name, "flag"]
            }
            if random.chance(40) {
                value["crew"] = ["name": name, "ages": [random.below(9)]]
            }
            let ship = realm.dynamicCreate("Ship", value: value, update: .modified)
            if !ports.isEmpty, random.chance(50) {
                ship["port"] = ports[random.below(ports.count)]
                ship.dynamicList("stops").append(ports[random.below(ports.count)])
                ports[random.below(ports.count)]["flagship"] = ship
            }
        }
    }
}
