import SegmentLog
import SimulatedDisk
import StoreMaintenance
import StoreWorkload
import Synchronization
import TestSupport
import TravertineStore

/// A process that reads the store beside the one that writes it, and makes backups of it.
///
/// Whatever it sees is what the model holds after some transaction that is durable: one not older
/// than the newest that was acknowledged as durable before it looked, nor than any that was seen
/// before, by this process or by one before it; only after a crash of the machine, and before the
/// next opening for writing, may it be older. What it keeps a snapshot of stays, whatever the
/// writer removes.
final class ReaderLife: @unchecked Sendable {
    /// What was done, to see that it is done at all.
    struct Counts {
        var openingCount = 0
        var refreshCount = 0
        var keptSnapshotCount = 0
        var backupCount = 0
        var killCount = 0
    }

    /// What the rules for the process depend on when it begins something.
    struct Circumstances {
        /// The newest transaction that was acknowledged as durable.
        var durable: UInt64
        /// Whether the disk of this round may fail.
        var hasFault: Bool
        /// Whether the store was opened for writing since the machine started.
        var wasOpened: Bool
        /// Whether nothing has happened for which a feed is given up.
        var feedsAreKept: Bool
    }

    private final class Clock: Sendable {
        private let time = Atomic<UInt64>(1)
        func now() -> UInt64 { time.add(1000, ordering: .relaxed).newValue }
    }

    private let path: String
    private let disk: SimulatedDisk
    private let workload: Workload
    private let isVaried: Bool
    private let cipher: RecordingCipher?
    private var random: SeededRandom
    private let clock = Clock()
    private var process: OtherProcess?
    /// Whether the disk failed, or may have, since the work in progress began.
    private var mayFail = false
    private var reader: StoreReader?
    private var snapshots: [(snapshot: Snapshot, number: UInt64)] = []
    /// The consumer of a feed, in the lives that have some.
    private(set) var feed: FeedLife?
    private var backupNumber = 0
    /// The newest transaction that was seen: it is durable.
    private(set) var seen: UInt64 = 0
    /// The newest one that was seen since the machine started.
    private var shown: UInt64 = 0
    private(set) var counts = Counts()

    init(
        path: String, disk: SimulatedDisk, workload: Workload, isVaried: Bool,
        cipher: RecordingCipher?, hasFeed: Bool
    ) {
        self.cipher = cipher
        self.path = path
        self.disk = disk
        self.workload = workload
        self.isVaried = isVaried
        random = SeededRandom(seed: workload.seed &* 31 &+ 7)
        if hasFeed {
            feed = FeedLife(
                named: "beside", workload: workload, isVaried: isVaried, seed: workload.seed &+ 1)
        }
    }

    private func chance(_ oneIn: UInt64) -> Bool { random.next() % oneIn == 0 }

    // MARK: What the store's thread does

    /// Before a call of the store's process.
    func mayRun() { process?.mayRun() }

    /// Looks whether the work in progress has ended, and begins another one if it has.
    ///
    /// - Parameter circumstances: what the process's rules depend on.
    func step(_ circumstances: Circumstances) throws {
        noteFault(circumstances.hasFault)
        if process?.isRunning ?? false {
            if chance(30) { kill() }
            return
        }
        try collect()
        mayFail = circumstances.hasFault
        let process = process ?? OtherProcess(on: disk, seed: random.next())
        self.process = process
        process.begin { [self] in try work(circumstances, process.fileSystem) }
    }

    /// The disk of this round may fail.
    func noteFault(_ hasFault: Bool) { if hasFault { mayFail = true } }

    /// Lets the work in progress go on to its end.
    func finish() throws {
        guard let process else { return }
        _ = process.finish()
        try collect()
    }

    private func collect() throws {
        guard let process, case .failure(let error) = process.finish() else { return }
        if error is BrokenRule { throw error }
        guard mayFail else { throw BrokenRule("another process: \(error)") }
        kill()
    }

    /// Ends the process in the middle of whatever it does.
    func kill() {
        process?.kill()
        if process != nil { counts.killCount += 1 }
        process = nil
        snapshots = []
        feed?.stop()
        reader = nil
    }

    /// The machine has stopped. What the writer published for its readers was never synced, so that
    /// readers see less until the next writer has opened the store (R1), and a backup that was made
    /// before is of a later state, which none is continued from.
    func meetCrash() {
        kill()
        shown = 0
        backupNumber += 1
    }

    /// Page files are damaged, and perhaps what a backup has of them: nothing in progress goes on,
    /// and backups go to another directory.
    func meetDamage() {
        kill()
        backupNumber += 1
    }

    // MARK: What the process does

    private func work(
        _ circumstances: Circumstances, _ fileSystem: SimulatedFileSystem
    ) throws {
        let durable = circumstances.durable
        // The first opening for writing may have been interrupted.
        guard disk.contents(of: path + "/manifest") != nil else { return }
        guard let reader else {
            let options = options(fileSystem)
            let opened = try StoreReader.open(at: path, options: options)
            reader = opened
            counts.openingCount += 1
            return try look(opened, atLeast: durable)
        }
        if feed != nil, chance(2) { return try follow(reader, circumstances) }
        switch random.next() % 16 {
        case 0...5:
            try reader.refresh()
            counts.refreshCount += 1
            let retiredCount = reader.mappedSegmentCounts.retired
            let isHeld = !snapshots.isEmpty || feed?.isOpen == true
            guard isHeld || retiredCount == 0 else {
                throw BrokenRule("\(retiredCount) retired segments are mapped for no snapshot")
            }
            try look(reader, atLeast: durable)
        case 6, 7:
            let snapshot = try reader.snapshot()
            snapshots.append((snapshot, try Workload.counter(in: snapshot)))
        case 8...10:
            guard !snapshots.isEmpty else { return }
            let place = Int(random.next() % UInt64(snapshots.count))
            let (snapshot, number) = snapshots[place]
            try compare(snapshot, with: number, reader, "a kept snapshot")
            counts.keptSnapshotCount += 1
            if chance(2) { snapshots.remove(at: place) }
        case 11, 12:
            snapshots = []
            feed?.close()
            reader.close()
            self.reader = nil
        default: try backUp(atLeast: durable, fileSystem)
        }
    }

    private func look(_ reader: StoreReader, atLeast durable: UInt64) throws {
        let snapshot = try reader.snapshot()
        let number = try Workload.counter(in: snapshot)
        try note(number, atLeast: durable, "a reader")
        try compare(snapshot, with: number, reader, "a reader")
        guard isVaried, let store = reader.currentStore,
            let difference = try KeyspaceLife.difference(of: snapshot, in: store, after: number)
        else { return }
        throw BrokenRule("a reader of \(number) transactions: \(difference)")
    }

    /// A consumer goes on with a feed in this process.
    private func follow(_ reader: StoreReader, _ circumstances: Circumstances) throws {
        try feed?.step(
            atLeast: circumstances.durable, isOlder: !circumstances.wasOpened,
            isKept: circumstances.feedsAreKept
        ) { try reader.feed(named: $0, options: $1) }
        seen = max(seen, feed?.seen ?? 0)
    }

    private func note(_ number: UInt64, atLeast durable: UInt64, _ who: String) throws {
        guard number >= durable else {
            throw BrokenRule("\(who) sees \(number) transactions; \(durable) are durable")
        }
        guard number >= shown else {
            throw BrokenRule("\(who) sees \(number) transactions; \(shown) were seen before")
        }
        shown = number
        seen = max(seen, number)
    }

    private func compare(
        _ snapshot: Snapshot, with number: UInt64, _ reader: StoreReader, _ who: String
    ) throws {
        var expected = WorkloadModel(workload)
        expected.advance(to: number)
        let difference = try Workload.difference(of: snapshot, from: expected) { name in
            reader.keyspace(named: name)
        }
        guard let difference else { return }
        throw BrokenRule("\(who) of \(number) transactions: \(difference)")
    }

    /// Makes or renews a backup while the other process writes, restores it and compares it.
    private func backUp(atLeast durable: UInt64, _ fileSystem: SimulatedFileSystem) throws {
        if chance(4) { backupNumber += 1 }
        let directory = "/beside-\(backupNumber)"
        let methods = BackupOptions.Method.allCases
        let method = methods[Int(random.next() % UInt64(methods.count))]
        let environment = options(fileSystem).environment
        try StoreBackup.make(
            of: path, to: directory, options: BackupOptions(method: method),
            environment: environment)
        let found = try StoreBackup.verify(path: directory, environment: environment)
        guard found.isSound else {
            // A segment that a failing disk does not give is a finding too.
            if mayFail { throw StoreError(.io, "\(found.findings)") }
            throw BrokenRule("a backup of another process: \(found.findings)")
        }
        counts.backupCount += 1
        let target = "/beside-restored-\(counts.backupCount)"
        try StoreBackup.restore(
            from: directory, to: target, options: BackupOptions(method: .copy),
            environment: environment)
        let copy = try Store.open(at: target, options: options(fileSystem))
        let snapshot = try copy.snapshot()
        let number = try Workload.counter(in: snapshot)
        try note(number, atLeast: durable, "a backup of another process")
        var expected = WorkloadModel(workload)
        expected.advance(to: number)
        if let difference = try Workload.difference(of: snapshot, in: copy, from: expected) {
            throw BrokenRule("the backup of transaction \(number): \(difference)")
        }
        try copy.close()
        disk.loseDirectory(target)
    }

    /// Options with background jobs that never run: the process does what it is asked for.
    private func options(_ fileSystem: SimulatedFileSystem) -> StoreOptions {
        var options = StoreOptions()
        options.readMode = chance(4) ? .verified : .mapped
        options.scrub = nil
        if cipher != nil { options.decryptedMemoryBudget = Int(random.next() % 60_000) }
        let clock = clock
        let randomness = SharedRandom(SeededRandom(scattering: random.next()))
        options.environment = Environment(
            fileSystem: fileSystem, executor: ManualExecutor(), now: { clock.now() },
            random: { randomness.next() }
        ).encrypted(with: cipher)
        return options
    }
}
