import Measurement

/// A stage of one engine in progress, in its own process.
struct StageRun<E: Engine> {
    let task: StageTask
    let records: Records
    private(set) var samples: [Sample] = []

    init(_ task: StageTask) throws {
        self.task = task
        records = try Records(valueByteCount: task.size.valueByteCount)
    }

    /// Runs the stage and returns what was measured.
    consuming func run() throws -> [Sample] {
        switch task.stage {
        case .load: try load()
        case .reopen: try reopen()
        case .reopenScan: try reopenAndScan()
        case .change: try change()
        case .sequential: try fillAscending()
        case .durable: try commitDurably()
        case .killedWriter: try writeUntilKilled()
        case .killedOpening: try openAfterKill()
        case .sustain: try sustain()
        case .sustainDurably: try sustainDurably()
        case .compacted: try readCompacted()
        case .compacting: try readBesideCompaction()
        case .longReader: try overwriteBesideReader()
        case .checkpointed: try writeCheckpoints()
        case .verified: try verifyStore()
        case .backup: try writeBesideBackup()
        case .limitedLoad: try loadForLimit()
        case .limitedRead: try readWithinLimit()
        case .limitedCompact: try compactWithinLimit()
        case .coldLoad: try loadCold()
        case .coldRead: try readCold()
        }
        return samples
    }

    var recordCount: UInt64 { task.size.recordCount }

    /// Notes a value if its row was asked for.
    mutating func note(
        _ workload: String, _ value: Double, latencies: LatencyHistogram? = nil
    ) {
        guard task.wants(workload) else { return }
        samples.append(
            Sample(
                workload: workload, engine: task.engine.rawValue, repetition: task.repetition,
                value: value, latencies: latencies))
    }

    /// Notes anonymous memory per key beyond `baseline`.
    mutating func noteMemory(_ workload: String, since baseline: Int?) {
        guard let baseline, let now = ProcessMemory.anonymousByteCount() else { return }
        note(workload, Double(now - baseline) / Double(recordCount))
    }

    /// Notes the allocated bytes of the directory against those of keys and values.
    mutating func noteSpace(_ workload: String) {
        note(workload, allocatedShare)
    }

    /// Allocated bytes of the directory ÷ bytes of keys and values.
    var allocatedShare: Double {
        let allocated = DirectoryTree.size(of: task.directory).allocatedByteCount
        return Double(allocated) / Double(Int(recordCount) * records.byteCount)
    }
}
