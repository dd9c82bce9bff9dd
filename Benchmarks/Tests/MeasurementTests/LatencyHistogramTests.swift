import Testing

@testable import Measurement

@Suite("Latency histogram")
struct LatencyHistogramTests {
    @Test("every value lies in its bucket, and buckets leave no gap")
    func bucketsCoverAllValues() {
        var values: [UInt64] = [0, 1, 63, 64, 65, 127, 128, .max, .max - 1]
        for shift in 0..<64 { values += [1 << shift, (1 << shift) + 1, (1 << shift) &- 1] }
        for value in values {
            let bucket = LatencyHistogram.bucket(of: value)
            let range = LatencyHistogram.range(ofBucket: bucket)
            #expect(range.contains(value))
            #expect(range.upperBound - range.lowerBound <= max(1, value / 32))
            if bucket > 0 {
                let before = LatencyHistogram.range(ofBucket: bucket - 1)
                #expect(before.upperBound + 1 == range.lowerBound)
            }
        }
    }

    @Test("percentiles are right to about three percent")
    func percentilesOfKnownValues() throws {
        var histogram = LatencyHistogram()
        for value in 1...10_000 { histogram.record(UInt64(value)) }
        for (fraction, expected) in [(0.5, 5000.0), (0.99, 9900), (1, 10_000), (0, 1)] {
            let found = try #require(histogram.percentile(fraction))
            #expect(abs(found - expected) <= expected * 0.03)
        }
        #expect(LatencyHistogram().percentile(0.5) == nil)
    }

    @Test("merging two histograms is recording in one")
    func merging() {
        var (left, right, both) = (LatencyHistogram(), LatencyHistogram(), LatencyHistogram())
        var stream = RandomStream(seed: 3)
        for index in 0..<1000 {
            let value = stream.next() >> (stream.next() % 60)
            if index.isMultiple(of: 3) { left.record(value) } else { right.record(value) }
            both.record(value)
        }
        left.add(right)
        #expect(left.count == both.count)
        #expect(left.maximum == both.maximum)
        for fraction in [0, 0.1, 0.5, 0.9, 1] {
            #expect(left.percentile(fraction) == both.percentile(fraction))
        }
    }
}
