import Testing

@testable import StoreFixtures
@testable import TravertineStore

/// A transaction that wrote batches before it was rolled back leaves dead parts in the log. A
/// checkpoint that was taken after them once carried the LSN of the commit before them: the store
/// could not be opened again, or lost the next commit.
@Suite struct SpilledTransactionTests {
    private struct Stop: Error {}

    private func rollBackLarge(_ store: Store) throws {
        let value = [UInt8](repeating: 7, count: 100_000)
        #expect(throws: Stop.self) {
            try store.write { transaction in
                for number in 0..<40 as Range<UInt64> {
                    try transaction.put(value, forKey: number)
                }
                throw Stop()
            }
        }
    }

    @Test("a store closed after a large rollback opens again, with all that was committed")
    func closeAfterRollback() throws {
        let machine = SimulatedMachine(seed: 11)
        let store = try Store.open(at: SimulatedMachine.path, options: machine.options())
        try store.write { try $0.put("1", forKey: "a") }
        try rollBackLarge(store)
        try store.close()
        let again = try Store.open(at: SimulatedMachine.path, options: machine.options())
        #expect(again.readsAsText("a") == "1")
        try again.write { try $0.put("2", forKey: "b") }
        try again.close()
        let last = try Store.open(at: SimulatedMachine.path, options: machine.options())
        #expect(last.readsAsText("a") == "1")
        #expect(last.readsAsText("b") == "2")
        #expect(try last.snapshot().count() == 2)
        try last.close()
    }

    @Test("a durable commit after a large rollback and a checkpoint survives a crash")
    func crashAfterCheckpoint() throws {
        let machine = SimulatedMachine(seed: 12)
        do {
            let store = try Store.open(at: SimulatedMachine.path, options: machine.options())
            try store.write { try $0.put("1", forKey: "a") }
            try rollBackLarge(store)
            try store.checkpoint()
            try store.write(durability: .commit) { try $0.put("2", forKey: "b") }
            // The machine stops first, so that the store can't tidy up when it goes.
            machine.crashAndRestart()
            withExtendedLifetime(store) {}
        }
        let again = try Store.open(at: SimulatedMachine.path, options: machine.options())
        #expect(again.readsAsText("a") == "1")
        #expect(again.readsAsText("b") == "2")
        try again.close()
    }

    @Test("a checkpoint inside a write transaction is refused instead of waiting for itself")
    func checkpointInside() throws {
        let machine = SimulatedMachine(seed: 13)
        let store = try Store.open(at: SimulatedMachine.path, options: machine.options())
        try store.write { transaction in
            try transaction.put("1", forKey: "a")
            #expect { try store.checkpoint() } throws: {
                ($0 as? StoreError)?.code == .misuse
            }
        }
        #expect(errorCode { try store.waitUntilDurable(1000) } == .misuse)
        try store.close()
    }

    @Test("a cursor whose key was deleted shows no other key's value")
    func displacedCursor() throws {
        let machine = SimulatedMachine(seed: 14)
        let store = try Store.open(at: SimulatedMachine.path, options: machine.options())
        try store.write { transaction in
            for name in ["a", "b", "c"] { try transaction.put(name, forKey: name) }
            let cursor = try transaction.cursor()
            try cursor.seek(to: "b")
            try transaction.delete("b")
            #expect(cursor.key == Array("b".utf8))
            for _ in 0..<2 { #expect(errorCode { _ = try cursor.value } == .misuse) }
            let hasNext = try cursor.next()
            #expect(hasNext)
            #expect(cursor.key == Array("c".utf8))
        }
        try store.close()
    }
}
