/// What a log has done since it was opened.
package struct LogStatistics: Hashable, Sendable {
    package var syncCount: UInt64 = 0
    package var batchCount: UInt64 = 0
    package var bytesWritten: UInt64 = 0
    package var zeroBytesWritten: UInt64 = 0
    package var segmentsSealed: UInt64 = 0
    package var failedPreparations: UInt64 = 0
    /// Sealed segments whose unused space could not be given back.
    package var failedPunchCount: UInt64 = 0
    /// Bytes of sealed segments that were given back.
    package var punchedByteCount: UInt64 = 0
    /// Waits that were answered by somebody else's sync.
    package var sharedSyncCount: UInt64 = 0
    /// `syncLatency[i]` counts syncs that took from 2^i to 2^(i+1) microseconds; the first one
    /// those below 2, the last one all longer ones.
    package var syncLatency = [UInt64](repeating: 0, count: LogStatistics.bucketCount)

    package static let bucketCount = 24
}

extension SegmentLog {
    /// Counts since opening. Any thread.
    package var statistics: LogStatistics {
        var statistics = durability.statistics
        counters.add(to: &statistics)
        return statistics
    }
}
