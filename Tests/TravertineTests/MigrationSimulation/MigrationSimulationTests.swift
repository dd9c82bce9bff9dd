import Foundation
import TestSupport
import Testing

@testable import Travertine

/// Migrations on a disk that loses what was not synced, fails calls, and stops at any of them.
///
/// `TRAVERTINE_MIGRATIONS=N` sets the number of seeds, by default 24, others each time;
/// `TRAVERTINE_SEED=N` the first one. A failure prints its seed.
@Suite("Simulated migrations")
struct MigrationSimulationTests {
    private static let perCase = 12

    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    private static let seeds: Range<Int> = {
        let count = number("TRAVERTINE_MIGRATIONS")
        // Some of those that the long form runs.
        let first = number("TRAVERTINE_SEED") ?? (count == nil ? .random(in: 1..<19_000) : 1)
        return first..<first + max(1, count ?? 24)
    }()

    private static var firstSeeds: [Int] {
        Array(stride(from: seeds.lowerBound, to: seeds.upperBound, by: perCase))
    }

    @Test("leave the old version or the new one wherever they are cut off", arguments: firstSeeds)
    func cutOff(firstSeed: Int) throws {
        for seed in firstSeed..<min(firstSeed + Self.perCase, Self.seeds.upperBound) {
            let undisturbed = MigrationSimulation(seed: UInt64(seed))
            let callCount = try undisturbed.run(faultIn: nil)
            #expect(undisturbed.isNew && undisturbed.problems == [], "seed \(seed), undisturbed")
            let cut = MigrationSimulation(seed: UInt64(seed))
            try cut.run(faultIn: callCount)
            #expect(cut.problems == [], "seed \(seed)")
        }
    }

    @Test("are cut off before their commit by some seeds, and after it by others")
    func bothSides() throws {
        var outcomes: Set<Bool> = []
        // Not the seeds of the other test, which runs at the same time: a seed names the realm.
        for seed in UInt64(1) << 40..<UInt64(1) << 40 + 100 where outcomes.count < 2 {
            let callCount = try MigrationSimulation(seed: seed).run(faultIn: nil)
            let cut = MigrationSimulation(seed: seed)
            try cut.run(faultIn: callCount)
            outcomes.insert(cut.isNew)
        }
        #expect(outcomes.count == 2)
    }
}
