import Measurement

/// Loads residents, observes results, and changes objects, in one process for each engine.
final class ObservingStageRun<E: ObservingEngine> {
    private let task: ObjectTask
    private var samples: [Sample] = []

    /// How many changes are measured at the most, and for how many seconds.
    private static var mostRuns: Int { 400 }
    private static var seconds: Double { 2 }

    init(_ task: ObjectTask) { self.task = task }

    private func isAsked(_ workload: ObservingWorkload) -> Bool {
        task.workloads.contains(workload.row)
    }

    func run() throws -> [Sample] {
        let engine = try E(directory: task.directory)
        for first in stride(from: 0, to: task.count, by: 10_000) {
            try engine.insert(first..<Swift.min(first + 10_000, task.count))
        }
        try engine.finishLoading()
        try measureReads(engine)
        try measureMoves(engine)
        try measureThousand(engine)
        try measureSorted(engine)
        try measureLinks(engine)
        try measureMany(engine)
        try measureMigration(engine)
        try engine.close()
        return samples
    }

    private func add(_ workload: ObservingWorkload, _ value: Double) {
        guard isAsked(workload) else { return }
        samples.append(
            Sample(
                workload: workload.row, engine: task.engine.rawValue, repetition: task.repetition,
                value: value))
    }

    /// Changes one object again and again; the time to the last report, half of them within.
    private func measure(
        _ workload: ObservingWorkload, _ engine: E, reports: Int,
        _ change: (Int) -> (id: Int, change: ResidentChange)
    ) throws {
        var times: [UInt64] = []
        var total: UInt64 = 0
        while times.count < 5 || total < UInt64(Self.seconds * 1e9) && times.count < Self.mostRuns {
            let (id, value) = change(times.count)
            let watch = Stopwatch()
            try engine.change([id], value)
            try engine.awaitReports(reports)
            times.append(watch.nanoseconds)
            total += times[times.count - 1]
        }
        times.sort()
        add(workload, Double(times[times.count / 2]) / 1000)
    }

    /// The same object for each two runs, one that no observed results have at first.
    private func scattered(_ run: Int) -> Int {
        var id = (run / 2 * 7919 + 13) % task.count
        while ResidentFacts(id).age == 33 || ResidentFacts(id).nameIndex < 1000 {
            id = (id + 1) % task.count
        }
        return id
    }

    private func measureMoves(_ engine: E) throws {
        guard isAsked(.moves) || isAsked(.movesDurable) else { return }
        try engine.observe(.age(33))
        for (workload, isDurable) in [(ObservingWorkload.moves, false), (.movesDurable, true)]
        where isAsked(workload) {
            try engine.setDurable(isDurable)
            try measure(workload, engine, reports: 1) { run in
                // 100 is no resident's age: each second change moves one in, the next one out.
                (scattered(run), .age(run.isMultiple(of: 2) ? 33 : 100))
            }
        }
        try engine.setDurable(false)
        engine.endObservations()
    }

    private func measureThousand(_ engine: E) throws {
        let rows: [ObservingWorkload] = [.alone, .aloneDurable, .thousandUntouched, .thousand]
        guard rows.contains(where: isAsked) else { return }
        for (workload, isDurable) in [(ObservingWorkload.alone, false), (.aloneDurable, true)]
        where isAsked(workload) {
            try engine.setDurable(isDurable)
            try measure(workload, engine, reports: 0) { (scattered($0), .points($0)) }
        }
        try engine.setDurable(false)
        for name in 0..<1000 { try engine.observe(.name(name)) }
        if isAsked(.thousandUntouched) {
            try measure(.thousandUntouched, engine, reports: 0) { (scattered($0), .points($0)) }
        }
        if isAsked(.thousand) {
            try engine.change([scattered(0)], .name(998))
            try engine.awaitReports(1)
            try measure(.thousand, engine, reports: 2) {
                (scattered(0), .name($0.isMultiple(of: 2) ? 999 : 998))
            }
        }
        engine.endObservations()
    }

    private func measureSorted(_ engine: E) throws {
        guard isAsked(.sorted) else { return }
        try engine.observe(.sortedByRank)
        try measure(.sorted, engine, reports: 1) { run in
            let id = scattered(run)
            return (id, .rank(ResidentFacts(id).rank + (run.isMultiple(of: 2) ? 0.001 : 0)))
        }
        engine.endObservations()
    }

    private func measureLinks(_ engine: E) throws {
        guard isAsked(.links) else { return }
        try engine.observe(.friendOfFriend(name: 17))
        // One to which two friendships lead from another.
        let id =
            (0..<task.count).lazy.compactMap { ResidentFacts($0).friendId }
            .compactMap { ResidentFacts($0).friendId }
            .first { $0 > task.count / 4 && ResidentFacts($0).nameIndex != 17 } ?? 0
        try measure(.links, engine, reports: 1) { (id, .name($0.isMultiple(of: 2) ? 17 : 18)) }
        engine.endObservations()
    }

    private func measureMany(_ engine: E) throws {
        if isAsked(.manyAgain) {
            var best = UInt64.max
            for _ in 0..<3 {
                let watch = Stopwatch()
                try require(try engine.readKeys() == task.count, "Not all objects were found.")
                best = Swift.min(best, watch.nanoseconds)
            }
            add(.manyAgain, Double(best) / 1e6)
        }
        // The first commit of so many changes finds less memory at hand than those after it.
        if isAsked(.manyUnobserved) || isAsked(.many) {
            try engine.change(Array(stride(from: 3, to: task.count, by: 10)), .points(999))
        }
        for (workload, reports) in [(ObservingWorkload.manyUnobserved, 0), (.many, 1)]
        where isAsked(workload) {
            if reports > 0 { try engine.observe(.all) }
            var times: [UInt64] = []
            for run in 0..<3 {
                let ids = Array(stride(from: run, to: task.count, by: 10))
                let watch = Stopwatch()
                try engine.change(ids, .points(1000 + run + reports))
                try engine.awaitReports(reports)
                times.append(watch.nanoseconds)
            }
            add(workload, Double(times.sorted()[1]) / 1e6)
        }
        engine.endObservations()
    }

    private func measureReads(_ engine: E) throws {
        let expected = (0..<task.count).reduce(0) { $0 + ResidentFacts($1).age }
        for (workload, threadCount) in [(ObservingWorkload.live, 1), (.frozen, 2)]
        where isAsked(workload) {
            var best = UInt64.max
            // On shared hosts each processor is slow at times, and both must be fast at once.
            for _ in 0..<9 {
                let watch = Stopwatch()
                let sums = try engine.sumAges(threadCount: threadCount)
                best = Swift.min(best, watch.nanoseconds)
                try require(sums.allSatisfy { $0 == expected }, "\(workload): wrong sum.")
            }
            add(workload, Double(task.count) * 1e9 / Double(best))
        }
    }

    private func measureMigration(_ engine: E) throws {
        guard isAsked(.migration) || isAsked(.migrationMemory) else { return }
        let before = try engine.prepareMigration()
        let watch = Stopwatch()
        let after = try engine.migrate()
        add(.migration, Double(task.count) * 1e9 / Double(watch.nanoseconds))
        if let before, let after {
            add(.migrationMemory, Double(after - before) / Double(task.count))
        }
    }
}
