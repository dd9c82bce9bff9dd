import Measurement

/// Which keys are read, and how snapshots are taken.
struct ReadPlan: Sendable {
    var seed: UInt64
    var count: Int
    var getsPerSnapshot = 1000
    /// Whether the keys asked for were never written.
    var isMissing = false
}

/// Hands a reader to another thread; only one uses it at a time.
final class ReaderBox<Reader>: @unchecked Sendable {
    var reader: Reader
    var timing = Timing()

    init(_ reader: Reader) { self.reader = reader }
}

extension StageRun {
    /// Numbers from here on are never written.
    private static var firstMissingNumber: UInt64 { 1 << 40 }

    /// One get in 16 is timed by itself, so that the clock costs a few nanoseconds per get.
    private static var latencySamplingMask: Int { 15 }

    /// Random gets, verified afterwards: every one found (or none), all values those asked for.
    func readRandom(_ reader: inout E.Reader, _ plan: ReadPlan) throws -> Timing {
        var timing = Timing()
        let buffer = RecordBuffer(records)
        defer { buffer.deallocate() }
        let key = UnsafeRawBufferPointer(buffer.key)
        let offset = plan.isMissing ? Self.firstMissingNumber : 0
        var stream = RandomStream(seed: plan.seed)
        var digest = Digest()
        var foundCount = 0
        var done = 0
        let watch = Stopwatch()
        while done < plan.count {
            let end = min(done + plan.getsPerSnapshot, plan.count)
            try reader.beginSnapshot()
            while done < end {
                Records.writeKey(offset &+ stream.next(below: recordCount), to: buffer.key)
                let isFound: Bool
                if done & Self.latencySamplingMask == 0 {
                    let get = Stopwatch()
                    isFound = try reader.get(key, &digest)
                    timing.latencies.record(get.nanoseconds)
                } else {
                    isFound = try reader.get(key, &digest)
                }
                if isFound { foundCount &+= 1 }
                done &+= 1
            }
            try reader.endSnapshot()
        }
        timing.seconds = watch.seconds
        try verify(plan, digest, foundCount: foundCount)
        return timing
    }

    /// Random gets, each on its own snapshot.
    func readRandomInOwnSnapshots(_ reader: inout E.Reader, _ plan: ReadPlan) throws -> Timing {
        var timing = Timing()
        let buffer = RecordBuffer(records)
        defer { buffer.deallocate() }
        let key = UnsafeRawBufferPointer(buffer.key)
        var stream = RandomStream(seed: plan.seed)
        var digest = Digest()
        var foundCount = 0
        let watch = Stopwatch()
        for done in 0..<plan.count {
            Records.writeKey(stream.next(below: recordCount), to: buffer.key)
            let isFound: Bool
            if done & Self.latencySamplingMask == 0 {
                let get = Stopwatch()
                isFound = try reader.getInOwnSnapshot(key, &digest)
                timing.latencies.record(get.nanoseconds)
            } else {
                isFound = try reader.getInOwnSnapshot(key, &digest)
            }
            if isFound { foundCount &+= 1 }
        }
        timing.seconds = watch.seconds
        try verify(plan, digest, foundCount: foundCount)
        return timing
    }

    private static var getsPerBatch: Int { 100 }

    /// Random gets, 100 at a time. Latencies are those of whole batches.
    func readBatches(_ reader: inout E.Reader, _ plan: ReadPlan) throws -> Timing {
        var timing = Timing()
        let stride = Records.keyByteCount
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Self.getsPerBatch * stride, alignment: 8)
        defer { buffer.deallocate() }
        let places = (0..<Self.getsPerBatch).map { $0 * stride..<($0 + 1) * stride }
        let keys = places.map { UnsafeRawBufferPointer(rebasing: buffer[$0]) }
        var stream = RandomStream(seed: plan.seed)
        var digest = Digest()
        var foundCount = 0
        var done = 0
        let watch = Stopwatch()
        while done < plan.count {
            let end = min(done + plan.getsPerSnapshot, plan.count)
            try reader.beginSnapshot()
            while done < end {
                let batch = Stopwatch()
                let count = min(Self.getsPerBatch, end - done)
                for place in places[..<count] {
                    Records.writeKey(
                        stream.next(below: recordCount),
                        to: UnsafeMutableRawBufferPointer(rebasing: buffer[place]))
                }
                foundCount += try reader.get(
                    all: count == keys.count ? keys : Array(keys[..<count]), &digest)
                timing.latencies.record(batch.nanoseconds)
                done += count
            }
            try reader.endSnapshot()
        }
        timing.seconds = watch.seconds
        try verify(plan, digest, foundCount: foundCount)
        return timing
    }

    /// Random gets from several threads, each on a reader that was warmed before the time began.
    func readRandom(
        _ engine: E, threadCount: Int, countPerThread: Int
    ) throws -> Timing {
        var boxes: [ReaderBox<E.Reader>] = []
        for _ in 0..<threadCount {
            let box = ReaderBox(try engine.makeReader())
            _ = try scanAll(&box.reader)
            boxes.append(box)
        }
        let run = self
        let shared = boxes
        var timing = Timing()
        timing.seconds = try WorkerThreads.run(count: threadCount) { index in
            let plan = ReadPlan(seed: 100 + UInt64(index), count: countPerThread)
            shared[index].timing = try run.readRandom(&shared[index].reader, plan)
        }
        for box in boxes {
            timing.latencies.add(box.timing.latencies)
            box.reader.close()
        }
        // The slowest thread's own time leaves the verification after its loop out.
        timing.seconds = boxes.map(\.timing.seconds).max() ?? timing.seconds
        return timing
    }

    func verify(_ plan: ReadPlan, _ digest: Digest, foundCount: Int) throws {
        let expectedCount = plan.isMissing ? 0 : plan.count
        try require(
            foundCount == expectedCount,
            "\(task.engine.rawValue): found \(foundCount) records instead of \(expectedCount).")
        guard !plan.isMissing else { return }
        var stream = RandomStream(seed: plan.seed)
        var expected: UInt64 = 0
        for _ in 0..<plan.count {
            expected &+= records.digest(stream.next(below: recordCount))
        }
        try require(
            digest.values == expected, "\(task.engine.rawValue): random gets returned wrong values."
        )
    }
}
