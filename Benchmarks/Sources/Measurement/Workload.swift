/// One row of a benchmark's table: what is measured, in what unit, and what is aimed at.
public struct Workload: Sendable, Codable {
    /// Which values are good ones.
    public enum Better: String, Sendable, Codable {
        /// A rate.
        case higher
        /// A time or a size.
        case lower
    }

    /// What a run must reach.
    public enum Target: Sendable, Codable, Equatable {
        /// At least this many times as good as the best peer of the same run.
        case ratio(Double)
        /// At most this, in the unit of the workload, whatever the peers do.
        case atMost(Double)
        /// At least this, in the unit of the workload, whatever the peers do.
        case atLeast(Double)
        /// At most this, or at most what the best peer of the same run has.
        case atMostOrBestPeer(Double)
    }

    /// The name, as options and reports spell it.
    public var name: String
    /// The unit of its values.
    public var unit: String
    /// Which values are good ones.
    public var better: Better
    /// What a run must reach; nil if the row only informs.
    public var target: Target?
    /// The peer that ratios are to; nil is the best one of the run.
    public var peer: String?
    /// One sentence on what it measures.
    public var meaning: String

    /// Describes a row.
    public init(
        _ name: String, unit: String, better: Better = .higher, target: Target? = nil,
        peer: String? = nil, meaning: String
    ) {
        self.name = name
        self.unit = unit
        self.better = better
        self.target = target
        self.peer = peer
        self.meaning = meaning
    }
}

/// One measured value of one engine in one repetition.
public struct Sample: Sendable, Codable {
    /// The workload's name.
    public var workload: String
    /// The engine's name.
    public var engine: String
    /// The repetition, from 1.
    public var repetition: Int
    /// The value in the workload's unit.
    public var value: Double
    /// Latency at the 50th percentile, in nanoseconds, if latencies were taken.
    public var p50: Double?
    /// Latency at the 99th percentile, in nanoseconds.
    public var p99: Double?
    /// Latency at the 99.9th percentile, in nanoseconds.
    public var p999: Double?
    /// The longest latency, in nanoseconds.
    public var longest: Double?

    /// A value, with latencies if there are any.
    public init(
        workload: String, engine: String, repetition: Int, value: Double,
        latencies: LatencyHistogram? = nil
    ) {
        self.workload = workload
        self.engine = engine
        self.repetition = repetition
        self.value = value
        p50 = latencies?.percentile(0.5)
        p99 = latencies?.percentile(0.99)
        p999 = latencies?.percentile(0.999)
        longest = latencies.flatMap { $0.count == 0 ? nil : Double($0.maximum) }
    }
}
