import Foundation
import SimulatedDisk
import StoreWorkload
import TestSupport
import TravertineStore

@testable import StoreFixtures
@testable import Travertine

/// A realm on a simulated disk, and the consumer of a feed of its objects: while calls fail, the
/// machine stops in any of them, the schema is migrated, and the realm is lost and restored from a
/// backup, put back to an older state, or copied, and both copies go on. Some are encrypted.
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
        /// Copies, and returns to the other one.
        var turns = 0
        /// Returns of the consumer to older data.
        var stepsBack = 0
        /// Snapshots of a consumer that lacks asymmetric objects.
        var losses = 0
        var encryptedRealms = 0
        var otherHistories = 0
        var deliveries = 0
        var comparisons = 0
    }

    /// A state of the realm's files while no process had it open.
    struct Image {
        var files: [(path: String, bytes: [UInt8])]
        var reports: [Report]
    }

    /// A realm that rests while a copy of it goes on.
    struct Copy {
        var path: String
        var reports: [Report]
        var secondHasBegun: Bool
    }

    /// What a consumer may lack, because it went back or was not waited for.
    struct Missing {
        /// How many snapshots it had seen then: the next one reports it.
        var snapshotCount: Int?
        /// The reports that it has missed, as a snapshot has reported.
        var numbers: Set<Int> = []

        /// What it has is stored: if it was shown such a snapshot, it needs no other one.
        mutating func didStore(_ consumer: ObjectFeedConsumer) {
            if let count = snapshotCount, consumer.snapshots.count > count { snapshotCount = nil }
        }
    }

    /// An asymmetric object that was added.
    struct Report {
        var number: Int
        /// The LSN of a commit that has it.
        var lsn: UInt64
    }

    let seed: UInt64
    var random: SeededRandom
    let machine: SimulatedMachine
    var path: String
    var backupPath: String { path + "-backup" }
    let storesPosition: Bool
    let typeNames: [String]?
    let durability: Durability
    /// So little is kept for the consumer, in some.
    let byteCountMax: Int?

    var realm: Realm?
    var feed: ObjectFeed?
    var consumer = ObjectFeedConsumer()
    /// The consumer as it stored its data last.
    var stored = ObjectFeedConsumer()
    /// The version of the classes of the program.
    var version = 0
    var nextNumber = 1
    var portCount = 0
    /// The asymmetric objects of commits that returned.
    var reports: [Report] = []
    /// The consumer as its data were saved before, position included.
    var saved: ObjectFeedConsumer?
    var image: Image?
    var otherCopy: Copy?
    /// The reports up to the backup.
    var backedUp: [Report]?
    var isArmed = false
    var mayDiffer = false
    /// Whether a call was interrupted since the place was last written.
    var isPlaceOpen = false
    /// Whether the follower reads by a read-only realm, which stays open when the writer ends.
    let isOutside: Bool
    var reader: Realm?
    /// A consumer of reports alone, which acknowledges seldom: what it does not have must not be
    /// deleted.
    var second = ObjectFeedConsumer()
    var secondStored = ObjectFeedConsumer()
    var secondFeed: ObjectFeed?
    var secondHasBegun = false
    var missing = Missing()
    var secondMissing = Missing()
    var problems: [String] = []
    var counts = Counts()

    init(seed: UInt64) {
        self.seed = seed
        random = SeededRandom(seed: seed)
        path = "/followed-\(seed)"
        let isEncrypted = random.chance(25)
        machine = SimulatedMachine(
            seed: seed, fileCapacity: 4 << 20, cipher: isEncrypted ? RecordingCipher() : nil)
        counts.encryptedRealms = isEncrypted ? 1 : 0
        storesPosition = random.chance(60)
        typeNames = random.chance(30) ? ["Ship", "Report"] : nil
        durability = random.chance(60) ? .commit : .unsynced
        isOutside = random.chance(40)
        byteCountMax = random.chance(25) ? 20_000 : nil
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

    var configuration: Realm.Configuration {
        var configuration = Realm.Configuration(
            fileURL: URL(filePath: path, directoryHint: .isDirectory),
            schemaVersion: UInt64(version),
            objectTypes: FollowedModels.types(version: version), durability: durability)
        configuration.migrations = FollowedModels.migrations.filter { $0.version <= version }
        return configuration
    }

    /// Calls `body` with the realm, opened if it is not.
    func inProcess(_ body: (Realm) throws -> Void) throws {
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
    func endProcess(isCrash: Bool) {
        if isCrash { machine.crashAndRestart() } else { machine.restart() }
        letGo()
        machine.disk.clearFaults()
        isArmed = false
    }

    /// Ends the program well.
    func close() throws {
        try inProcess { try $0.store.sync() }
        if !isOutside { closeFeed() }
        closeSecond()
        realm = nil
        machine.executor.drain()
    }

    /// Ends all programs well.
    func closeAll() throws {
        try close()
        closeFeed()
    }

    func letGo() {
        closeFeed()
        closeSecond()
        realm = nil
        machine.executor.removeAll()
    }

    func closeFeed() {
        feed?.close()
        (feed, reader) = (nil, nil)
        // What it had not stored is gone.
        consumer = stored
        consumer.forgetPart()
    }

    func closeSecond() {
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
        switch random.below(33) {
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
        case 22 where !isArmed: try copyOrTurn()
        case 23: stepBack()
        case 24 where random.chance(30): letAgesPass()
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
}
