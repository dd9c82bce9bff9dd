import Foundation
import ShippingFixtures
import Testing
import TravertineStore

@testable import StoreShipping

/// A real store lives a random life, shipped by processes that are ended between any two requests,
/// through a storage that fails, loses answers and gives old ones. Whatever happens, every point
/// restores to what the store held at its LSN.
@Suite("Random histories")
struct HistoryTests {
    @Test(
        "Every point restores to what was committed",
        arguments: 0..<(environmentNumber("TRAVERTINE_ROUNDS") ?? 12))
    func histories(number: Int) async throws {
        let seed = (environmentNumber("TRAVERTINE_SEED").map { UInt64($0) } ?? 1) &+ UInt64(number)
        var life = try ShippedLife(seed: seed)
        defer { life.store.remove() }
        do {
            for _ in 0..<80 { try await life.step() }
            try await life.finish()
        } catch {
            Issue.record("seed \(seed): \(error); \(life.history.suffix(12))")
        }
        print("seed \(seed): \(life.summary)")
    }
}

/// A store, its backup, and what the backup must hold.
private struct ShippedLife {
    let seed: UInt64
    var random: SeededRandom
    let store: ShippedStore
    let storage = MemoryStorage()
    let clock = TestClock()
    var shipper: Shipper?
    var process: Int32 = 0
    /// What each point must restore to.
    var expected: [UInt64: [ShippedStore.Model]] = [:]
    /// All commits of the store in each history, up to its newest point at least.
    var commits: [UInt64: [ShippedStore.Commit]] = [:]
    /// Commits between points that were restored, and that were refused.
    var betweenCounts = (restored: 0, refused: 0)
    var history: [String] = []
    var kills = 0
    var failures = 0
    var prunings = 0

    init(seed: UInt64) throws {
        self.seed = seed
        random = SeededRandom(seed: seed)
        store = try ShippedStore()
    }

    var summary: String {
        "\(expected.count) points, \(kills) kills, \(failures) failures, \(prunings) prunings, "
            + "\(storage.keys().count) objects, commits between points: "
            + "\(betweenCounts.restored) restored, \(betweenCounts.refused) refused"
    }

    mutating func step() async throws {
        clock.advance(seconds: Int64(random.below(600)))
        let choice = random.below(100)
        switch choice {
        case 0..<35:
            for _ in 0...random.below(5) { try store.commit(&random) }
        case 35..<75: try await round(percent: 10)
        case 75..<80:
            history.append("checkpoint")
            try store.store.checkpoint()
        case 80..<85:
            history.append("compact")
            try store.store.compact()
        case 85..<89:
            history.append("reopen")
            try store.reopen()
        case 89..<91:
            history.append("copy")
            try store.crash()
            shipper = nil
        case 91..<93:
            history.append("save")
            try store.save()
        case 93..<95:
            let withLock = random.chance(50)
            if try store.putBack(withLock: withLock) {
                history.append("put back" + (withLock ? " with the lock" : ""))
            }
        default: try await prune()
        }
    }

    /// A process that goes on, or a new one; it may be killed.
    mutating func round(percent: Int) async throws {
        if shipper == nil || random.chance(20) {
            process += 1
            let isKilled = random.chance(60)
            let faulty = FaultyStorage(
                storage, seed: random.next(), percent: percent,
                requestCount: isKilled ? random.below(25) + 1 : .max)
            var options = clock.options(process: process)
            options.isProcessAlive = { _ in false }
            options.openFileCountMax = random.pick([0, 64])
            options.putCountMax = random.pick([1, 4])
            options.retention = nil
            shipper = Shipper(of: store.path, to: faulty, options: options)
        }
        do {
            let round = try await shipper?.round()
            history.append("round: \(round.map { "point \($0.point.number)" } ?? "nothing")")
        } catch is Killed {
            history.append("killed")
            kills += 1
            shipper = nil
        } catch StorageFailure.unavailable {
            history.append("failed")
            failures += 1
        } catch let error as StoreError where error.code == .wrongStore {
            history.append("replaced")
        }
        try await note()
    }

    /// Learns of points that came, also without the shipper knowing.
    mutating func note() async throws {
        guard !storage.keys("manifest").isEmpty else { return }
        for point in try await Restorer(storage: storage).contents().points
        where expected[point.number] == nil {
            expected[point.number] = store.models(at: point.lsn)
            commits[point.history] = store.commits
            history.append("point \(point.number) of history \(point.history), LSN \(point.lsn)")
        }
        try await check(.newest)
    }

    mutating func prune() async throws {
        guard !storage.keys("manifest").isEmpty else { return }
        var rules = RetentionRules()
        rules.all = .seconds(random.below(7200))
        rules.hourly = .seconds(4 * 3600)
        rules.daily = .seconds(8 * 3600)
        let faulty = FaultyStorage(
            storage, seed: random.next(), percent: 10, requestCount: random.below(30) + 1)
        do {
            let pruner = Pruner(storage: faulty, rules: rules, now: { [clock] in clock.now })
            let report = try await pruner.prune()
            history.append("pruned \(report)")
            prunings += 1
        } catch is Killed {
            history.append("pruning was killed")
        } catch StorageFailure.unavailable {
            history.append("pruning failed")
        } catch ShippingError.damaged {
            history.append("pruning read something wrong")
        }
    }

    mutating func check(_ selection: PointSelection) async throws {
        guard try await !Restorer(storage: storage).contents().points.isEmpty else { return }
        let (contents, report) = try await store.restored(selection, from: storage)
        #expect(report.isVerified)
        let models = expected[report.point.number] ?? []
        if models.contains(contents) { return }
        let difference = models.map { model in
            Set(model.keys).union(contents.keys).filter { model[$0] != contents[$0] }.sorted()
        }
        Issue.record(
            "seed \(seed), \(report.point): other contents, \(difference); \(history.suffix(20))")
    }

    /// A commit after a point and before the next one of its history: restored exactly, or refused
    /// with what can be restored.
    mutating func checkCommit(after point: PointSummary, before next: PointSummary) async throws {
        guard next.lsn > point.lsn + 1 else { return }
        let lsn = point.lsn + 1 + UInt64(random.below(Int(next.lsn - point.lsn - 1)))
        var reachable = lsn
        do {
            try await expectCommit(lsn, of: point.history)
            betweenCounts.restored += 1
        } catch ShippingError.commitNotKept(let asked, let reach, let following) {
            #expect(asked == lsn)
            #expect(following == next)
            #expect(reach < lsn && reach >= point.lsn)
            reachable = reach
            betweenCounts.refused += 1
        }
        try await expectCommit(reachable, of: point.history)
        let contents = try await Restorer(storage: storage).contents()
        let reaches = try await Restorer(storage: storage).reaches(
            of: contents.points[...], in: contents)
        let reach = try #require(reaches[next.number])
        #expect(reachable == lsn ? reach >= lsn : reach == reachable)
    }

    private func expectCommit(_ lsn: UInt64, of history: UInt64) async throws {
        let (contents, report) = try await store.restored(
            .lsn(lsn, history: history), from: storage)
        #expect(report.isVerified)
        #expect(report.lsn <= lsn)
        let made = try #require(commits[history])
        if ShippedStore.models(at: lsn, in: made).contains(contents) { return }
        Issue.record("seed \(seed), LSN \(lsn), \(report): other contents; \(self.history)")
    }

    /// All kept points, at the end, after a round without faults, and a commit between each two.
    mutating func finish() async throws {
        try store.commit(&random)
        shipper = nil
        var options = clock.options(process: 1000)
        options.isProcessAlive = { _ in false }
        let last = Shipper(of: store.path, to: storage, options: options)
        #expect(try await last.round() != nil)
        try await note()
        let points = try await Restorer(storage: storage).contents().points
        for point in points { try await check(.number(point.number)) }
        for (point, next) in zip(points, points.dropFirst()) where point.history == next.history {
            try await checkCommit(after: point, before: next)
        }
        #expect(try await store.restored(.newest, from: storage).contents == store.model)
    }
}
