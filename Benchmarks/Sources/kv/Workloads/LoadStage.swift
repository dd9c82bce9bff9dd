import Measurement

extension StageRun {
    /// fill_batch, memory, the reads and scans on what was just written, close, space.
    mutating func load() throws {
        let baseline = ProcessMemory.anonymousByteCount()
        let engine = try E(task.setup(.unsynced))
        let watch = Stopwatch()
        let timing = try fill(engine, count: recordCount, generation: 0)
        try engine.sync()
        let seconds = watch.seconds
        note("fill_batch", Double(recordCount) / seconds, latencies: timing.latencies)
        note("fill_batch_unsynced", Double(recordCount) / timing.seconds)
        noteMemory("memory_loaded", since: baseline)
        try verify(engine, count: recordCount, generation: 0)
        try readLoaded(engine)
        try scanLoaded(engine)
        let closing = Stopwatch()
        try engine.close()
        note("close_clean", closing.seconds * 1000)
        noteSpace("space_filled")
    }

    /// Reads of records that were just written. A full scan warms every reader first.
    private mutating func readLoaded(_ engine: E) throws {
        guard
            task.wants(
                "read_random_1t", "read_random_2t", "read_random_snap_per_get", "read_batch",
                "read_missing")
        else { return }
        let count = task.size.readCount
        let rate = { (timing: Timing) in Double(count) / timing.seconds }
        var reader = try engine.makeReader()
        _ = try scanAll(&reader)
        if task.wants("read_random_1t") {
            let timing = try readRandom(&reader, ReadPlan(seed: 1, count: count))
            note("read_random_1t", rate(timing), latencies: timing.latencies)
        }
        if task.wants("read_random_2t") {
            let timing = try readRandom(engine, threadCount: 2, countPerThread: count / 2)
            note(
                "read_random_2t", Double(count / 2 * 2) / timing.seconds,
                latencies: timing.latencies)
        }
        if task.wants("read_random_snap_per_get") {
            let timing = try readRandomInOwnSnapshots(&reader, ReadPlan(seed: 2, count: count))
            note("read_random_snap_per_get", rate(timing), latencies: timing.latencies)
        }
        if task.wants("read_batch") {
            let timing = try readBatches(&reader, ReadPlan(seed: 4, count: count))
            note("read_batch", rate(timing), latencies: timing.latencies)
        }
        if task.wants("read_missing") {
            let plan = ReadPlan(seed: 3, count: count, isMissing: true)
            let timing = try readRandom(&reader, plan)
            note("read_missing", rate(timing), latencies: timing.latencies)
        }
        reader.close()
    }

    private mutating func scanLoaded(_ engine: E) throws {
        guard task.wants("scan_full", "scan_full_keys", "scan_100") else { return }
        let sorted = SortedRecords(records, count: recordCount)
        var reader = try engine.makeReader()
        _ = try scanAll(&reader)
        for (name, withKeys) in [("scan_full", false), ("scan_full_keys", true)]
        where task.wants(name) {
            let scan = try scanAll(&reader, withKeys: withKeys)
            try require(
                scan.digest.values == sorted.all.values
                    && (!withKeys || scan.digest.keys == sorted.all.keys),
                "\(task.engine.rawValue): \(name) returned wrong records, or in a wrong order.")
            note(name, Double(recordCount) / scan.seconds)
        }
        if task.wants("scan_100") {
            let count = max(100, task.size.readCount / 50)
            let timing = try scanShortRanges(&reader, count: count, sorted: sorted)
            note("scan_100", Double(count) / timing.seconds, latencies: timing.latencies)
        }
        reader.close()
    }

    /// Ascending 8-byte keys; the final sync is timed apart.
    mutating func fillAscending() throws {
        let engine = try E(task.setup(.unsynced))
        var writer = try engine.makeWriter()
        let buffer = RecordBuffer(records)
        defer { buffer.deallocate() }
        let key = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer.key)[0..<8])
        var latencies = LatencyHistogram()
        var number: UInt64 = 0
        let watch = Stopwatch()
        while number < recordCount {
            let transaction = Stopwatch()
            try writer.begin()
            let end = min(number + Self.recordsPerTransaction, recordCount)
            while number < end {
                buffer.key.storeBytes(of: number.bigEndian, as: UInt64.self)
                records.writeValue(number, generation: 0, to: buffer.value)
                try writer.put(key, UnsafeRawBufferPointer(buffer.value))
                number &+= 1
            }
            try writer.commit()
            latencies.record(transaction.nanoseconds)
        }
        let seconds = watch.seconds
        try engine.sync()
        let secondsWithSync = watch.seconds
        note("fill_seq", Double(recordCount) / seconds, latencies: latencies)
        note("fill_seq_synced", Double(recordCount) / secondsWithSync)
        writer.close()
        try verifyAscending(engine)
        try engine.close()
    }

    private func verifyAscending(_ engine: E) throws {
        var expected = Digest()
        for number in 0..<recordCount {
            expected.values &+= records.digest(number)
            expected.add(keyDigest: number.bigEndian)
        }
        var reader = try engine.makeReader()
        let scan = try scanAll(&reader, withKeys: true)
        reader.close()
        try require(
            scan.digest == expected, "\(task.engine.rawValue): fill_seq stored wrong records.")
    }
}
