import Measurement

/// Loads residents and runs the queries on them, in one process for each engine.
struct QueryStageRun<E: QueryEngine> {
    private let task: ObjectTask
    private var samples: [Sample] = []
    private var facts: QueryFacts

    /// Seconds that a row is measured, at the least three runs and at most `mostRuns`.
    private static var seconds: Double { 1 }
    private static var mostRuns: Int { 200 }

    init(_ task: ObjectTask) {
        self.task = task
        facts = QueryFacts(count: task.count)
    }

    consuming func run() throws -> [Sample] {
        let engine = try E(directory: task.directory)
        for first in stride(from: 0, to: task.count, by: 10_000) {
            try engine.insert(first..<Swift.min(first + 10_000, task.count))
        }
        try engine.finishLoading()
        // What is measured is no reading from the disk.
        try expect(.yearRange, 0, try engine.run(.yearRange, 0))
        for query in QueryWorkload.allCases {
            for (moment, _) in query.targets where task.workloads.contains(query.row(moment)) {
                try measure(query, moment, engine)
            }
        }
        try engine.close()
        return samples
    }

    private mutating func measure(
        _ query: QueryWorkload, _ moment: QueryWorkload.Moment, _ engine: E
    ) throws {
        var times: [UInt64] = []
        var total: UInt64 = 0
        // A row that was not asked for may have been the one that ran first.
        var variant = moment == .first ? 0 : 1
        if moment == .changed { try expect(query, 0, try engine.run(query, 0)) }
        while times.count < 3 || total < UInt64(Self.seconds * 1e9) && times.count < Self.mostRuns {
            if moment == .changed {
                let id = (times.count * 7919 + 13) % task.count
                let age = (times.count * 37 + 5) % 100
                try engine.setAge(id, to: age)
                facts.setAge(id, to: age)
                variant = 0
            }
            let watch = Stopwatch()
            let result = try engine.run(query, variant)
            times.append(watch.nanoseconds)
            total += times[times.count - 1]
            if times.count < 4 || times.count % 16 == 0 { try expect(query, variant, result) }
            if moment == .first { break }
            variant += 1
        }
        times.sort()
        samples.append(
            Sample(
                workload: query.row(moment), engine: task.engine.rawValue,
                repetition: task.repetition, value: 1e9 / Double(times[times.count / 2])))
    }

    private func expect(_ query: QueryWorkload, _ variant: Int, _ found: Int) throws {
        let expected = facts.result(of: query, variant)
        // Engines add doubles up in another order.
        let most = query == .averageScore ? 2 : query == .groups ? 100 : 0
        try require(
            abs(found - expected) <= most,
            "\(task.engine.rawValue), \(query), \(variant): \(found) instead of \(expected).")
    }
}

/// What queries must give, computed from `ResidentFacts` alone.
struct QueryFacts {
    private let count: Int
    private var ages: [UInt8]
    private var points: [UInt16]
    private let names: [UInt16]
    private let years: [UInt16]

    init(count: Int) {
        self.count = count
        ages = (0..<count).map { UInt8(ResidentFacts($0).age) }
        points = (0..<count).map { UInt16(ResidentFacts($0).points) }
        names = (0..<count).map { UInt16(ResidentFacts($0).nameIndex) }
        years = (0..<count).map { UInt16(ResidentFacts($0).year) }
    }

    mutating func setAge(_ id: Int, to age: Int) {
        ages[id] = UInt8(age)
        points[id] = UInt16(age)
    }

    func result(of query: QueryWorkload, _ variant: Int) -> Int {
        let age = QueryConstants.age(variant)
        let name = variant * 7 % ResidentFacts.nameCount
        let range = QueryConstants.years(variant)
        switch query {
        case .count: return ages.count { $0 > age }
        case .sum: return points.reduce(0) { $0 + Int($1) }
        case .min: return Int(points.min() ?? 0)
        case .max: return Int(points.max() ?? 0)
        case .averageScore:
            return Int((0..<count).reduce(0) { $0 + ResidentFacts($1).score } / Double(count) * 1e9)
        case .findSome:
            let found = ages.filter { $0 > age }
            return stride(from: 0, to: found.count, by: 1000)
                .reduce(found.count) { $0 + Int(found[$1]) }
        case .findAges: return sum { ages[$0] > age }
        case .contains, .containsFolded:
            let part = ResidentFacts.namePart
            let holds = (0..<ResidentFacts.nameCount).map {
                let name = ResidentFacts.name($0)
                return query == .contains
                    ? name.contains(part) : name.lowercased().contains(part)
            }
            return names.count { holds[Int($0)] }
        case .name: return sum { names[$0] == name }
        case .yearRange: return sum { range.contains(Int(years[$0])) }
        case .namePrefix:
            let holds = (0..<ResidentFacts.nameCount).map {
                ResidentFacts.name($0).hasPrefix(ResidentFacts.namePrefix)
            }
            return sum { holds[Int(names[$0])] }
        case .keys:
            return Set(QueryConstants.keys(variant, of: count)).reduce(0) { $0 + Int(ages[$1]) }
        case .both:
            return sum {
                names[$0] == name && QueryConstants.manyYears.contains(Int(years[$0]))
            }
        case .either: return sum { names[$0] == name || years[$0] == range.lowerBound }
        case .lowestScores: return lowest { $0.score }
        case .lowestRanks: return lowest { $0.rank }
        case .sortedNames:
            let order = (0..<ResidentFacts.nameCount).sorted {
                ResidentFacts.name($0) < ResidentFacts.name($1)
            }
            var place = [Int](repeating: 0, count: order.count)
            for (position, index) in order.enumerated() { place[index] = position }
            let sign = variant.isMultiple(of: 2) ? 1 : -1
            let sorted = (0..<count).sorted {
                let (left, right) = (place[Int(names[$0])] * sign, place[Int(names[$1])] * sign)
                return left == right ? $0 < $1 : left < right
            }
            return stride(from: 0, to: count, by: 1000).reduce(0) { $0 + sorted[$1] }
        case .friendName:
            return sum { ResidentFacts($0).friendId.map { names[$0] == name } ?? false }
        case .anyFriend:
            return (0..<count).count { ResidentFacts($0).friendIds.contains { ages[$0] > 98 } }
        case .followers:
            var followers = [Int](repeating: 0, count: count)
            for id in 0..<count {
                if let friend = ResidentFacts(id).friendId { followers[friend] += 1 }
            }
            return followers.count { $0 > 3 }
        case .position: return Int(ages[count / 2])
        case .first: return Int(ages[0])
        case .isEmpty: return 0
        case .groups:
            var groups = [(count: Int, scores: Double)](repeating: (0, 0), count: 100)
            for id in 0..<count {
                groups[Int(ages[id])].count += 1
                groups[Int(ages[id])].scores += ResidentFacts(id).score
            }
            return groups.indices.filter { groups[$0].count > 0 }.reduce(0) {
                $0 + groups[$1].count * $1
                    + Int(groups[$1].scores / Double(groups[$1].count) * 1e6)
            }
        }
    }

    private func sum(_ holds: (Int) -> Bool) -> Int {
        (0..<count).reduce(0) { $0 + (holds($1) ? Int(ages[$1]) : 0) }
    }

    private func lowest(_ value: (ResidentFacts) -> Double) -> Int {
        (0..<count).map { (value(ResidentFacts($0)), $0) }.sorted { $0 < $1 }.prefix(100)
            .reduce(0) { $0 + $1.1 }
    }
}
