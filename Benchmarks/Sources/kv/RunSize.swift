import Measurement

/// How much a run does.
struct RunSize: Sendable, Codable {
    var name: String
    /// Records in the store.
    var recordCount: UInt64
    /// Bytes of each value.
    var valueByteCount = 100
    /// Random reads in each reading workload.
    var readCount: Int
    /// How long the mixed workload runs.
    var mixedSeconds: Double
    /// The longest that records are overwritten for the rows `sustain_…` and `durable_…`.
    var sustainSeconds: Double
    /// Records of the store that is larger than its memory.
    var limitedRecordCount: UInt64
    /// How long single-record durable commits are made.
    var durableSeconds: Double
    /// Keys and values written past the checkpoint before the kill, in bytes.
    var killedLogByteCount: Int
    /// The peers' block or page cache.
    var cacheMebibytes: Int
    /// Pause after overwriting, for background work, before space is measured.
    var settleSeconds: Int
    /// Repetitions unless `--repeat` says otherwise.
    var repetitionCount: Int

    static let all = [smoke, standard, large]

    static let smoke = RunSize(
        name: "smoke", recordCount: 50_000, readCount: 50_000, mixedSeconds: 0.3,
        sustainSeconds: 2, limitedRecordCount: 400_000, durableSeconds: 0.3,
        killedLogByteCount: 2 << 20, cacheMebibytes: 256, settleSeconds: 0, repetitionCount: 1)

    static let standard = RunSize(
        name: "standard", recordCount: 1_000_000, readCount: 1_000_000, mixedSeconds: 10,
        sustainSeconds: 60, limitedRecordCount: 10_000_000, durableSeconds: 3,
        killedLogByteCount: 64 << 20, cacheMebibytes: 256, settleSeconds: 5, repetitionCount: 3)

    static let large = RunSize(
        name: "large", recordCount: 10_000_000, readCount: 2_000_000, mixedSeconds: 10,
        sustainSeconds: 180, limitedRecordCount: 10_000_000, durableSeconds: 3,
        killedLogByteCount: 64 << 20, cacheMebibytes: 1024, settleSeconds: 5, repetitionCount: 1)

    /// The same with the records of the store that is larger than its memory.
    var limited: RunSize {
        var size = self
        size.recordCount = limitedRecordCount
        return size
    }

    /// Sentences for the head of a report.
    var notes: [String] {
        [
            "\(recordCount) records, \(Records.keyByteCount)-byte random keys, "
                + "\(valueByteCount)-byte values that compress to about a half; 1,000 records per "
                + "transaction, 1,000 gets per snapshot, \(readCount) gets per reading workload.",
            "Peers: block or page cache of \(cacheMebibytes) MiB where there is one; the settings "
                + "of each are in Benchmarks/README.md. Targets are meant for the standard size.",
        ]
    }
}
