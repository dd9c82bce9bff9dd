import Measurement

extension ObjectStageRun {
    /// Workloads that look at single objects.
    mutating func readSome(_ engine: E) throws {
        if wants("get_by_key") { try readByKey(engine) }
        if wants("find_name") { try readByName(engine) }
        do {
            if wants("walk_links") { try walk(engine) }
            if wants("read_property") { try readProperty(engine) }
        } catch is NotApplicable {
            return
        }
    }

    private mutating func readByKey(_ engine: E) throws {
        let count = min(task.count, 200_000)
        var stream = RandomStream(seed: 1)
        var latencies = LatencyHistogram()
        var found = 0
        let watch = Stopwatch()
        for index in 0..<count {
            let id = Int(stream.next(below: UInt64(task.count)))
            if index & 15 == 0 {
                let get = Stopwatch()
                found += try engine.ageAndNameLength(id) ?? 0
                latencies.record(get.nanoseconds)
            } else {
                found += try engine.ageAndNameLength(id) ?? 0
            }
        }
        note("get_by_key", Double(count) / watch.seconds, latencies: latencies)
        stream = RandomStream(seed: 1)
        var expected = 0
        for _ in 0..<count {
            let facts = PersonFacts(Int(stream.next(below: UInt64(task.count))))
            expected += facts.age + facts.name.utf8.count
        }
        try expect("get_by_key", found, expected)
    }

    private mutating func readByName(_ engine: E) throws {
        let names = (0..<1000).map { PersonFacts.name($0 * 7 % PersonFacts.nameCount) }
        _ = try engine.findNamed(names[0])
        var latencies = LatencyHistogram()
        var found = 0
        let watch = Stopwatch()
        for name in names {
            let query = Stopwatch()
            found += try engine.findNamed(name)
            latencies.record(query.nanoseconds)
        }
        note("find_name", Double(names.count) / watch.seconds, latencies: latencies)
        let indices = Set((0..<1000).map { $0 * 7 % PersonFacts.nameCount })
        var expected = 0
        for id in 0..<task.count where indices.contains(PersonFacts(id).nameIndex) {
            expected += PersonFacts(id).age
        }
        try expect("find_name", found, expected)
    }

    private mutating func walk(_ engine: E) throws {
        let walkCount = min(task.count, 20_000)
        var stream = RandomStream(seed: 2)
        var hops = 0
        var ages = 0
        let watch = Stopwatch()
        for _ in 0..<walkCount {
            let start = Int(stream.next(below: UInt64(task.count)))
            let result = try engine.walk(from: start, hopCount: 100)
            hops += result.hops
            ages += result.ages
        }
        note("walk_links", Double(hops) / watch.seconds)
        stream = RandomStream(seed: 2)
        var expected = 0
        for _ in 0..<walkCount {
            var next: Int? = Int(stream.next(below: UInt64(task.count)))
            while let id = next {
                expected += PersonFacts(id).age
                next = PersonFacts(id).friendId
            }
        }
        try expect("walk_links", ages, expected)
    }

    func wants(_ workload: String) -> Bool { task.workloads.contains(workload) }

    /// One Int of one object, again and again; the compiler must read it each time.
    private mutating func readProperty(_ engine: E) throws {
        let count = 10_000_000
        let id = task.count / 2
        _ = try engine.readAge(id, count: 1000)
        let watch = Stopwatch()
        let sum = try engine.readAge(id, count: count)
        note("read_property", watch.seconds * 1e9 / Double(count))
        try expect("read_property", sum, PersonFacts(id).age * count)
    }

    /// Numbers of a tenth of all objects. The steps are primes that do not divide the count, so
    /// that no object comes twice.
    private func tenth(step: Int) -> [Int] {
        (0..<max(1, task.count / 10)).map { ($0 * step + 3) % task.count }
    }

    /// The age of a person after the updates that were done.
    private func currentAge(_ id: Int) -> Int {
        updated.contains(id) ? 100 + id % 50 : PersonFacts(id).age
    }

    /// Changes every object that is left in one transaction, and checks the result.
    mutating func updateAll(_ engine: E) throws {
        guard wants("update_all") else { return }
        let before = try engine.read { try engine.iterateAges() }
        let count = wants("delete") ? task.count - tenth(step: 15_485_863).count : task.count
        let watch = Stopwatch()
        try engine.growOlder(by: 1)
        try engine.sync()
        note("update_all", Double(count) / watch.seconds)
        try expect("update_all", try engine.read { try engine.iterateAges() }, before + count)
        // What comes next looks for the ages of `PersonFacts`.
        try engine.growOlder(by: -1)
    }

    /// Deletes a tenth of all objects in one transaction, and checks ages and links of the rest.
    mutating func delete(_ engine: E) throws {
        guard wants("delete") else { return }
        let ids = tenth(step: 15_485_863)
        let watch = Stopwatch()
        try engine.delete(ids)
        try engine.sync()
        note("delete", Double(ids.count) / watch.seconds)
        let deleted = Set(ids)
        var ages = 0
        var friends = 0
        for id in 0..<task.count where !deleted.contains(id) {
            ages += currentAge(id)
            if let friend = PersonFacts(id).friendId, !deleted.contains(friend) {
                friends += currentAge(friend)
            }
        }
        try engine.read {
            try expect("delete", try engine.iterateAges(), ages)
            do {
                try expect("delete", try engine.followAll(), friends)
            } catch is NotApplicable {
                return
            }
        }
    }

    /// Changes a tenth of all objects in one transaction, and another one, and checks the results.
    mutating func update(_ engine: E) throws {
        try update(engine, "update", step: Self.updateStep) { try engine.setAges($0) }
        try update(engine, "update_together", step: Self.togetherStep) {
            try engine.setAgesTogether($0)
        }
    }

    private static var updateStep: Int { 7_368_787 }
    private static var togetherStep: Int { 12_582_917 }

    private mutating func update(
        _ engine: E, _ workload: String, step: Int, _ set: ([Int]) throws -> Void
    ) throws {
        guard wants(workload) else { return }
        // Changes of the schema look at person 0 afterwards.
        let ids = tenth(step: step).filter { $0 != 0 }
        let watch = Stopwatch()
        try set(ids)
        try engine.sync()
        note(workload, Double(ids.count) / watch.seconds)
        updated.formUnion(ids)
        var expected = 0
        for id in 0..<task.count { expected += currentAge(id) }
        try expect(workload, try engine.read { try engine.iterateAges() }, expected)
    }
}
