import Foundation
import TestSupport
import Testing

@testable import Travertine

/// Random histories with observers of everything that can be observed, by random conditions and
/// key paths, against a model that runs every query again after every commit.
///
/// `TRAVERTINE_OBSERVED_HISTORIES=N` sets the number of histories, by default 12;
/// `TRAVERTINE_SEED=N` the first seed. A failure prints its seed.
@Suite("Observed histories")
struct ObservedHistoryTests {
    private static let perCase = 4

    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    private static var firstSeeds: [Int] {
        let first = number("TRAVERTINE_SEED") ?? 1
        let count = number("TRAVERTINE_OBSERVED_HISTORIES") ?? 12
        return Array(stride(from: first, to: first + max(1, count), by: perCase))
    }

    @Test("report exactly what the model finds by running every query again", arguments: firstSeeds)
    func agree(firstSeed: Int) throws {
        let first = Self.number("TRAVERTINE_SEED") ?? 1
        let end = first + max(1, Self.number("TRAVERTINE_OBSERVED_HISTORIES") ?? 12)
        var (reportCount, followedCount) = (0, 0)
        for seed in firstSeed..<min(firstSeed + Self.perCase, end) {
            let history = try ObservedHistory(seed: UInt64(seed))
            try history.run(stepCount: 5, observedCount: 8, objectCount: 16)
            #expect(history.world.mismatches() == [], "seed \(seed)")
            for problem in history.problems.prefix(4) { Issue.record("\(problem)") }
            reportCount += history.reportCount
            followedCount += history.followedCount
        }
        #expect(reportCount > 0, "seed \(firstSeed): something is reported")
        if end - firstSeed >= Self.perCase {
            #expect(followedCount > 0, "seed \(firstSeed): changes are followed without a query")
        }
    }

    @Test("agree with the model over random schemas", arguments: firstSeeds)
    func randomSchemas(firstSeed: Int) throws {
        for seed in firstSeed..<firstSeed + Self.perCase {
            let schema = RandomSchema.schema(seed: UInt64(seed))
            let history = try ObservedHistory(seed: UInt64(seed), schema)
            try history.run(stepCount: 5, observedCount: 8, objectCount: 16)
            #expect(history.world.mismatches() == [], "seed \(seed)")
            for problem in history.problems.prefix(4) { Issue.record("\(problem)") }
        }
    }
}
