import Foundation
import TestSupport
import Testing

@testable import TravertineStore

/// Random histories with a consumer: at each end that it is shown it has what the store held there,
/// whatever was compacted, failed, crashed, put back, forgotten or repeated in between (Y2, Y4,
/// Y5).
///
/// `TRAVERTINE_FEED_HISTORIES=N` sets the number of histories (8 by default), `TRAVERTINE_SEED=N`
/// the first seed. A failure prints its seed.
@Suite struct FeedHistoryTests {
    private static var seeds: [UInt64] {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["TRAVERTINE_FEED_HISTORIES"].flatMap { UInt64($0) } ?? 8
        if let first = environment["TRAVERTINE_SEED"].flatMap({ UInt64($0) }) {
            return Array(first..<first + count)
        }
        return [2_212_977_904] + (1..<count).map { _ in .random(in: 0..<1 << 32) }
    }

    @Test("a consumer has at each position what the store held there", arguments: seeds)
    func anyHistory(seed: UInt64) throws {
        var history = FeedHistory(seed: seed)
        for step in 0..<150 {
            try history.step()
            if let fault = history.fault {
                Issue.record("step \(step), seed \(seed): \(fault)")
                return
            }
        }
        try history.end()
        #expect(history.fault == nil, "seed \(seed): \(history.fault ?? "")")
    }

    @Test("stores are put back, restored and interrupted, and feeds go on and begin again, in some")
    func counts() throws {
        var counts = FeedHistory.Counts()
        for seed in UInt64(1)...400 where !counts.hasAll {
            var history = FeedHistory(seed: seed)
            for _ in 0..<150 where history.fault == nil { try history.step() }
            try history.end()
            #expect(history.fault == nil, "seed \(seed): \(history.fault ?? "")")
            counts.add(history.counts)
        }
        #expect(counts.hasAll, "\(counts)")
    }
}
