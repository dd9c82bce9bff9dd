import Measurement

/// A stage of one engine in progress, in its own process.
struct ObjectStageRun<E: ObjectEngine> {
    let task: ObjectTask
    private var samples: [Sample] = []
    /// The persons whose age was set.
    var updated: Set<Int> = []

    init(_ task: ObjectTask) { self.task = task }

    /// Runs the stage and returns what was measured.
    consuming func run() throws -> [Sample] {
        switch task.stage {
        case .load: try load()
        case .query: try query()
        case .schema: try changeSchema()
        case .durable: try insertDurably()
        case .wide: try insertWide()
        case .linked: try deleteLinked()
        case .compact: try compact()
        case .queries, .texts, .observing, .realm: break
        }
        return samples
    }

    mutating func note(
        _ workload: String, _ value: Double, latencies: LatencyHistogram? = nil
    ) {
        guard task.workloads.contains(workload) else { return }
        samples.append(
            Sample(
                workload: workload, engine: task.engine.rawValue, repetition: task.repetition,
                value: value, latencies: latencies))
    }

    private mutating func load() throws {
        let baseline = ProcessMemory.anonymousByteCount()
        let engine = try E(directory: task.directory, isDurable: false)
        let watch = Stopwatch()
        try insertAll(engine)
        note("insert_bulk", Double(task.count) / watch.seconds)
        if let baseline, let now = ProcessMemory.anonymousByteCount() {
            note("memory_loaded", Double(now - baseline) / Double(task.count))
        }
        try engine.close()
        let size = DirectoryTree.size(of: task.directory)
        note("space_filled", Double(size.allocatedByteCount) / Double(task.count))
    }

    private func insertAll(_ engine: E) throws {
        for first in stride(from: 0, to: task.count, by: 10_000) {
            try engine.insert(first..<min(first + 10_000, task.count))
        }
        try engine.sync()
    }

    /// What is left on the disk when everything has been compacted.
    private mutating func compact() throws {
        let engine = try E(directory: task.directory, isDurable: false)
        try insertAll(engine)
        try engine.compact()
        if let footprint = try engine.footprint() {
            note("space_log", Double(footprint.log) / Double(task.count))
            note("space_pages", Double(footprint.pages) / Double(task.count))
        }
        let ages = (0..<task.count).lazy.map(PersonFacts.init).reduce(0) { $0 + $1.age }
        try expect("space_compacted", try engine.read { try engine.iterateAges() }, ages)
        try engine.close()
        let size = DirectoryTree.size(of: task.directory)
        note("space_compacted", Double(size.allocatedByteCount) / Double(task.count))
    }

    private mutating func changeSchema() throws {
        // The first opening in a process reads what the others find in memory.
        try E(directory: task.directory, isDurable: false).close()
        for change in SchemaChange.allCases {
            let result = try E.change(change, directory: task.directory)
            note(change.rawValue, result.seconds * 1000)
            try require(
                result.value == change.expected,
                "\(task.engine.rawValue), \(change.rawValue): \(result.value) was read.")
        }
    }

    /// A tenth as many objects as persons, 25 properties each.
    private mutating func insertWide() throws {
        let count = max(1, task.count / 10)
        let engine = try E(directory: task.directory, isDurable: false)
        let watch = Stopwatch()
        for first in stride(from: 0, to: count, by: 10_000) {
            try engine.insertWide(first..<min(first + 10_000, count))
        }
        try engine.sync()
        note("insert_wide", Double(count) / watch.seconds)
        let expected = (0..<count).reduce(0) { $0 + WideFacts($1).summand }
        try engine.read {
            try time("read_wide", expected, per: Double(count)) { try engine.sumWide() }
        }
        try engine.close()
    }

    private mutating func insertDurably() throws {
        let engine = try E(directory: task.directory, isDurable: true)
        var latencies = LatencyHistogram()
        var id = 0
        let watch = Stopwatch()
        while watch.seconds < task.durableSeconds {
            let commit = Stopwatch()
            try engine.insert(id..<(id + 1))
            latencies.record(commit.nanoseconds)
            id += 1
        }
        note("insert_durable", Double(id) / watch.seconds, latencies: latencies)
        var expected = 0
        for stored in 0..<id { expected += PersonFacts(stored).age }
        try expect("insert_durable", try engine.read { try engine.iterateAges() }, expected)
        try engine.close()
    }

    private mutating func query() throws {
        let watch = Stopwatch()
        let engine = try E(directory: task.directory, isDurable: false)
        let first = try engine.read { try engine.ageAndNameLength(0) }
        note("open", watch.seconds * 1000)
        try expect("open", first, PersonFacts(0).age + PersonFacts(0).name.utf8.count)
        try engine.read { try readAll(engine) }
        try engine.read { try readSome(engine) }
        try update(engine)
        try delete(engine)
        try updateAll(engine)
        try engine.close()
    }

    /// Workloads that look at every object; each is run once before it is timed.
    private mutating func readAll(_ engine: E) throws {
        let facts = (0..<task.count).lazy.map(PersonFacts.init)
        let count = Double(task.count)
        let ages = facts.reduce(0) { $0 + $1.age }
        let older = facts.filter { $0.age > 50 }
        let olderCount = older.reduce(0) { count, _ in count + 1 }
        let olderAges = older.reduce(0) { $0 + $1.age }
        let containing = facts.reduce(0) {
            $0 + ($1.name.contains(PersonFacts.namePart) ? 1 : 0)
        }
        try time("iterate_all", ages, per: count) { try engine.iterateAges() }
        try time("iterate_lending", ages, per: count) { try engine.iterateAgesLending() }
        try time("sum", ages, per: count) { try engine.sumOfAges() }
        try time("count_older", olderCount) { try engine.countOlder(than: 50) }
        try time("find_older", olderAges) { try engine.findOlder(than: 50) }
        try time("count_name_contains", containing) {
            try engine.countNames(containing: PersonFacts.namePart)
        }
        let lowest = facts.map { ($0.score, $0.id) }.sorted { $0.0 < $1.0 }.prefix(100)
        try time("sort_first_100", lowest.reduce(0) { $0 + $1.1 }) {
            try engine.lowestScores(100)
        }
        let friends = facts.reduce(0) { $0 + ($1.friendId.map { PersonFacts($0).age } ?? 0) }
        try time("follow_all", friends, per: count) { try engine.followAll() }
        try time("follow_all_bulk", friends, per: count) { try engine.followAllInBulk() }
    }

    /// Times the second of two calls: in milliseconds, or as a rate if `per` is given.
    private mutating func time(
        _ workload: String, _ expected: Int, per count: Double? = nil, _ body: () throws -> Int
    ) throws {
        guard task.workloads.contains(workload) else { return }
        do {
            try expect(workload, try body(), expected)
        } catch is NotApplicable {
            return
        }
        let watch = Stopwatch()
        let result = try body()
        let seconds = watch.seconds
        try expect(workload, result, expected)
        note(workload, count.map { $0 / seconds } ?? seconds * 1000)
    }

    func expect(_ workload: String, _ found: Int?, _ expected: Int) throws {
        try require(
            found == expected,
            "\(task.engine.rawValue), \(workload): \(found.map(String.init) ?? "nothing") instead "
                + "of \(expected).")
    }
}
