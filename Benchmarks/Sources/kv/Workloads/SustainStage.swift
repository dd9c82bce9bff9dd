import Measurement

/// What goes on while a store is overwritten for long.
struct Overwriting {
    var timing = Timing()
    var count: UInt64 = 0
    /// Place n: the generation of record n, to find stale values afterwards.
    var generations: [UInt8]
    var peakSpace = 0.0
    var peakDisk = 0.0

    init(recordCount: UInt64) { generations = [UInt8](repeating: 0, count: Int(recordCount)) }
}

extension StageRun {
    static var sustainedRoundCount: UInt64 { 10 }
    private static var transactionsBetweenLooks: Int { 256 }

    /// Overwrites random records ten times over, unsynced, with whatever runs in the background.
    mutating func sustain() throws {
        let engine = try E(task.setup(.unsynced))
        _ = try fill(engine, count: recordCount, generation: 0)
        try engine.sync()
        let before = try engine.figures()
        let writtenBefore = ProcessWrites.byteCount()
        let watch = Stopwatch()
        let outcome = try overwrite(
            engine, recordsPerTransaction: Self.recordsPerTransaction,
            limit: recordCount * Self.sustainedRoundCount)
        try engine.sync()
        let seconds = watch.seconds
        let asked = Double(outcome.count) * Double(records.byteCount)
        note(
            "sustain_overwrite", Double(outcome.count) / seconds,
            latencies: outcome.timing.latencies)
        note("sustain_rounds", Double(outcome.count) / Double(recordCount))
        noteTail("sustain_p999", "sustain_pause", outcome.timing.latencies)
        note("sustain_space", try space(engine))
        note("sustain_space_peak", outcome.peakSpace)
        noteSpace("sustain_disk")
        note("sustain_disk_peak", outcome.peakDisk)
        if let writtenBefore, let writtenNow = ProcessWrites.byteCount() {
            note("sustain_written", Double(writtenNow - writtenBefore) / asked)
        }
        if let before, let now = try engine.figures() {
            note("sustain_log", Double(now.logByteCount - before.logByteCount) / asked)
            note("sustain_moves", Double(now.movedByteCount - before.movedByteCount) / asked)
            note("sustain_pages", Double(now.pageByteCount - before.pageByteCount) / asked)
            note("sustain_zeros", Double(now.zeroByteCount - before.zeroByteCount) / asked)
            note("sustain_passes", Double(now.passCount - before.passCount))
            let delay = now.delayNanoseconds - before.delayNanoseconds
            note("sustain_delayed", Double(delay) / 1e9 / seconds)
        }
        try verify(engine, outcome)
        try engine.close()
    }

    /// Overwrites random records with durable commits of 100 until time is up.
    mutating func sustainDurably() throws {
        do {
            let engine = try E(task.setup(.unsynced))
            _ = try fill(engine, count: recordCount, generation: 0)
            try engine.sync()
            try engine.close()
        }
        let engine = try E(task.setup(.durable))
        let before = try engine.figures()
        let outcome = try overwrite(
            engine, recordsPerTransaction: 100, limit: recordCount * Self.sustainedRoundCount)
        let commits = outcome.timing.latencies
        note(
            "durable_overwrite", Double(commits.count) / outcome.timing.seconds,
            latencies: commits)
        noteTail("durable_p999", "durable_pause", commits)
        if let before, let now = try engine.figures() {
            note("durable_passes", Double(now.passCount - before.passCount))
            note("durable_checkpoints", Double(now.checkpointCount - before.checkpointCount))
        }
        try verify(engine, outcome)
        try engine.close()
    }

    /// Overwrites random records, up to `limit` of them or until time is up. Looking at the space
    /// is not in the latencies, and hardly in the time.
    private func overwrite(
        _ engine: E, recordsPerTransaction: UInt64, limit: UInt64
    ) throws -> Overwriting {
        var outcome = Overwriting(recordCount: recordCount)
        var writer = try engine.makeWriter()
        let buffer = RecordBuffer(records)
        defer { buffer.deallocate() }
        var stream = RandomStream(seed: 41)
        var transactionCount = 0
        let watch = Stopwatch()
        while outcome.count < limit, watch.seconds < task.size.sustainSeconds {
            let generation = UInt8(1 + outcome.count / recordCount)
            let end = min(outcome.count + recordsPerTransaction, limit)
            let transaction = Stopwatch()
            try writer.begin()
            while outcome.count < end {
                let number = stream.next(below: recordCount)
                Records.writeKey(number, to: buffer.key)
                records.writeValue(number, generation: UInt64(generation), to: buffer.value)
                try writer.put(
                    UnsafeRawBufferPointer(buffer.key), UnsafeRawBufferPointer(buffer.value))
                outcome.generations[Int(number)] = generation
                outcome.count &+= 1
            }
            try writer.commit()
            outcome.timing.latencies.record(transaction.nanoseconds)
            transactionCount += 1
            if transactionCount % Self.transactionsBetweenLooks == 0 {
                outcome.peakSpace = max(outcome.peakSpace, try space(engine))
                outcome.peakDisk = max(outcome.peakDisk, allocatedShare)
            }
        }
        outcome.timing.seconds = watch.seconds
        writer.close()
        outcome.peakSpace = max(outcome.peakSpace, try space(engine))
        outcome.peakDisk = max(outcome.peakDisk, allocatedShare)
        return outcome
    }

    /// Space by Travertine's definition for Travertine, by allocated bytes for the others.
    private func space(_ engine: E) throws -> Double {
        try engine.figures()?.boundedSpace ?? allocatedShare
    }

    private mutating func noteTail(
        _ tail: String, _ pause: String, _ latencies: LatencyHistogram
    ) {
        if let nanoseconds = latencies.percentile(0.999) { note(tail, nanoseconds / 1000) }
        note(pause, Double(latencies.maximum) / 1e6)
    }

    /// All records are there, with values of theirs; 2,000 are of the generation written last.
    private func verify(_ engine: E, _ outcome: Overwriting) throws {
        var reader = try engine.makeReader()
        let scan = try scanAll(&reader)
        reader.close()
        try require(
            scan.digest.values == digestOfAll,
            "\(task.engine.rawValue): wrong values after sustained overwriting.")
        try verify(engine, count: recordCount) { UInt64(outcome.generations[Int($0)]) }
    }

    /// The sum of the digests of all records.
    var digestOfAll: UInt64 { (0..<recordCount).reduce(0) { $0 &+ records.digest($1) } }
}
