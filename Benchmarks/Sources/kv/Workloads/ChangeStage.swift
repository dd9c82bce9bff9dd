import Measurement

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension StageRun {
    private static var operationsPerMixedTransaction: Int { 100 }

    /// Overwrites everything once, then reads and writes at once, then measures space.
    mutating func change() throws {
        let engine = try E(task.setup(.unsynced))
        _ = try fill(engine, count: recordCount, generation: 0)
        try engine.sync()
        var generation: UInt64 = 0
        if task.wants("overwrite", "space_overwritten") {
            generation = 1
            let watch = Stopwatch()
            let timing = try fill(
                engine, count: recordCount, generation: generation, order: .scattered)
            try engine.sync()
            note(
                "overwrite", Double(recordCount) / watch.seconds, latencies: timing.latencies)
        }
        try verify(engine, count: recordCount, generation: generation)
        if task.wants("mixed_reads", "mixed_writes") { try readBesideWriter(engine) }
        if task.wants("space_overwritten") {
            sleep(UInt32(task.size.settleSeconds))
            noteSpace("space_overwritten")
        }
        try engine.close()
    }

    private mutating func readBesideWriter(_ engine: E) throws {
        let box = ReaderBox(try engine.makeReader())
        _ = try scanAll(&box.reader)
        let writes = MixedOutcome()
        let reads = MixedOutcome()
        let run = self
        try WorkerThreads.run(count: 2) { index in
            if index == 0 {
                try run.readUntilDeadline(&box.reader, reads)
            } else {
                try run.writeUntilDeadline(engine, writes)
            }
        }
        box.reader.close()
        note(
            "mixed_reads", Double(reads.count) / reads.timing.seconds,
            latencies: reads.timing.latencies)
        note(
            "mixed_writes", Double(writes.count) / writes.timing.seconds,
            latencies: writes.timing.latencies)
    }

    /// Random gets, 100 per snapshot. Values may be of any generation and must be of their record.
    private func readUntilDeadline(_ reader: inout E.Reader, _ outcome: MixedOutcome) throws {
        let buffer = RecordBuffer(records)
        defer { buffer.deallocate() }
        let key = UnsafeRawBufferPointer(buffer.key)
        var stream = RandomStream(seed: 5)
        var digest = Digest()
        var foundCount = 0
        let watch = Stopwatch()
        while watch.seconds < task.size.mixedSeconds {
            try reader.beginSnapshot()
            for index in 0..<Self.operationsPerMixedTransaction {
                Records.writeKey(stream.next(below: recordCount), to: buffer.key)
                let isFound: Bool
                if index & 15 == 0 {
                    let get = Stopwatch()
                    isFound = try reader.get(key, &digest)
                    outcome.timing.latencies.record(get.nanoseconds)
                } else {
                    isFound = try reader.get(key, &digest)
                }
                if isFound { foundCount &+= 1 }
            }
            try reader.endSnapshot()
            outcome.count += Self.operationsPerMixedTransaction
        }
        outcome.timing.seconds = watch.seconds
        try verify(ReadPlan(seed: 5, count: outcome.count), digest, foundCount: foundCount)
    }

    /// Overwrites of random records, 100 per unsynced transaction.
    private func writeUntilDeadline(_ engine: E, _ outcome: MixedOutcome) throws {
        var writer = try engine.makeWriter()
        let buffer = RecordBuffer(records)
        defer { buffer.deallocate() }
        var stream = RandomStream(seed: 6)
        var generation: UInt64 = 2
        let watch = Stopwatch()
        while watch.seconds < task.size.mixedSeconds {
            let transaction = Stopwatch()
            try writer.begin()
            for _ in 0..<Self.operationsPerMixedTransaction {
                let number = stream.next(below: recordCount)
                Records.writeKey(number, to: buffer.key)
                records.writeValue(number, generation: generation, to: buffer.value)
                try writer.put(
                    UnsafeRawBufferPointer(buffer.key), UnsafeRawBufferPointer(buffer.value))
            }
            try writer.commit()
            outcome.timing.latencies.record(transaction.nanoseconds)
            outcome.count += Self.operationsPerMixedTransaction
            generation += 1
        }
        outcome.timing.seconds = watch.seconds
        writer.close()
    }
}

/// What one of the two threads did; read by the other after both have ended.
final class MixedOutcome: @unchecked Sendable {
    var timing = Timing()
    var count = 0
}
