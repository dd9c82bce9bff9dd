import Measurement
import Synchronization

extension StageRun {
    /// Loads, overwrites in another random order, compacts, scans and reads.
    mutating func readCompacted() throws {
        do {
            let engine = try loadTwice()
            let watch = Stopwatch()
            try require(
                try engine.compact(), "\(task.engine.rawValue) has no compaction to call.")
            note("compact_all", Double(recordCount) / watch.seconds)
            try verify(engine, count: recordCount, generation: 1)
            let sorted = SortedRecords(records, count: recordCount)
            var reader = try engine.makeReader()
            _ = try scanAll(&reader)
            let scan = try scanAll(&reader)
            note("scan_full_compacted", Double(recordCount) / scan.seconds)
            let keyed = try scanAll(&reader, withKeys: true)
            try require(
                scan.digest.values == sorted.all.values && keyed.digest == sorted.all,
                "\(task.engine.rawValue): wrong records after compaction.")
            let scanCount = max(1, task.size.readCount / Self.scanLength)
            let short = try scanShortRanges(&reader, count: scanCount, sorted: sorted)
            note(
                "scan_100_compacted", Double(scanCount) / short.seconds,
                latencies: short.latencies)
            let count = task.size.readCount
            let gets = try readRandom(&reader, ReadPlan(seed: 51, count: count))
            note(
                "read_random_compacted", Double(count) / gets.seconds, latencies: gets.latencies)
            reader.close()
            try engine.close()
        }
        noteSpace("space_compacted")
    }

    /// Reads for a while alone, then as long beside compaction.
    mutating func readBesideCompaction() throws {
        let engine = try loadTwice()
        let box = ReaderBox(try engine.makeReader())
        _ = try scanAll(&box.reader)
        let isOver = SharedFlag()
        let alone = try readUntil(isOver, &box.reader, seed: 52, seconds: task.size.mixedSeconds)
        let beside = MixedOutcome()
        let compactions = MixedOutcome()
        let run = self
        try WorkerThreads.run(count: 2) { index in
            if index == 0 {
                defer { isOver.raise() }
                let watch = Stopwatch()
                while watch.seconds < run.task.size.mixedSeconds {
                    try require(
                        try engine.compact(), "\(run.task.engine.rawValue) can't compact.")
                    compactions.count += 1
                }
            } else {
                let outcome = try run.readUntil(isOver, &box.reader, seed: 53, seconds: .infinity)
                beside.count = outcome.count
                beside.timing = outcome.timing
            }
        }
        box.reader.close()
        let aloneRate = Double(alone.count) / alone.timing.seconds
        let besideRate = Double(beside.count) / beside.timing.seconds
        note("read_random_alone", aloneRate, latencies: alone.timing.latencies)
        note("read_random_compacting", besideRate, latencies: beside.timing.latencies)
        note("compacting_share", besideRate / aloneRate)
        note("compacting_count", Double(compactions.count))
        try verify(engine, count: recordCount, generation: 1)
        try engine.close()
    }

    /// A store whose every record was written twice, in two orders.
    private func loadTwice() throws -> E {
        let engine = try E(task.setup(.unsynced))
        _ = try fill(engine, count: recordCount, generation: 0)
        _ = try fill(engine, count: recordCount, generation: 1, order: .scattered)
        try engine.sync()
        return engine
    }

    /// Gets in portions of 10,000 until the flag is raised or time is up, all of them verified.
    private func readUntil(
        _ flag: SharedFlag, _ reader: inout E.Reader, seed: UInt64, seconds: Double
    ) throws -> MixedOutcome {
        let outcome = MixedOutcome()
        var portion: UInt64 = 0
        let watch = Stopwatch()
        while !flag.isRaised, watch.seconds < seconds {
            let timing = try readRandom(
                &reader, ReadPlan(seed: seed &+ portion &* 1000, count: 10_000))
            outcome.timing.latencies.add(timing.latencies)
            // Verifying between the portions is not in the time.
            outcome.timing.seconds += timing.seconds
            outcome.count += 10_000
            portion += 1
        }
        return outcome
    }
}

/// Notifies another thread that something is over.
final class SharedFlag: Sendable {
    private let value = Atomic<Bool>(false)

    var isRaised: Bool { value.load(ordering: .acquiring) }
    func raise() { value.store(true, ordering: .releasing) }
}
