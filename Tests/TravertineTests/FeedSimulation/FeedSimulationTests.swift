import Foundation
import TestSupport
import Testing

@testable import Travertine

/// Feeds of objects on a disk that loses what was not synced, fails calls, and stops at any of
/// them, while the schema changes and realms are lost, restored, put back and copied.
///
/// `TRAVERTINE_FEED_HISTORIES=N` sets the number of seeds, by default 16; `TRAVERTINE_SEED=N` the
/// first one. A failure prints its seed.
@Suite("Simulated feeds of objects")
struct FeedSimulationTests {
    private static let perCase = 8

    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    private static let seeds: Range<Int> = {
        let first = number("TRAVERTINE_SEED") ?? .random(in: 1..<1 << 31)
        return first..<first + max(1, number("TRAVERTINE_FEED_HISTORIES") ?? 16)
    }()

    private static let firstSeeds = Array(
        stride(from: seeds.lowerBound, to: seeds.upperBound, by: perCase))

    @Test("consumers have what the realm holds, whatever is cut off", arguments: firstSeeds)
    func anyHistory(firstSeed: Int) throws {
        for seed in firstSeed..<firstSeed + Self.perCase {
            let simulation = FeedSimulation(seed: UInt64(seed))
            try simulation.run(stepCount: 60)
            #expect(simulation.problems == [], "seed \(seed)")
        }
    }

    @Test("realms are migrated, restored, put back, copied and encrypted, and calls fail, in some")
    func counts() throws {
        var sums = [Int](repeating: 0, count: 12)
        // Not the seeds of the other test, which runs at the same time: a seed names the realm.
        for seed in UInt64(1) << 40..<UInt64(1) << 40 + 300 where sums.contains(0) {
            let simulation = FeedSimulation(seed: seed)
            try simulation.run(stepCount: 60)
            #expect(simulation.problems == [], "seed \(seed)")
            let counts = simulation.counts
            sums = zip(
                sums,
                [
                    counts.interruptions, counts.migrations, counts.interruptedMigrations,
                    counts.restorings, counts.puttingsBack, counts.otherHistories,
                    counts.deliveries, counts.comparisons, counts.turns, counts.encryptedRealms,
                    counts.stepsBack, counts.losses,
                ]
            ).map { $0 + $1 }
        }
        #expect(!sums.contains(0), "\(sums)")
    }
}
