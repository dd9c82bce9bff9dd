import Dispatch
import Foundation
import Locks
import RealmSwift
import TestSupport
import Travertine
import TravertineStore

/// What did not hold, noted on any thread.
final class Problems: Sendable {
    private let list = Locked<[String]>([])

    /// All that was noted.
    var all: [String] { list.withLock { $0 } }

    func note(_ problem: String) { list.withLock { $0.append(problem) } }
}

/// Four writers, fifty observations that come and go, two readers in other processes, and
/// compaction, round after round. After each round all rest, and are measured.
final class Soak {
    /// When it ends.
    enum Length {
        case rounds(Int)
        case minutes(Int)
    }

    private static let writerCount = 4
    private static let watcherCount = 5
    private static let commitCount = 25

    private let path: String
    private let realm: Realm
    private let writers: [SoakWriter]
    private var watchers: [SoakWatcher] = []
    private var watcherNumber = 0
    /// The reports of watchers that were closed.
    private var earlierReportCount = 0
    private var readers: [SoakReaderProcess] = []
    private var random = SeededRandom(seed: 1)
    private let problems = Problems()
    private var last: SoakFigures?
    private var trends: [SoakTrend] = [
        SoakTrend("memory", share: 0.1, amount: 8 << 20) { $0.process.memoryByteCount },
        SoakTrend("descriptors", amount: 4) { $0.process.descriptorCount },
        // A step of the background may hold one.
        SoakTrend("snapshots", amount: 2) { $0.snapshotCount },
        SoakTrend("segments", share: 0.25, amount: 4) { $0.segmentCount },
        SoakTrend("mapped segments", share: 0.25, amount: 4) { $0.process.mappedSegmentCount },
        SoakTrend("bytes of pages", share: 0.25, amount: 1 << 20) { $0.pageByteCount },
        // The other reader is replaced now and then.
        SoakTrend("memory of a reader", share: 0.1, amount: 8 << 20) {
            $0.readers.first?.memoryByteCount ?? 0
        },
        SoakTrend("descriptors of a reader", amount: 4) {
            $0.readers.first?.descriptorCount ?? 0
        },
    ]

    /// Makes the realm in an empty directory.
    init(_ path: String) throws {
        self.path = path
        realm = try Realm(configuration: Self.configuration(path, .commit))
        writers = (0..<Self.writerCount).map {
            SoakWriter($0, Self.configuration(path, $0 == 0 ? .commit : .unsynced))
        }
        try realm.write {
            for id in 0..<SoakAccount.count {
                realm.create(
                    SoakAccount.self,
                    value: [
                        "id": id, "balance": SoakAccount.balance,
                        "group": id % SoakAccount.groupCount,
                    ])
            }
            for number in 0..<SoakEvent.count {
                realm.create(SoakEvent.self, value: ["number": number, "text": "\(number)"])
            }
            realm.create(SoakRound.self, value: ["id": 0, "number": 0])
        }
        readers = try (0..<2).map { _ in try SoakReaderProcess(path) }
    }

    private static func configuration(
        _ path: String, _ durability: Realm.Durability
    ) -> Realm.Configuration {
        Realm.Configuration(
            fileURL: URL(filePath: path, directoryHint: .isDirectory),
            objectTypes: SoakModels.types, durability: durability)
    }

    /// Runs to the end, and prints a line for each round.
    ///
    /// - Returns: what did not hold.
    func run(_ length: Length) throws -> [String] {
        print(SoakFigures.title)
        let start = ContinuousClock.now
        var round = 0
        while problems.all.isEmpty {
            switch length {
            case .rounds(let count) where round >= count: return end()
            case .minutes(let count) where ContinuousClock.now - start > .seconds(60 * count):
                return end()
            default: break
            }
            round += 1
            try run(round)
            let figures = try measure(round)
            last = figures
            for index in trends.indices { trends[index].note(figures) }
            print(figures.line)
            fflush(nil)
        }
        return problems.all
    }

    private func end() -> [String] {
        var found = problems.all + trends.compactMap(\.problem)
        guard let last else { return ["nothing was run"] }
        if last.passCount == 0 { found.append("nothing was compacted") }
        if last.reportCount == 0 { found.append("nothing was reported") }
        return found
    }

    private func note(_ problem: String) { problems.note(problem) }

    // MARK: A round

    private func run(_ round: Int) throws {
        if round % 4 == 0, let first = watchers.first {
            earlierReportCount += first.rest().reportCount
            first.close()
            watchers.removeFirst()
        }
        if round % 5 == 0 { readers[1] = try SoakReaderProcess(path) }
        while watchers.count < Self.watcherCount {
            watcherNumber += 1
            watchers.append(SoakWatcher(watcherNumber, Self.configuration(path, .unsynced)))
        }
        let group = DispatchGroup()
        for writer in writers { writer.begin(commitCount: Self.commitCount, group, problems) }
        for watcher in watchers { watcher.replace(1 + random.below(5), problems) }
        if round % 3 == 0 { compact(group) }
        if group.wait(timeout: .now() + .seconds(300)) == .timedOut {
            note("round \(round): the writers do not end")
        }
        try realm.write {
            realm.create(
                SoakRound.self, value: ["id": 0, "number": round], update: .modified)
        }
    }

    /// Writes all live records anew, beside the writers. The background compacts, too.
    private func compact(_ group: DispatchGroup) {
        let (store, problems) = (realm.store, problems)
        DispatchQueue.global().async(group: group) {
            do {
                try store.compact()
            } catch {
                problems.note("compaction failed: \(error)")
            }
        }
    }

    private func measure(_ round: Int) throws -> SoakFigures {
        var reportCount = earlierReportCount
        for writer in writers { writer.rest() }
        for watcher in watchers {
            let found = watcher.rest()
            reportCount += found.reportCount
            for problem in found.problems { note("round \(round): \(problem)") }
        }
        let looks = readers.compactMap { $0.look() }
        if looks.count != readers.count { note("round \(round): a reader has ended") }
        for look in looks
        where look.round != round || look.sum != SoakAccount.sum
            || look.accountCount != SoakAccount.count
        {
            note("round \(round): a reader has \(look)")
        }
        _ = realm.refresh()
        let statistics = try statisticsWithinBound(round)
        return SoakFigures(
            round: round, commitCount: round * Self.writerCount * Self.commitCount,
            reportCount: reportCount, process: ProcessFigures.now(path: path),
            snapshotCount: statistics.snapshots.count, segmentCount: statistics.segments.count,
            liveByteCount: statistics.liveByteCount,
            allocatedByteCount: statistics.allocatedByteCount,
            allowedByteCount: Self.allowedByteCount(statistics),
            pageByteCount: statistics.pageFileByteCount,
            passCount: statistics.compaction.passCount, readers: looks.map(\.process))
    }

    // MARK: Space

    /// What segments may take when nothing is written and two checkpoints are written: the bound,
    /// four segments, and up to two after the older checkpoint (`Documentation/Engine.md`,
    /// Compaction).
    private static func allowedByteCount(_ statistics: StoreStatistics) -> Int {
        Int(Double(statistics.liveByteCount) * StoreOptions().spaceBound)
            + statistics.spaceFloorByteCount * 3 / 2
    }

    /// The statistics when compaction has come within the bound.
    private func statisticsWithinBound(_ round: Int) throws -> StoreStatistics {
        try realm.store.checkpoint()
        try realm.store.checkpoint()
        let deadline = ContinuousClock.now + .seconds(60)
        while true {
            let statistics = try realm.store.statistics
            if statistics.allocatedByteCount <= Self.allowedByteCount(statistics) {
                return statistics
            }
            if ContinuousClock.now > deadline {
                note(
                    "round \(round): segments take \(statistics.allocatedByteCount) bytes, of "
                        + "\(Self.allowedByteCount(statistics)) allowed")
                return statistics
            }
            usleep(2000)
        }
    }
}
