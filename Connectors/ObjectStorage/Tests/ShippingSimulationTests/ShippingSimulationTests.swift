import SegmentLog
import ShippingFixtures
import SimulatedDisk
import StoreShipping
import StoreWorkload
import Synchronization
import TestSupport
import Testing
import TravertineStore

@testable import StoreFixtures

/// A store on a disk that loses what was not synced, and a shipper beside it, on a machine that
/// loses power, or is lost as a whole (U8, U10).
@Suite("Shipping from a machine that fails")
struct ShippingSimulationTests {
    @Test(
        "A backup never has more than the machine after a power cut, nor lacks more than an interval",
        arguments: environmentNumber("TRAVERTINE_ROUNDS").map { Array(0..<UInt64($0)) }
            ?? SampledNumbers.some(4, of: UInt64(0)..<24))
    func machine(seed: UInt64) async throws {
        var life = ShippedMachine(seed: seed)
        do {
            for _ in 0..<6 { try await life.runUntilPowerCut() }
        } catch {
            Issue.record("seed \(seed): \(error); \(life.history.suffix(15))")
        }
        print("seed \(seed): \(life.summary)")
    }
}

private struct ShippedMachine {
    /// Milliseconds between two rounds.
    private static let interval: Int64 = 1_000

    let seed: UInt64
    private let machine: SimulatedMachine
    private let storage = MemoryStorage()
    private let workload: Workload
    private var random: ShippingFixtures.SeededRandom
    private let time = Time()
    private var number: UInt64 = 0
    /// The newest transaction as of each LSN that a commit has: of the commits that the machine
    /// has, and of those that a power cut took.
    private var commits: [(lsn: UInt64, number: UInt64)] = []
    private var betweenCounts = (restored: 0, refused: 0)
    /// When each transaction was acknowledged, since the last power cut.
    private var acknowledged: [(number: UInt64, time: Int64)] = []
    private var longestRound: Int64 = 0
    private var process: Int32 = 0
    private var restoredCount = 0
    private var pointCount = 0
    private var longestLoss: Int64 = 0
    private(set) var history: [String] = []

    /// Milliseconds that pass when a test lets them.
    private final class Time: Sendable {
        private let milliseconds = Mutex<Int64>(1_750_000_000_000)
        var now: Int64 { milliseconds.withLock { $0 } }
        func advance(_ count: Int) { milliseconds.withLock { $0 += Int64(count) } }
    }

    init(seed: UInt64) {
        self.seed = seed
        machine = SimulatedMachine(seed: seed, fileCapacity: 4 << 20)
        workload = Workload(seed: seed)
        random = ShippingFixtures.SeededRandom(seed: seed &+ 1000)
    }

    var summary: String {
        "\(number) transactions, \(pointCount) points, lost at most \(longestLoss) ms, "
            + "commits between points: \(betweenCounts.restored) restored, "
            + "\(betweenCounts.refused) refused"
    }

    private func makeShipper() -> Shipper {
        let environment = Environment(
            fileSystem: machine.disk.startBeside(), executor: machine.executor,
            now: { 1 }, random: { .random(in: 0...(.max)) })
        var options = ShipperOptions()
        options.openSource = { path, _ in try BackupSource(of: path, environment: environment) }
        options.now = { [time] in time.now }
        (options.host, options.boot) = ("machine", "start")
        options.process = process
        options.isProcessAlive = { _ in false }
        options.retention = nil
        return Shipper(of: SimulatedMachine.path, to: storage, options: options)
    }

    /// The machine runs, and at a random moment loses power. What the backup has then is compared
    /// with what was acknowledged, and with what the machine has when it runs again.
    mutating func runUntilPowerCut() async throws {
        try await run()
        if random.chance(50) { try await shipBeforeWriter() }
        let survived = try survivingNumber()
        try await compareCommits()
        let shipped = try await restoredNumber()
        #expect(shipped <= survived, "seed \(seed): the machine lost what the backup has")
        history.append("power cut: \(survived) of \(number), backup \(shipped)")
        number = survived
    }

    /// Writes and ships; at the end the power is cut.
    private mutating func run() async throws {
        process += 1
        let store = try Store.open(
            at: SimulatedMachine.path, options: machine.options(segmentByteCount: 16 << 10))
        let found = try Workload.counter(in: store.snapshot())
        #expect(found <= number, "seed \(seed)")
        number = found
        // LSNs of what the power cut took are given to others.
        let lsn = try store.snapshot().lsn
        commits.removeAll { $0.number > found || $0.lsn > lsn }
        acknowledged = []
        var shipper = makeShipper()
        var nextRound = time.now
        for _ in 0..<(20 + random.below(80)) {
            number += 1
            let isDurable = random.chance(80)
            try store.write(durability: isDurable ? .commit : .unsynced) { transaction in
                try workload.apply(number, to: transaction)
            }
            commits.append((try store.snapshot().lsn, number))
            if isDurable { acknowledged.append((number, time.now)) }
            if random.chance(10) { machine.executor.drain() }
            if random.chance(5) { try store.checkpoint() }
            if random.chance(5) { try store.compact() }
            time.advance(random.below(300))
            if random.chance(3) {
                // The shipper is killed, and started again.
                process += 1
                shipper = makeShipper()
            }
            if time.now >= nextRound {
                let start = time.now
                let round = try await shipper.round()
                time.advance(random.below(400))
                longestRound = max(longestRound, time.now - start)
                if round != nil { pointCount += 1 }
                history.append("point \(round?.point.number ?? 0) at \(number)")
                nextRound = max(start + Self.interval, time.now)
            }
        }
        try await compareRestored()
        machine.crashAndRestart()
    }

    /// The machine runs again, and the shipper begins before the program that writes: what the file
    /// `lock` says may be less than what the backup has, which stays the newest.
    private mutating func shipBeforeWriter() async throws {
        process += 1
        let newest = try await Restorer(storage: storage).contents().points.last
        let shipper = makeShipper()
        for _ in 0..<3 {
            let round = try await shipper.round()
            if round != nil { pointCount += 1 }
            let contents = try await Restorer(storage: storage).contents()
            #expect(contents.histories.count <= 1, "seed \(seed): \(contents.histories)")
            #expect(contents.points.last?.lsn ?? 0 >= newest?.lsn ?? 0, "seed \(seed)")
            time.advance(random.below(1_000))
        }
    }

    /// Everything that was acknowledged an interval and a round ago is in the backup.
    private mutating func compareRestored() async throws {
        let shipped = try await restoredNumber()
        let lost = acknowledged.first { $0.number > shipped }
        let loss = lost.map { time.now - $0.time } ?? 0
        longestLoss = max(longestLoss, loss)
        // The steps of this test are up to 300 ms apart.
        let bound = max(Self.interval, longestRound) + longestRound + 300
        #expect(loss <= bound, "seed \(seed)")
    }

    private func survivingNumber() throws -> UInt64 {
        let store = try Store.open(
            at: SimulatedMachine.path, options: machine.options(segmentByteCount: 16 << 10))
        defer { try? store.close() }
        return try Workload.counter(in: store.snapshot())
    }

    /// Restores commits between points: each is the one that had the LSN, or `compact` has removed
    /// the log after one that is.
    private mutating func compareCommits() async throws {
        let points = try await Restorer(storage: storage).contents().points
        for _ in 0..<3 {
            guard points.count > 1 else { return }
            let place = 1 + random.below(points.count - 1)
            let (point, next) = (points[place - 1], points[place])
            guard point.history == next.history, next.lsn > point.lsn + 1 else { continue }
            let lsn = point.lsn + 1 + UInt64(random.below(Int(next.lsn - point.lsn - 1)))
            do {
                try await compareCommit(lsn, of: point.history)
                betweenCounts.restored += 1
            } catch ShippingError.commitNotKept(lsn, let reach, next) {
                #expect((point.lsn..<lsn).contains(reach), "seed \(seed), LSN \(lsn)")
                try await compareCommit(reach, of: point.history)
                betweenCounts.refused += 1
            }
        }
    }

    private mutating func compareCommit(_ lsn: UInt64, of history: UInt64) async throws {
        let found = try await restoredNumber(.lsn(lsn, history: history))
        let expected = commits.last { $0.lsn <= lsn }
        #expect(found == expected?.number ?? 0, "seed \(seed), LSN \(lsn)")
    }

    /// Restores the newest point, or another, and compares all that it holds with the model.
    private mutating func restoredNumber(
        _ selection: PointSelection = .newest
    ) async throws -> UInt64 {
        restoredCount += 1
        let target = "/restored-\(restoredCount)"
        let environment = machine.environment
        var restorer = Restorer(storage: storage)
        restorer.openAssembly = { path, _ in
            try StoreAssembly(at: path, environment: environment)
        }
        let report = try await restorer.restore(selection, to: target)
        #expect(report.isVerified)
        let store = try Store.open(at: target, options: machine.options())
        defer {
            try? store.close()
            machine.disk.loseDirectory(target)
        }
        let snapshot = try store.snapshot()
        let number = try Workload.counter(in: snapshot)
        var expected = WorkloadModel(workload)
        expected.advance(to: number)
        let difference = try Workload.difference(of: snapshot, in: store, from: expected)
        #expect(difference == nil, "seed \(seed)")
        return number
    }
}
