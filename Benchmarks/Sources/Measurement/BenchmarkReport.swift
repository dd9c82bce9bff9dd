/// All samples of a run, with what is needed to judge them.
public struct BenchmarkReport: Sendable, Codable {
    /// The heading.
    public var title: String
    /// The machine.
    public var machine: MachineFacts
    /// Sizes, repetitions and settings, one sentence each.
    public var notes: [String]
    /// The rows, in order.
    public var workloads: [Workload]
    /// The columns, in order.
    public var engines: [String]
    /// The engine that is compared with the best of the others.
    public var subject: String
    /// Every value that was measured.
    public var samples: [Sample]

    /// A report without samples yet.
    public init(
        title: String, machine: MachineFacts, notes: [String], workloads: [Workload],
        engines: [String], subject: String
    ) {
        self.title = title
        self.machine = machine
        self.notes = notes
        self.workloads = workloads
        self.engines = engines
        self.subject = subject
        samples = []
    }

    /// What an engine reached in a workload; nil if it did not run it.
    public func cell(_ workload: Workload, _ engine: String) -> Cell? {
        Cell(samples(workload, engine).map(\.value))
    }

    /// The latency at a percentile in nanoseconds; nil if none was taken.
    public func latency(
        _ workload: Workload, _ engine: String, _ percentile: KeyPath<Sample, Double?>
    ) -> Cell? {
        Cell(samples(workload, engine).compactMap { $0[keyPath: percentile] })
    }

    private func samples(_ workload: Workload, _ engine: String) -> [Sample] {
        samples.filter { $0.workload == workload.name && $0.engine == engine }
    }

    /// The peer with the best median, or the one that the workload names.
    public func bestPeer(_ workload: Workload) -> (engine: String, median: Double)? {
        let medians = engines.filter { $0 != subject && $0 == workload.peer ?? $0 }.compactMap {
            engine in
            cell(workload, engine).map { (engine: engine, median: $0.median) }
        }
        return workload.better == .higher
            ? medians.max { $0.median < $1.median } : medians.min { $0.median < $1.median }
    }

    /// How many times as good as the best peer the subject is; above 1 is better, also for times
    /// and sizes, where it is the peer's value divided by the subject's.
    public func ratio(_ workload: Workload) -> Double? {
        guard let own = cell(workload, subject)?.median, let best = bestPeer(workload)?.median
        else { return nil }
        let (dividend, divisor) = workload.better == .higher ? (own, best) : (best, own)
        return divisor == 0 ? nil : dividend / divisor
    }

    /// Whether the target was reached; nil if there is none or nothing to compare.
    public func isReached(_ workload: Workload) -> Bool? {
        switch workload.target {
        case .ratio(let least): ratio(workload).map { $0 >= least }
        case .atMost(let most): cell(workload, subject).map { $0.median <= most }
        case .atLeast(let least): cell(workload, subject).map { $0.median >= least }
        case .atMostOrBestPeer(let most):
            cell(workload, subject).map { own in
                own.median <= max(most, bestPeer(workload)?.median ?? most)
            }
        case nil: nil
        }
    }

    /// The rows for which there is any value.
    public var measuredWorkloads: [Workload] {
        let names = Set(samples.map(\.workload))
        return workloads.filter { names.contains($0.name) }
    }
}
