/// Durations in buckets that double: bucket *n* counts those from 2ⁿ up to 2ⁿ⁺¹ nanoseconds.
public struct LatencyHistogram: Sendable, Codable, Equatable {
    /// The number of durations in each bucket.
    public private(set) var buckets = [UInt64](repeating: 0, count: 48)
    /// The number of durations.
    public private(set) var count: UInt64 = 0
    /// Their sum in nanoseconds.
    public private(set) var totalNanoseconds: UInt64 = 0
    /// The longest, in nanoseconds.
    public private(set) var maximumNanoseconds: UInt64 = 0

    /// An empty histogram.
    public init() {}

    /// A histogram from buckets that double from 1 microsecond: each is counted at its middle.
    init(microsecondBuckets: [UInt64]) {
        for (place, count) in microsecondBuckets.enumerated() where count > 0 {
            let middle = UInt64(1536) << UInt64(place)
            buckets[min(63 - middle.leadingZeroBitCount, buckets.count - 1)] += count
            self.count += count
            totalNanoseconds &+= count &* middle
            maximumNanoseconds = max(maximumNanoseconds, middle)
        }
    }

    /// Counts a duration.
    public mutating func add(_ nanoseconds: UInt64) {
        let bucket = nanoseconds == 0 ? 0 : 63 - nanoseconds.leadingZeroBitCount
        buckets[min(bucket, buckets.count - 1)] += 1
        count += 1
        totalNanoseconds &+= nanoseconds
        maximumNanoseconds = max(maximumNanoseconds, nanoseconds)
    }

    /// The upper edge, in nanoseconds, of the bucket that holds this share (0...1) of the
    /// durations.
    public func percentile(_ share: Double) -> UInt64 {
        let rank = UInt64((Double(count) * min(max(share, 0), 1)).rounded(.up))
        var seen: UInt64 = 0
        for (place, count) in buckets.enumerated() {
            seen += count
            if seen >= rank, count > 0 { return min(2 << UInt64(place), maximumNanoseconds) }
        }
        return maximumNanoseconds
    }
}
