import Foundation
import Measurement

extension StageRun {
    private static var scanLengthWithinLimit: Int { 1000 }
    /// A miss may read much around its page, as much as the device's readahead says.
    private static var getsBetweenLooksAtTheClock: Int { 20 }

    /// A quarter of the bytes of keys and values.
    private var memoryLimitByteCount: Int { Int(recordCount) * records.byteCount / 4 }

    /// Caches and buffers that fit into the limit: a quarter of it for a cache or for index nodes,
    /// an eighth for a write buffer.
    private var limitedSetup: EngineSetup {
        var setup = task.setup(.unsynced)
        let mebibytes = memoryLimitByteCount >> 20
        setup.cacheMebibytes = max(1, mebibytes / 4)
        setup.writeBufferMebibytes = max(1, mebibytes / 8)
        setup.indexMebibytes = max(1, mebibytes / 4)
        return setup
    }

    /// Loads the store with all the memory there is.
    mutating func loadForLimit() throws {
        let engine = try E(limitedSetup)
        _ = try fill(engine, count: recordCount, generation: 0)
        try engine.sync()
        try engine.close()
    }

    /// Gets and scans for a while each.
    mutating func readWithinLimit() throws {
        guard hasLimit() else { return }
        let limit = try MemoryLimit(directory: task.directory, byteCount: memoryLimitByteCount)
        let engine = try E(limitedSetup)
        var reader = try engine.makeReader()
        var timing = Timing()
        var count = 0
        while timing.seconds < task.size.mixedSeconds {
            let portion = try readRandom(
                &reader,
                ReadPlan(seed: 800 &+ UInt64(count), count: Self.getsBetweenLooksAtTheClock))
            timing.seconds += portion.seconds
            timing.latencies.add(portion.latencies)
            count += Self.getsBetweenLooksAtTheClock
        }
        note("limited_get", Double(count) / timing.seconds, latencies: timing.latencies)
        let scans = try scanForAWhile(&reader)
        note("limited_scan", Double(scans.recordCount) / scans.seconds)
        notePeak(limit)
        limit.end()
        try verify(scans)
        reader.close()
        try engine.close()
    }

    /// A full compaction, and the scans again.
    mutating func compactWithinLimit() throws {
        guard hasLimit() else { return }
        let limit = try MemoryLimit(directory: task.directory, byteCount: memoryLimitByteCount)
        let engine = try E(limitedSetup)
        let watch = Stopwatch()
        let hasCompacted = try engine.compact()
        try require(hasCompacted, "\(task.engine.rawValue) has no compaction to call.")
        note("limited_compact", Double(recordCount) / watch.seconds)
        var reader = try engine.makeReader()
        let scans = try scanForAWhile(&reader)
        note("limited_scan_compacted", Double(scans.recordCount) / scans.seconds)
        notePeak(limit)
        limit.end()
        try verify(scans)
        reader.close()
        try verify(engine, count: recordCount, generation: 0)
        try engine.close()
    }

    /// Prints a message where the rows are left out.
    private func hasLimit() -> Bool {
        if MemoryLimit.isAvailable { return true }
        let line = """
            kv: rows limited_… are left out: they need the right to make a control group that
            counts memory (run as root, with the cgroup file system mounted).

            """
        FileHandle.standardError.write(Data(line.utf8))
        return false
    }

    private mutating func notePeak(_ limit: MemoryLimit) {
        guard let peak = limit.peakByteCount else { return }
        let row = task.stage == .limitedRead ? "limited_read_peak" : "limited_compact_peak"
        note(row, Double(peak) / Double(memoryLimitByteCount))
    }

    /// Scans of 1,000 records from random keys until time is up.
    private func scanForAWhile(_ reader: inout E.Reader) throws -> LimitedScans {
        var scans = LimitedScans()
        let buffer = RecordBuffer(records)
        defer { buffer.deallocate() }
        var stream = RandomStream(seed: LimitedScans.seed)
        while scans.seconds < task.size.mixedSeconds {
            Records.writeKey(stream.next(below: recordCount), to: buffer.key)
            let watch = Stopwatch()
            try reader.beginSnapshot()
            scans.recordCount += try reader.scan(
                from: UnsafeRawBufferPointer(buffer.key), limit: Self.scanLengthWithinLimit,
                withKeys: false, &scans.digest)
            try reader.endSnapshot()
            scans.seconds += watch.seconds
            scans.count += 1
        }
        return scans
    }

    /// Needs more memory than the limit, so it comes after its end.
    private func verify(_ scans: LimitedScans) throws {
        let sorted = SortedRecords(records, count: recordCount)
        let places = sorted.places()
        var stream = RandomStream(seed: LimitedScans.seed)
        var expected = (count: 0, values: UInt64(0))
        for _ in 0..<scans.count {
            let place = places[Int(stream.next(below: recordCount))]
            let scan = sorted.scan(from: place, limit: Self.scanLengthWithinLimit)
            expected.count += scan.count
            expected.values &+= scan.values
        }
        try require(
            scans.recordCount == expected.count && scans.digest.values == expected.values,
            "\(task.engine.rawValue): scans with little memory returned wrong records.")
    }
}

/// What scans gave.
private struct LimitedScans {
    static let seed: UInt64 = 91
    var count = 0
    var recordCount = 0
    var digest = Digest()
    var seconds = 0.0
}
