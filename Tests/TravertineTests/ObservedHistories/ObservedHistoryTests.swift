import Foundation
import TestSupport
import Testing

@testable import Travertine

/// Random histories with observers of everything that can be observed, by random conditions and
/// key paths, against a model that runs every query again after every commit.
///
/// One world has properties of all types; the schemas of the others are random (`RandomSchema`).
///
/// `TRAVERTINE_OBSERVED_HISTORIES=N` sets the number of histories of each, by default 12 and 20, of
/// which the latter are others each time; `TRAVERTINE_SEED=N` the first seed. A failure prints its
/// seed: `TRAVERTINE_SEED=SEED TRAVERTINE_OBSERVED_HISTORIES=1` repeats it. A stop prints none: the
/// seeds are those of the cases that had started, and not ended.
@Suite("Observed histories")
struct ObservedHistoryTests {
    private static let perCase = 4

    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    /// Cases of so many seeds each.
    private static func cases(_ count: Int, from start: Int = 1) -> [Range<Int>] {
        let isLong = number("TRAVERTINE_OBSERVED_HISTORIES") != nil
        let first = number("TRAVERTINE_SEED") ?? (isLong ? 1 : start)
        let end = first + max(1, number("TRAVERTINE_OBSERVED_HISTORIES") ?? count)
        return stride(from: first, to: end, by: perCase).map { $0..<min($0 + perCase, end) }
    }

    private func run(
        _ seed: Int, _ schema: WorldSchema = WorldModels.schema
    ) throws -> ObservedHistory {
        let history = try ObservedHistory(seed: UInt64(seed), schema)
        // What is followed refers to the history; its store is open until then.
        defer { history.followed = [] }
        try history.run(stepCount: 5, observedCount: 8, objectCount: 16)
        for problem in history.problems.prefix(4) { Issue.record("\(problem)") }
        if history.problems.isEmpty { #expect(history.world.mismatches() == [], "seed \(seed)") }
        return history
    }

    @Test("report exactly what the model finds by running every query again", arguments: cases(12))
    func agree(seeds: Range<Int>) throws {
        var (reportCount, followedCount, insideCount) = (0, 0, 0)
        for seed in seeds {
            let history = try run(seed)
            reportCount += history.reportCount
            followedCount += history.followedCount
            insideCount += history.insideCount
        }
        #expect(reportCount > 0, "seeds \(seeds): something is reported")
        // Of other seeds, one case in some thousand has none.
        if Self.number("TRAVERTINE_SEED") == nil, seeds.lowerBound < 12 {
            #expect(followedCount > 0, "seeds \(seeds): changes are followed without a query")
            #expect(insideCount > 0, "seeds \(seeds): blocks commit")
        }
    }

    // Some of those that the long form runs.
    @Test(
        "agree with the model over random schemas",
        arguments: cases(20, from: .random(in: 1..<20_000)))
    func randomSchemas(seeds: Range<Int>) throws {
        for seed in seeds { _ = try run(seed, RandomSchema.schema(seed: UInt64(seed))) }
    }
}
