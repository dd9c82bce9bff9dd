import Measurement

extension StageRun {
    /// Single-record durable commits into an empty store: one thread, then eight.
    mutating func commitDurably() throws {
        let engine = try E(task.setup(.durable))
        var storedCount: UInt64 = 0
        for (name, threadCount) in [("fill_sync_1t", 1), ("fill_sync_8t", 8)]
        where task.wants(name) {
            let outcomes = (0..<threadCount).map { _ in MixedOutcome() }
            let run = self
            try WorkerThreads.run(count: threadCount) { index in
                let firstNumber = UInt64(threadCount * 16 + index) << 32
                try run.commitUntilDeadline(engine, from: firstNumber, outcomes[index])
            }
            var latencies = LatencyHistogram()
            var count = 0
            for outcome in outcomes {
                latencies.add(outcome.timing.latencies)
                count += outcome.count
            }
            let seconds = outcomes.map(\.timing.seconds).max() ?? 0
            note(name, Double(count) / seconds, latencies: latencies)
            storedCount += UInt64(count)
        }
        try verifyCount(engine, storedCount)
        try engine.close()
    }

    private func commitUntilDeadline(
        _ engine: E, from firstNumber: UInt64, _ outcome: MixedOutcome
    ) throws {
        var writer = try engine.makeWriter()
        let buffer = RecordBuffer(records)
        defer { buffer.deallocate() }
        var number = firstNumber
        let watch = Stopwatch()
        while watch.seconds < task.size.durableSeconds {
            let commit = Stopwatch()
            Records.writeKey(number, to: buffer.key)
            records.writeValue(number, generation: 0, to: buffer.value)
            try writer.begin()
            try writer.put(
                UnsafeRawBufferPointer(buffer.key), UnsafeRawBufferPointer(buffer.value))
            try writer.commit()
            outcome.timing.latencies.record(commit.nanoseconds)
            number += 1
        }
        outcome.timing.seconds = watch.seconds
        outcome.count = Int(number - firstNumber)
        writer.close()
    }

    private func verifyCount(_ engine: E, _ expected: UInt64) throws {
        var reader = try engine.makeReader()
        var digest = Digest()
        try reader.beginSnapshot()
        let count = try reader.scan(from: nil, limit: .max, withKeys: false, &digest)
        try reader.endSnapshot()
        reader.close()
        try require(
            count == Int(expected),
            "\(task.engine.rawValue): \(count) records after \(expected) durable commits.")
    }
}
