import Foundation
import Measurement
import TravertineStore

extension Store {
    /// Returns once compaction has had nothing to do for two seconds: what it does beside a query
    /// takes one of the processors, and would be measured with it.
    ///
    /// - Throws: `BenchmarkError` after five minutes, and what `statistics` throws.
    func waitUntilAtRest() throws {
        var written = try byteAndPassCounts()
        var quietSteps = 0
        for _ in 0..<3000 {
            Thread.sleep(forTimeInterval: 0.1)
            let now = try byteAndPassCounts()
            quietSteps = now == written ? quietSteps + 1 : 0
            written = now
            if quietSteps == 20 { return }
        }
        throw BenchmarkError("Compaction had not ended after five minutes.")
    }

    private func byteAndPassCounts() throws -> [UInt64] {
        let statistics = try statistics
        let writes = statistics.writes
        return [
            writes.logByteCount, writes.pageByteCount, UInt64(statistics.compaction.passCount),
        ]
    }
}
