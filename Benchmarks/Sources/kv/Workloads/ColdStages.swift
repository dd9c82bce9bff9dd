import Foundation
import Measurement

/// The lines of a file of JSON objects, each a record under its `geonameid`.
struct CityRecords {
    private let bytes: [UInt8]
    private let lines: [(key: UInt64, range: Range<Int>)]

    init(path: String) throws {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw BenchmarkError("\(path) cannot be read; --cities names the file.")
        }
        bytes = Array(data)
        var lines: [(key: UInt64, range: Range<Int>)] = []
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
            if start < end {
                lines.append((try Self.identifier(bytes[start..<end]), start..<end))
            }
            start = end + 1
        }
        try require(!lines.isEmpty, "\(path) is empty.")
        self.lines = lines
    }

    private static func identifier(_ line: ArraySlice<UInt8>) throws -> UInt64 {
        let text = String(decoding: line, as: UTF8.self)
        guard let name = text.range(of: "\"geonameid\":") else {
            throw BenchmarkError("A line of the cities has no geonameid.")
        }
        let digits = text[name.upperBound...].drop { $0 == " " }.prefix { $0.isNumber }
        guard let number = UInt64(digits) else {
            throw BenchmarkError("A line of the cities has no number as geonameid.")
        }
        return number
    }

    var count: Int { lines.count }
    var byteCount: Int { lines.reduce(0) { $0 + 8 + $1.range.count } }

    /// Calls the body with the key, 8 bytes big-endian, and the line.
    @inline(__always)
    func withRecord<Result>(
        _ index: Int, _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        let line = lines[index]
        return try bytes.withUnsafeBytes { all in
            try withUnsafeBytes(of: line.key.bigEndian) { key in
                try body(key, UnsafeRawBufferPointer(rebasing: all[line.range]))
            }
        }
    }
}

extension StageRun {
    /// Stores the cities, compacts, closes, and measures the directory.
    mutating func loadCold() throws {
        let cities = try CityRecords(path: task.citiesPath)
        let engine = try E(task.setup(.unsynced))
        var writer = try engine.makeWriter()
        for first in stride(from: 0, to: cities.count, by: 1000) {
            try writer.begin()
            for index in first..<min(first + 1000, cities.count) {
                try cities.withRecord(index) { try writer.put($0, $1) }
            }
            try writer.commit()
        }
        writer.close()
        try engine.sync()
        try require(try engine.compact(), "\(task.engine.rawValue) has no compaction to call.")
        try verify(engine, holds: cities)
        try engine.close()
        let size = DirectoryTree.size(of: task.directory)
        note("cold_space", Double(size.allocatedByteCount) / 1e6)
        note("cold_length", Double(size.byteCount) / 1e6)
        note("cold_share", Double(size.allocatedByteCount) / Double(cities.byteCount))
    }

    /// A scan gives all of them; it also warms the caches.
    private func verify(_ engine: E, holds cities: CityRecords) throws {
        var expected = Digest()
        for index in 0..<cities.count {
            cities.withRecord(index) { _, line in expected.add(value: line) }
        }
        var reader = try engine.makeReader()
        var all = Digest()
        try reader.beginSnapshot()
        let stored = try reader.scan(from: nil, limit: .max, withKeys: false, &all)
        try reader.endSnapshot()
        reader.close()
        try require(
            stored == cities.count && all == expected,
            "\(task.engine.rawValue) has \(stored) cities instead of \(cities.count), or wrong ones."
        )
    }

    /// Reads random cities of what `loadCold` left.
    mutating func readCold() throws {
        let cities = try CityRecords(path: task.citiesPath)
        let engine = try E(task.setup(.unsynced))
        var reader = try engine.makeReader()
        try verify(engine, holds: cities)
        let count = task.size.readCount
        var stream = RandomStream(seed: 95)
        var digest = Digest()
        var latencies = LatencyHistogram()
        var foundCount = 0
        let watch = Stopwatch()
        for done in 0..<count {
            if done % 1000 == 0 { try reader.beginSnapshot() }
            let index = Int(stream.next(below: UInt64(cities.count)))
            let isFound: Bool
            if done & 15 == 0 {
                let get = Stopwatch()
                isFound = try cities.withRecord(index) { key, _ in try reader.get(key, &digest) }
                latencies.record(get.nanoseconds)
            } else {
                isFound = try cities.withRecord(index) { key, _ in try reader.get(key, &digest) }
            }
            if isFound { foundCount += 1 }
            if done % 1000 == 999 || done == count - 1 { try reader.endSnapshot() }
        }
        note("cold_read", Double(count) / watch.seconds, latencies: latencies)
        stream = RandomStream(seed: 95)
        var expected = Digest()
        for _ in 0..<count {
            cities.withRecord(Int(stream.next(below: UInt64(cities.count)))) { _, line in
                expected.add(value: line)
            }
        }
        try require(
            foundCount == count && digest == expected,
            "\(task.engine.rawValue): wrong cities were read.")
        reader.close()
        try engine.close()
    }
}
