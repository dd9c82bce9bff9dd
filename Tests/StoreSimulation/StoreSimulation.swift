import SegmentLog
import SimulatedDisk
import StoreMaintenance
import StoreWorkload
import Synchronization
import TestSupport
import TravertineStore

/// One simulated life of a store: a workload on a disk that loses, reorders and tears what was not
/// synced, fails now and then, and crashes between any two calls.
///
/// Everything follows from the seed. After every reopening the store must hold exactly what the
/// model holds after some transaction that is not older than the newest one acknowledged as durable
/// and not newer than the newest one attempted.
public struct StoreSimulation {
    /// A rule was broken.
    public struct Failure: Error, CustomStringConvertible {
        /// The seed that shows it.
        public let seed: UInt64
        /// Which rule, and what happened before.
        public let message: String

        /// The seed and the message.
        public var description: String { "seed \(seed): \(message)" }
    }

    let seed: UInt64
    /// Whether the life has other keyspaces and readers too; those that tests repeat for what they
    /// once found have not.
    private let isVaried: Bool
    /// Whether the life takes backups; those that tests repeat for what they once found do not.
    let takesBackups: Bool
    /// What encrypts the store, if it is encrypted.
    let cipher: RecordingCipher?
    let workload: Workload
    let disk: SimulatedDisk
    let executor = ManualExecutor()
    private let clock = Clock()
    private(set) var fileSystem: SimulatedFileSystem
    /// The process beside the store's; nil in lives that have none, as those that tests repeat for
    /// what they once found.
    let readers: ReaderLife?
    /// The open store; let go only after its machine or process has stopped, so that it can't tidy
    /// up after itself.
    private var store: Store?
    var random: SeededRandom
    var report = Report()
    /// What happened, for the message of a failure.
    var history: [String] = []
    /// Whether this round's disk may fail.
    private(set) var hasFault = false
    /// Whether the machine stopped last, and not the process alone: what is there is on the disk.
    private(set) var isAfterCrash = false
    /// Whether the store was opened for writing since the machine started.
    var wasOpened = false
    /// The newest transaction that was acknowledged as durable.
    var durable: UInt64 = 0
    /// The newest transaction whose commit was attempted.
    private(set) var attempted: UInt64 = 0
    /// Snapshots that stay open over many transactions, with the transaction that they see.
    private var snapshots: [(snapshot: Snapshot, number: UInt64)] = []

    /// What readers know of as durable in a round whose disk may refuse what is to be published for
    /// them (R1); nil where all of it is published.
    var toldBeforeFault: UInt64?

    /// The consumer of a feed in the store's process; nil in lives that have none, as those that
    /// tests repeat for what they once found.
    var feed: FeedLife?
    /// Whether the disk never was full, for which feeds are given up.
    private(set) var feedsAreKept = true

    /// What the backup in the directory may hold: LSNs with the number of transactions.
    var backup = BackupLife()

    /// Whether nothing but power cuts and ends of processes has happened to the files.
    private(set) var isUndamaged = true

    static let path = "/store"

    final class Clock: Sendable {
        private let time = Atomic<UInt64>(1)
        func now() -> UInt64 { time.add(1000, ordering: .relaxed).newValue }
    }

    /// Lives the life that follows from a seed; throws `Failure` if a rule is broken.
    ///
    /// - Parameter isEncrypted: whether the store is encrypted, by a cipher that stops the process
    ///   when a nonce comes twice.
    public static func run(
        seed: UInt64, roundCount: Int = 4, isEncrypted: Bool = false
    ) throws -> Report {
        var simulation = StoreSimulation(
            seed: seed, cipher: isEncrypted ? RecordingCipher() : nil)
        for _ in 0..<roundCount { try simulation.liveUntilTrouble() }
        try simulation.endQuietly()
        return simulation.report
    }

    private init(seed: UInt64, cipher: RecordingCipher?) {
        self.seed = seed
        self.cipher = cipher
        isVaried = seed % 5 == 1 || seed % 5 == 3
        // A third of the lives have another process beside the store's.
        let hasReaders = [1, 3, 8].contains(seed % 9)
        let hasFeeds = [1, 2, 5, 7, 8].contains(seed % 11)
        takesBackups = seed % 7 == 2 || seed % 7 == 5 || hasReaders && seed % 2 == 0
        random = SeededRandom(seed: seed)
        // Few keys make many versions of each; many make trees of several pages.
        let keyCount: UInt64 = random.next() % 3 == 0 ? 800 : 40
        workload = Workload(
            seed: seed, keyCount: keyCount, valueByteCountMax: 200, isCompressible: isVaried)
        disk = SimulatedDisk(seed: seed)
        if takesBackups { disk.sharing = [.none, .links, .clones][Int(random.next() % 3)] }
        fileSystem = disk.start()
        readers =
            hasReaders
            ? ReaderLife(
                path: Self.path, disk: disk, workload: workload, isVaried: isVaried,
                cipher: cipher, hasFeed: hasFeeds) : nil
        if hasFeeds {
            feed = FeedLife(named: "copy", workload: workload, isVaried: isVaried, seed: seed)
        }
    }

    mutating func chance(_ oneIn: UInt64) -> Bool { random.next() % oneIn == 0 }

    func fail(_ message: String) -> Failure {
        Failure(
            seed: seed, message: message + "; last: " + history.suffix(8).joined(separator: " | "))
    }

    /// - Parameter other: runs the background jobs instead of the store's executor.
    mutating func makeOptions(executor other: ManualExecutor? = nil) -> StoreOptions {
        var options = StoreOptions()
        // Mostly small segments and a low bound, so that compaction has much to do.
        options.segmentByteCount = chance(4) ? 1 << 20 : 4096 << Int(random.next() % 3)
        options.spaceBound = 1.1
        // Where time passes, idle times are used.
        if isVaried { options.idleSpaceFloor = 8 << 10 }
        options.checkpointInterval = Int(random.next() % 8_000) + 500
        // Leaves go back to page files, all of them or some.
        if chance(2) { options.indexMemoryBudget = Int(random.next() % 20_000) }
        options.readMode = chance(4) ? .verified : .mapped
        // Small buffers, so that transactions leave parts in the log before they end.
        if chance(2) { options.bufferByteCount = Int(random.next() % 3000) + 200 }
        if cipher != nil { options.decryptedMemoryBudget = Int(random.next() % 60_000) }
        let clock = clock
        let randomness = SharedRandom(SeededRandom(seed: random.next()))
        options.environment = Environment(
            fileSystem: fileSystem, executor: other ?? executor, now: { clock.now() },
            random: { randomness.next() }
        ).encrypted(with: cipher)
        return options
    }

    // MARK: A life

    /// Opens the store and writes until a fault or a crash stops it; then checks what is left.
    private mutating func liveUntilTrouble() throws {
        setFault()
        do {
            try write(transactionCount: random.next() % 60 + 1)
        } catch let failure as Failure {
            throw failure
        } catch {
            guard hasFault else { throw fail("an error without a fault: \(error)") }
            history.append("\(error)")
            history.append(disk.recentCalls.suffix(12).joined(separator: ", "))
        }
        stop()
        try check()
    }

    private mutating func setFault() {
        hasFault = true
        toldBeforeFault = nil
        let call = Int(random.next() % 600)
        let kind = random.next() % 8
        history.append("round with fault \(kind) at call \(call)")
        switch kind {
        case 0, 1: disk.setFault(.crashBefore, atCall: call)
        case 2, 3: disk.setFault(.crashDuring, atCall: call)
        case 4:
            disk.setFault(.inputOutput, atCall: call)
            toldBeforeFault = durable
            isUndamaged = false
        case 5:
            // The disk is full from here on, or soon is.
            if isVaried {
                disk.setQuota(byteCount: disk.usedByteCount + Int(random.next() % 400_000))
            } else {
                for number in call..<call + 200 { disk.setFault(.noSpace, atCall: number) }
            }
            toldBeforeFault = durable
            feedsAreKept = false
        case 6:
            disk.setFault(.interrupted, atCall: call)
            disk.setFault(.short, atCall: Int(random.next() % 600))
            // Such a call is made again, or goes on: no error may come of it.
            hasFault = false
        default: hasFault = false
        }
        if kind < 7 { report.faultCount += 1 }
    }

    /// Ends the process or the whole machine, and starts the next.
    private mutating func stop() {
        history.append(disk.hasCrashed ? "crashed" : "stopped")
        isAfterCrash = disk.hasCrashed || !chance(4)
        if !isAfterCrash {
            disk.end(fileSystem)
            history.append("new process")
        } else {
            disk.crash()
            report.crashCount += 1
        }
        stopReaders()
        fileSystem = isAfterCrash ? disk.start() : disk.startBeside()
        executor.removeAll()
        disk.clearFaults()
        disk.setQuota(byteCount: .max)
        snapshots = []
        feed?.stop()
        store = nil
    }

    private mutating func write(transactionCount: UInt64) throws {
        letReadersRun()
        // An opening without a change closes the store cleanly where the last process left it.
        if isVaried, chance(6) { try Store.open(at: Self.path, options: makeOptions()).close() }
        let store = try Store.open(at: Self.path, options: makeOptions())
        self.store = store
        wasOpened = true
        for _ in 0..<transactionCount {
            let number = try Workload.counter(in: store.snapshot()) + 1
            try writeOne(number, store)
            while chance(2), executor.runNext() {}
            if chance(20) { try store.checkpoint() }
            try compactOrLook(store)
            if isVaried, chance(20) { try readFromTheSameProcess() }
            try readBeside()
            try readFeed(of: store)
            if isVaried { try scrubSome(store) }
            if takesBackups, chance(12) { try takeBackup(of: store) }
            if chance(15) {
                try store.sync()
                durable = max(durable, try Workload.counter(in: store.snapshot()))
            }
        }
        if !hasFault { try checkInvariants(of: store) }
        let statistics = try store.statistics
        report.checkpointCount += statistics.checkpointCount
        report.passCount += statistics.compaction.passCount
        report.removedSegmentCount += statistics.compaction.total.removedSegmentCount
        if chance(2) {
            let last = try Workload.counter(in: store.snapshot())
            if feed != nil, chance(2) { feed?.close() }
            try store.close()
            durable = last
        }
    }

    /// Now and then: a full pass, a pause, a long snapshot taken, looked at again, let go.
    private mutating func compactOrLook(_ store: Store) throws {
        switch random.next() % 40 {
        case 0: try store.compact()
        case 1: store.pauseCompaction()
        case 2, 3, 4: store.resumeCompaction()
        case 5, 6:
            let snapshot = try store.snapshot()
            snapshots.append((snapshot, try Workload.counter(in: snapshot)))
        case 7, 8:
            guard let (snapshot, number) = snapshots.popLast() else { return }
            var expected = WorkloadModel(workload)
            expected.advance(to: number)
            if let difference = try Workload.difference(of: snapshot, in: store, from: expected) {
                throw fail("a snapshot of transaction \(number) has changed: \(difference)")
            }
        default: return
        }
    }

    /// Lets time pass, so that sealed files are verified; on a disk that damages nothing, nothing
    /// is found but what could not be read.
    private mutating func scrubSome(_ store: Store) throws {
        if chance(3) { executor.advance(byNanoseconds: random.next() % 40_000_000_000) }
        let found = try chance(30) ? store.scrub().findings : store.statistics.scrub.findings
        report.scrubbedByteCount += try store.statistics.scrub.verifiedByteCount
        if let damage = found.first(where: { $0.hasPrefix("damaged") }) {
            throw fail("the scrub found damage: \(damage)")
        }
    }

    /// A reader opens beside the store, and sees what is durable.
    private mutating func readFromTheSameProcess() throws {
        let reader = try StoreReader.open(at: Self.path, options: makeOptions())
        defer { reader.close() }
        let snapshot = try reader.snapshot()
        let number = try Workload.counter(in: snapshot)
        guard number >= durable, number <= attempted else {
            throw fail("a reader sees \(number) transactions; \(durable) are durable")
        }
        var expected = WorkloadModel(workload)
        expected.advance(to: number)
        let difference = try Workload.difference(of: snapshot, from: expected) { name in
            reader.keyspace(named: name)
        }
        if let difference { throw fail("a reader of \(number) transactions: \(difference)") }
    }

    /// Destroys every page file: what is left of the log must be enough.
    private mutating func loseCheckpoints() {
        // A link has the same bytes, and a bad block takes both.
        if disk.sharing == .links { backup.moveOn() }
        readers?.meetDamage()
        for path in disk.paths where path.hasPrefix(Self.path + "/") && path.hasSuffix(".pages") {
            disk.corrupt(path, at: 8)
        }
        isUndamaged = false
        history.append("all checkpoints lost")
        report.replayCount += 1
    }

    private mutating func writeOne(_ number: UInt64, _ store: Store) throws {
        let level: Durability =
            switch random.next() % 3 {
            case 0: .commit
            case 1: .interval(milliseconds: 1)
            default: Durability.unsynced
            }
        let rollsBack = chance(10)
        if !rollsBack { attempted = max(attempted, number) }
        let transaction = try store.beginWrite()
        do {
            if isVaried {
                try KeyspaceLife.apply(number, to: transaction)
                try changeCompression(number, transaction)
            }
            try workload.apply(number, to: transaction)
            if rollsBack {
                transaction.rollback()
                return
            }
            try transaction.commit(durability: level)
        } catch let error as StoreError where error.code == .diskFull {
            transaction.rollback()
            return
        }
        report.transactionCount += 1
        if level == .commit { durable = number }
        if try Workload.counter(in: store.snapshot()) != number {
            throw fail("transaction \(number) is not visible after its commit")
        }
    }

    /// The default keyspace is `.cold` most of the time, the others now and then; in lives of some
    /// seeds they are `.packed` instead.
    private mutating func changeCompression(
        _ number: UInt64, _ transaction: WriteTransaction
    ) throws {
        let compression = seed % 4 == 2 ? KeyspaceCompression.packed : .cold
        if number == 1 || chance(20) {
            try transaction.setCompression(chance(4) ? .off : compression, of: .default)
        }
        if chance(20), let keyspace = store?.keyspaces.last,
            let known = transaction.knownKeyspace(named: keyspace.name)
        {
            try transaction.setCompression(chance(2) ? .off : compression, of: known)
        }
    }

    // MARK: Checks

    /// Opens the store on a disk without faults and compares it with the model.
    private mutating func check() throws {
        try checkSoundness()
        try readAlone()
        if chance(6) { loseCheckpoints() }
        letReadersRun()
        let store: Store
        do {
            store = try Store.open(at: Self.path, options: makeOptions())
        } catch {
            throw fail("does not open: \(error); durable \(durable), attempted \(attempted)")
        }
        self.store = store
        wasOpened = true
        try checkBackup()
        let (snapshot, number) = try compare(store)
        try checkInvariants(of: store)
        report.packedValueCount += try countPackedValues(snapshot)
        if [.fullReplay, .previousCheckpoint].contains(store.openingSource) {
            report.fallbackCount += 1
        }
        report.lostTransactionCount += attempted - number
        // What was recovered is durable now: another crash must not take it back.
        durable = number
        attempted = number
        stop()
    }

    /// Compares an open store with the model after as many transactions as it holds.
    @discardableResult
    func compare(_ store: Store) throws -> (snapshot: Snapshot, number: UInt64) {
        let snapshot = try store.snapshot()
        let number = try Workload.counter(in: snapshot)
        guard number >= durable else {
            throw fail("transaction \(durable) was durable; only \(number) are left")
        }
        guard number <= attempted else {
            throw fail("\(number) transactions are there, \(attempted) were attempted")
        }
        var expected = WorkloadModel(workload)
        expected.advance(to: number)
        if let difference = try Workload.difference(of: snapshot, in: store, from: expected) {
            throw fail("after \(number) transactions: \(difference)")
        }
        if isVaried,
            let difference = try KeyspaceLife.difference(of: snapshot, in: store, after: number)
        {
            throw fail("after \(number) transactions: \(difference)")
        }
        return (snapshot, number)
    }

    /// On a disk that refuses nothing, so that what the check reads is there.
    private func checkInvariants(of store: Store) throws {
        let problems = try store.brokenInvariants()
        if !problems.isEmpty { throw fail("invariants: \(problems)") }
    }

    private func countPackedValues(_ snapshot: Snapshot) throws -> Int {
        var count = 0
        var cursor = snapshot.access.cursor(in: KeyspaceID.default)
        var isValid = try cursor.seekToFirst()
        while isValid {
            if Location(rawValue: cursor.indexValue).isCompressed { count += 1 }
            isValid = try cursor.next()
        }
        return count
    }

    private mutating func endQuietly() throws {
        try check()
        try readAlone()
        letReadersRun()
        let store = try Store.open(at: Self.path, options: makeOptions())
        try store.close()
        try endReaders()
        if let feed { count(feed) }
        let found = try StoreVerifier.verify(
            path: Self.path, level: .deep, environment: makeOptions().environment)
        guard found.isSound else { throw fail("fsck finds: \(found.findings)") }
    }
}

extension Environment {
    /// The same environment if there is no cipher.
    func encrypted(with cipher: RecordingCipher?) -> Environment {
        guard let cipher else { return self }
        return encrypted(with: cipher as any StoreCipher)
    }
}
