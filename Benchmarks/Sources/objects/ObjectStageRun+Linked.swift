import Measurement

extension ObjectStageRun {
    /// Deletes a tenth as many tasks as there are persons, with all their links: at once, and one
    /// at a time.
    mutating func deleteLinked() throws {
        let count = max(1, task.count / 10)
        let engine = try E(directory: task.directory, isDurable: false)
        for workload in ["delete_all", "delete_all_singly"] where wants(workload) {
            try engine.insertLinked(count)
            try engine.sync()
            let stored = try engine.countLinked()
            try expect(workload, stored.tasks, count)
            try expect(workload, stored.links, count * LinkedFacts.linkCount)
            let watch = Stopwatch()
            if workload == "delete_all" {
                try engine.deleteAllLinked()
            } else {
                try engine.deleteLinked(0..<count)
            }
            try engine.sync()
            note(workload, Double(count) / watch.seconds)
            let left = try engine.countLinked()
            try expect(workload, left.tasks + left.links, 0)
        }
        try engine.close()
    }
}

/// What is stored of a task, made from its number.
struct LinkedFacts {
    /// The links in a task's list.
    static let linkCount = 5

    let id: Int

    var title: String { "Task \(id)" }
    var size: Int { id % 1000 }
    /// The task that it follows.
    var earlierId: Int? { id == 0 ? nil : id * 7919 % id }

    /// The tasks that it needs: each has a hundred that many need, and others.
    func neededId(_ position: Int, of count: Int) -> Int {
        position == 0 ? id % min(count, 100) : id * (2 * position + 1) * 613 % count
    }
}
