/// Counts durations in buckets whose width is at most 1/32 of their value.
///
/// Layout: values below 64 have a bucket each; above, every power of two is cut into 32 buckets of
/// one width. A percentile is therefore right to about 3 %, from 1 ns to 584 years, in 15 KiB.
/// One thread at a time; `add` merges the histograms of several threads.
public struct LatencyHistogram: Sendable {
    private static let subBucketBits = 5
    private static let bucketCount = (64 - subBucketBits + 1) << subBucketBits
    private var counts = [UInt64](repeating: 0, count: bucketCount)
    /// How many values were recorded.
    public private(set) var count: UInt64 = 0
    /// The longest one, exactly; 0 if none was recorded.
    public private(set) var maximum: UInt64 = 0

    /// An empty histogram.
    public init() {}

    /// Counts one duration, in nanoseconds.
    public mutating func record(_ nanoseconds: UInt64) {
        counts[Self.bucket(of: nanoseconds)] += 1
        count += 1
        if nanoseconds > maximum { maximum = nanoseconds }
    }

    /// Adds all counts of another histogram.
    public mutating func add(_ other: LatencyHistogram) {
        for index in counts.indices { counts[index] += other.counts[index] }
        count += other.count
        maximum = max(maximum, other.maximum)
    }

    /// The middle of the bucket below or at which `fraction` of all values lie; nil if there are
    /// none. `fraction` is clamped to 0...1.
    public func percentile(_ fraction: Double) -> Double? {
        guard count > 0 else { return nil }
        let share = Double(count) * min(max(fraction, 0), 1)
        let rank = max(1, UInt64(share.rounded(.up)))
        var seen: UInt64 = 0
        for (index, bucketed) in counts.enumerated() {
            seen += bucketed
            if seen >= rank {
                let range = Self.range(ofBucket: index)
                let middle = (Double(range.lowerBound) + Double(range.upperBound)) / 2
                return min(middle, Double(maximum))
            }
        }
        return nil
    }

    static func bucket(of value: UInt64) -> Int {
        if value < 1 << (subBucketBits + 1) { return Int(value) }
        let exponent = 63 - value.leadingZeroBitCount - subBucketBits
        return exponent << subBucketBits + Int(value >> UInt64(exponent))
    }

    /// The smallest and the largest value that the bucket counts.
    static func range(ofBucket index: Int) -> ClosedRange<UInt64> {
        if index < 1 << (subBucketBits + 1) { return UInt64(index)...UInt64(index) }
        let exponent = index >> subBucketBits - 1
        let mantissa = UInt64(index - exponent << subBucketBits)
        let low = mantissa << UInt64(exponent)
        return low...(low + (1 << UInt64(exponent) - 1))
    }
}
