import Measurement

/// All records in key order, to check scans against; made outside the timed parts.
struct SortedRecords: Sendable {
    private let numbers: [UInt64]
    /// Place i: the sum of the value digests of the first i records.
    private let digestsBefore: [UInt64]
    /// What a scan of everything must give.
    let all: Digest

    init(_ records: Records, count: UInt64) {
        let keyed = (0..<count).map { number in
            (first: Records.keyWords(number).0.bigEndian, number: number)
        }
        numbers = keyed.sorted { $0.first < $1.first }.map(\.number)
        var digest = Digest()
        var before: [UInt64] = [0]
        before.reserveCapacity(numbers.count + 1)
        for number in numbers {
            let words = Records.keyWords(number)
            digest.values &+= records.digest(number)
            digest.add(keyDigest: words.0 &+ words.1)
            before.append(digest.values)
        }
        digestsBefore = before
        all = digest
    }

    /// The place of every record in key order, by number.
    func places() -> [Int] {
        var places = [Int](repeating: 0, count: numbers.count)
        for (place, number) in numbers.enumerated() { places[Int(number)] = place }
        return places
    }

    /// How many records a scan from a place gives, and the sum of their digests.
    func scan(from place: Int, limit: Int) -> (count: Int, values: UInt64) {
        let end = min(place + limit, numbers.count)
        return (end - place, digestsBefore[end] &- digestsBefore[place])
    }
}

extension StageRun {
    private static var scansPerSnapshot: Int { 100 }
    static var scanLength: Int { 100 }

    /// A scan of everything; the count is checked at once, the digest by the caller.
    func scanAll(
        _ reader: inout E.Reader, withKeys: Bool = false
    ) throws -> (seconds: Double, digest: Digest) {
        var digest = Digest()
        let watch = Stopwatch()
        try reader.beginSnapshot()
        let count = try reader.scan(from: nil, limit: .max, withKeys: withKeys, &digest)
        try reader.endSnapshot()
        let seconds = watch.seconds
        try require(
            count == Int(recordCount),
            "\(task.engine.rawValue): a scan gave \(count) records instead of \(recordCount).")
        return (seconds, digest)
    }

    /// Scans of 100 records from random keys that exist.
    func scanShortRanges(
        _ reader: inout E.Reader, count: Int, sorted: SortedRecords
    ) throws -> Timing {
        var timing = Timing()
        let buffer = RecordBuffer(records)
        defer { buffer.deallocate() }
        let key = UnsafeRawBufferPointer(buffer.key)
        var stream = RandomStream(seed: 31)
        var digest = Digest()
        var recordsSeen = 0
        var done = 0
        let watch = Stopwatch()
        while done < count {
            let end = min(done + Self.scansPerSnapshot, count)
            try reader.beginSnapshot()
            while done < end {
                let scan = Stopwatch()
                Records.writeKey(stream.next(below: recordCount), to: buffer.key)
                recordsSeen += try reader.scan(
                    from: key, limit: Self.scanLength, withKeys: false, &digest)
                timing.latencies.record(scan.nanoseconds)
                done += 1
            }
            try reader.endSnapshot()
        }
        timing.seconds = watch.seconds
        try verifyShortRanges(count, seen: recordsSeen, digest.values, sorted)
        return timing
    }

    private func verifyShortRanges(
        _ count: Int, seen: Int, _ values: UInt64, _ sorted: SortedRecords
    ) throws {
        let places = sorted.places()
        var stream = RandomStream(seed: 31)
        var expected = (count: 0, values: UInt64(0))
        for _ in 0..<count {
            let place = places[Int(stream.next(below: recordCount))]
            let scan = sorted.scan(from: place, limit: Self.scanLength)
            expected.count += scan.count
            expected.values &+= scan.values
        }
        try require(
            seen == expected.count && values == expected.values,
            "\(task.engine.rawValue): scans of \(Self.scanLength) returned wrong records "
                + "(\(seen) instead of \(expected.count)).")
    }
}
