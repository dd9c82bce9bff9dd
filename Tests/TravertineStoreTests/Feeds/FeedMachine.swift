import StoreWorkload
import TravertineStore

@testable import StoreFixtures

extension SimulatedMachine {
    /// Small segments, and checkpoints so often that compaction removes what no feed keeps.
    var feedOptions: StoreOptions {
        var options = options(segmentByteCount: 16 << 10)
        options.checkpointInterval = 40_000
        return options
    }

    /// Opens the store, or makes it.
    func openForFeeds() throws -> Store {
        try Store.open(at: Self.path, options: feedOptions)
    }
}

extension Store {
    /// Writes each key of a range, one in each transaction.
    func fill(_ range: Range<Int>, _ text: String) throws {
        for number in range {
            try write { transaction in
                try transaction.put(
                    text + String(repeating: "x", count: 100), forKey: "key \(number)")
            }
        }
    }

    /// Overwrites everything so often that compaction would remove all that was.
    func overwrite(_ machine: SimulatedMachine) throws {
        for round in 0..<40 {
            try fill(0..<40, "round \(round) ")
            machine.executor.drain()
        }
        try compact()
    }
}
