import Foundation
import TestSupport
import Testing

@testable import Travertine

/// Random expressions over random worlds find the same objects as planned, by a scan and by the
/// plain evaluator.
///
/// `TRAVERTINE_EXPRESSIONS=N` sets the number of expressions, by default 600;
/// `TRAVERTINE_SEED=N` the first seed. A failure prints its seed and the smallest part of the
/// expression that differs.
@Suite("Queries against a plain model")
struct QueryModelTests {
    private static let expressionCount = 50

    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    private static var seeds: [UInt64] {
        let first = number("TRAVERTINE_SEED") ?? 1
        let count = max(1, (number("TRAVERTINE_EXPRESSIONS") ?? 600) / expressionCount)
        return (first..<first + count).map { UInt64($0) }
    }

    @Test("find what the plain evaluator finds, with indexes and without", arguments: seeds)
    func agree(seed: UInt64) throws {
        var run = QueryModelRun(seed: seed) { world, source, expression, isScanOnly in
            try RealmEvaluation.keys(world, source, expression, isScanOnly: isScanOnly)
        }
        // In a few larger worlds a scan costs so much more that plans use indexes.
        let isLarge = seed % 6 == 0
        try run.run(
            expressionCount: isLarge ? Self.expressionCount / 2 : Self.expressionCount,
            objectCount: isLarge ? 300 : 40)
        for difference in run.differences {
            Issue.record("seed \(seed): \(difference)")
        }
        // The generator makes few expressions that are refused: of 4,000 seeds, one had an eighth.
        #expect(
            run.refused.count * 5 <= run.comparedCount,
            "seed \(seed): \(run.refused.prefix(3).joined(separator: "\n"))")
    }
}
