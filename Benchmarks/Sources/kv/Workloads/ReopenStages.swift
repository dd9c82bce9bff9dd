import Measurement

extension StageRun {
    /// Opens what `load` left in a new process, to the first get; then reads on.
    mutating func reopen() throws {
        let baseline = ProcessMemory.anonymousByteCount()
        let watch = Stopwatch()
        let engine = try E(task.setup(.unsynced))
        var reader = try engine.makeReader()
        try firstGet(&reader)
        note("open_clean", watch.seconds * 1000)
        noteMemory("memory_reopened", since: baseline)
        if task.wants("read_random_reopened", "memory_reopened_read") {
            let count = task.size.readCount
            let timing = try readRandom(&reader, ReadPlan(seed: 4, count: count))
            note(
                "read_random_reopened", Double(count) / timing.seconds,
                latencies: timing.latencies)
            noteMemory("memory_reopened_read", since: baseline)
        }
        reader.close()
        try engine.close()
    }

    /// Opens what `load` left in a new process and scans everything.
    mutating func reopenAndScan() throws {
        let engine = try E(task.setup(.unsynced))
        var reader = try engine.makeReader()
        let scan = try scanAll(&reader, withKeys: false)
        note("scan_full_reopened", Double(recordCount) / scan.seconds)
        var expected: UInt64 = 0
        for number in 0..<recordCount { expected &+= records.digest(number) }
        try require(
            scan.digest.values == expected,
            "\(task.engine.rawValue): scan_full_reopened returned wrong values.")
        reader.close()
        try engine.close()
    }

    /// One get of record 0, checked.
    func firstGet(_ reader: inout E.Reader) throws {
        let buffer = RecordBuffer(records)
        defer { buffer.deallocate() }
        Records.writeKey(0, to: buffer.key)
        var digest = Digest()
        try reader.beginSnapshot()
        let isFound = try reader.get(UnsafeRawBufferPointer(buffer.key), &digest)
        try reader.endSnapshot()
        try require(
            isFound && digest.values == records.digest(0),
            "\(task.engine.rawValue): the first get after opening returned nothing or a wrong value."
        )
    }
}
