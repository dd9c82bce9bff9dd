import Measurement

/// Loads texts and runs full-text queries on them, in one process for each engine.
struct TextStageRun<E: TextEngine> {
    private let task: ObjectTask
    private let facts: TextFacts
    private var samples: [Sample] = []

    /// Seconds that a row is measured, at least three runs and at most `mostRuns`.
    private static var seconds: Double { 1 }
    private static var mostRuns: Int { 200 }
    /// Texts that are added one by one.
    private static var addedCount: Int { 1000 }

    init(_ task: ObjectTask) {
        self.task = task
        facts = TextFacts(count: max(1, min(60_000, task.count)))
    }

    consuming func run() throws -> [Sample] {
        let (engine, nanoseconds) = try fill("indexed", isIndexed: true)
        if task.workloads.contains(TextWorkload.load) {
            note(TextWorkload.load, Double(facts.count) * 1e9 / Double(nanoseconds))
        }
        for query in TextWorkload.allCases where task.workloads.contains(query.row) {
            try measure(query, engine)
        }
        if task.workloads.contains(TextWorkload.indexBytes) {
            let plain = try fill("plain", isIndexed: false).engine
            try engine.compact()
            try plain.compact()
            let byteCount = try engine.byteCount() - plain.byteCount()
            note(TextWorkload.indexBytes, Double(byteCount) / Double(facts.count))
            try plain.close()
        }
        if task.workloads.contains(TextWorkload.add) { try add(to: engine) }
        try engine.close()
        return samples
    }

    /// An engine with all texts, and how long storing them took.
    private func fill(
        _ name: String, isIndexed: Bool
    ) throws -> (engine: E, nanoseconds: UInt64) {
        let engine = try E(directory: task.directory + "/" + name, isIndexed: isIndexed)
        var nanoseconds: UInt64 = 0
        for first in stride(from: 0, to: facts.count, by: 10_000) {
            let texts = (first..<min(first + 10_000, facts.count)).map { facts.text($0) }
            let watch = Stopwatch()
            try engine.insert(texts, from: first)
            nanoseconds += watch.nanoseconds
        }
        return (engine, nanoseconds)
    }

    private mutating func add(to engine: E) throws {
        let texts = (0..<Self.addedCount).map { facts.text($0 * 7 % facts.count) }
        let watch = Stopwatch()
        for (position, text) in texts.enumerated() {
            try engine.insert([text], from: facts.count + position)
        }
        note(TextWorkload.add, Double(texts.count) / watch.seconds)
    }

    private mutating func note(_ row: String, _ value: Double) {
        samples.append(
            Sample(
                workload: row, engine: task.engine.rawValue, repetition: task.repetition,
                value: value))
    }

    private mutating func measure(_ query: TextWorkload, _ engine: E) throws {
        var times: [UInt64] = []
        var total: UInt64 = 0
        while times.count < 3 || total < UInt64(Self.seconds * 1e9) && times.count < Self.mostRuns {
            let words = facts.words(query, times.count)
            let watch = Stopwatch()
            let found = try engine.run(query, words)
            times.append(watch.nanoseconds)
            total += times[times.count - 1]
            guard times.count < 4 || times.count % 64 == 0 else { continue }
            let expected = facts.result(of: query, words)
            try require(
                found == expected,
                "\(task.engine.rawValue), \(query), \(words.texts): \(found) instead of "
                    + "\(expected).")
        }
        times.sort()
        note(query.row, 1e9 / Double(times[times.count / 2]))
    }
}
