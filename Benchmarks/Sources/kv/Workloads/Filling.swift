import Measurement

/// How long something took: in all, and each transaction or sampled operation.
struct Timing: Sendable {
    var seconds = 0.0
    var latencies = LatencyHistogram()
}

/// The order in which records are written.
enum WriteOrder: Sendable {
    /// By number; their keys are random.
    case byNumber
    /// Every number once, scattered over the whole range.
    case scattered
}

extension StageRun {
    static var recordsPerTransaction: UInt64 { 1000 }

    /// Writes `count` records from number 0 in transactions of 1,000, making keys and values inside
    /// the time. Latencies are those of transactions.
    func fill(
        _ engine: E, count: UInt64, generation: UInt64, order: WriteOrder = .byNumber
    ) throws -> Timing {
        var timing = Timing()
        var writer = try engine.makeWriter()
        let buffer = RecordBuffer(records)
        defer { buffer.deallocate() }
        let stride = order == .scattered ? Self.stride(coprimeTo: count) : 1
        var number: UInt64 = 0
        var written: UInt64 = 0
        let watch = Stopwatch()
        while written < count {
            let transaction = Stopwatch()
            try writer.begin()
            let end = min(written + Self.recordsPerTransaction, count)
            while written < end {
                Records.writeKey(number, to: buffer.key)
                records.writeValue(number, generation: generation, to: buffer.value)
                try writer.put(
                    UnsafeRawBufferPointer(buffer.key), UnsafeRawBufferPointer(buffer.value))
                number &+= stride
                if number >= count { number &-= count }
                written &+= 1
            }
            try writer.commit()
            timing.latencies.record(transaction.nanoseconds)
        }
        timing.seconds = watch.seconds
        writer.close()
        return timing
    }

    /// Overwrites 1,000 random records in one transaction.
    func overwriteRandomly(
        _ writer: inout E.Writer, _ buffer: RecordBuffer, _ stream: inout RandomStream
    ) throws {
        try writer.begin()
        for _ in 0..<Self.recordsPerTransaction {
            let number = stream.next(below: recordCount)
            Records.writeKey(number, to: buffer.key)
            records.writeValue(number, generation: 1, to: buffer.value)
            try writer.put(
                UnsafeRawBufferPointer(buffer.key), UnsafeRawBufferPointer(buffer.value))
        }
        try writer.commit()
    }

    /// A step near 0.618 of `count` that visits every number below `count` once.
    private static func stride(coprimeTo count: UInt64) -> UInt64 {
        var stride = max(1, UInt64(Double(count) * 0.618_033_988_75))
        while greatestCommonDivisor(stride, count) != 1 { stride += 1 }
        return stride % count
    }

    private static func greatestCommonDivisor(_ a: UInt64, _ b: UInt64) -> UInt64 {
        b == 0 ? a : greatestCommonDivisor(b, a % b)
    }

    /// Compares 2,000 values, byte for byte, with what a generation must be. Not timed.
    func verify(_ engine: E, count: UInt64, generation: UInt64) throws {
        try verify(engine, count: count) { _ in generation }
    }

    /// The same where each record has its own generation.
    func verify(
        _ engine: E, count: UInt64, generation: (UInt64) -> UInt64
    ) throws {
        var reader = try engine.makeReader()
        defer { reader.close() }
        let buffer = RecordBuffer(records)
        defer { buffer.deallocate() }
        var stream = RandomStream(seed: 77)
        try reader.beginSnapshot()
        for _ in 0..<2000 {
            let number = stream.next(below: count)
            Records.writeKey(number, to: buffer.key)
            records.writeValue(number, generation: generation(number), to: buffer.value)
            var copy = ValueCopy()
            let isFound = try reader.get(UnsafeRawBufferPointer(buffer.key), &copy)
            try require(
                isFound && copy.value.elementsEqual(buffer.value),
                "\(task.engine.rawValue): record \(number) \(isFound ? "has a wrong value" : "is missing")."
            )
        }
        try reader.endSnapshot()
    }
}
