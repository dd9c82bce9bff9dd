import Locks
import SegmentLog
import SimulatedDisk
import Testing

@testable import StoreFixtures
@testable import TravertineStore

/// What others see before a commit is durable, and what goes on when descriptors run out.
@Suite struct VisibilityTests {
    private let machine = SimulatedMachine(seed: 51)

    private func open() throws -> Store {
        try Store.open(at: SimulatedMachine.path, options: machine.options())
    }

    @Test("a keyspace is seen when its commit is, and not before")
    func keyspaceNames() throws {
        let store = try open()
        try store.write { _ = try $0.keyspace(named: "old") }
        let early = Locked<[[String]]>([])
        machine.disk.setObserver { name in
            guard name.hasPrefix("sync ") else { return }
            early.withLock { $0.append(store.keyspaces.map(\.name)) }
        }
        try store.write { transaction in
            _ = try transaction.keyspace(named: "new")
            try transaction.dropKeyspace(transaction.keyspace(named: "old"))
        }
        machine.disk.setObserver(nil)
        #expect(early.withLock { !$0.isEmpty && $0.allSatisfy { $0 == ["default", "old"] } })
        #expect(store.keyspaces.map(\.name) == ["default", "new"])
        try store.close()
    }

    @Test("a keyspace of a commit whose sync failed is never seen")
    func failedSync() throws {
        for call in 0..<8 {
            let machine = SimulatedMachine(seed: 52)
            let store = try Store.open(at: SimulatedMachine.path, options: machine.options())
            try store.write { try $0.put("v", forKey: "k") }
            machine.disk.setFault(.inputOutput, atCall: call)
            let written = capture { () throws(StoreError) in
                let transaction = try store.beginWrite()
                _ = try transaction.keyspace(named: "new")
                try transaction.commit()
            }
            machine.disk.clearFaults()
            var isKept = false
            if case .success = written { isKept = true }
            #expect(try (store.keyspace(named: "new") != nil) == isKept, "call \(call)")
            _ = capture { () throws(StoreError) in try store.close() }
        }
    }

    @Test("transactions build on keyspaces that are not seen yet")
    func unseenKeyspace() throws {
        let store = try open()
        let next = Locked<[Keyspace?]>([])
        machine.disk.setObserver { name in
            guard name.hasPrefix("sync "), name.hasSuffix(".segment") else { return }
            // The gate is free: the next transaction begins while this commit waits for its sync.
            let found = capture { () throws(StoreError) in
                let transaction = try store.beginWrite()
                defer { transaction.rollback() }
                return try transaction.keyspace(named: "new")
            }
            next.withLock { $0.append(try? found.get()) }
        }
        let made = try store.write { try $0.keyspace(named: "new") }
        machine.disk.setObserver(nil)
        #expect(next.withLock { !$0.isEmpty && $0.allSatisfy { $0 == made } })
        #expect(store.keyspaces.map(\.name) == ["default", "new"])
        try store.close()
    }

    // A directory that could not be opened counted as one that could not be synced: no file was
    // removed any more, or no write taken, for the life of the process.
    @Test("running out of descriptors poisons nothing, and forbids no removal")
    func noDescriptors() throws {
        for spare in 0..<8 {
            let machine = SimulatedMachine(seed: 53)
            var options = machine.options(segmentByteCount: 4096)
            options.checkpointInterval = 3000
            let store = try Store.open(at: SimulatedMachine.path, options: options)
            let value = [UInt8](repeating: 7, count: 700)
            var expected: Set<UInt64> = []
            for key in 0..<60 as Range<UInt64> {
                let isShort = key >= 20 && key < 40
                machine.disk.setOpenFileLimit(isShort ? machine.disk.openFiles + spare : .max)
                let written = capture { () throws(StoreError) in
                    let transaction = try store.beginWrite()
                    defer { transaction.rollback() }
                    try transaction.put(value, forKey: key)
                    try transaction.commit()
                }
                if case .success = written { expected.insert(key) }
                if case .failure(let error) = written {
                    let isLack = error.code == .tooManyOpenFiles
                    #expect(isShort && isLack, "\(spare) to spare: \(error)")
                }
                if key % 5 == 0 { _ = capture { () throws(StoreError) in try store.checkpoint() } }
                machine.executor.drain()
            }
            #expect(!store.log.isPoisoned, "\(spare) to spare")
            #expect(!store.checkpoints.removalIsForbidden, "\(spare) to spare")
            try store.checkpoint()
            try store.close()
            let again = try Store.open(at: SimulatedMachine.path, options: options)
            #expect(try again.snapshot().count() == expected.count)
            try again.close()
        }
    }

    @Test("writers go on while the headers of older segments are read")
    func olderSegmentsWithoutTheGate() throws {
        var store = try open()
        for round in 0..<3 as Range<UInt64> {
            try store.write { try $0.put([UInt8](repeating: 1, count: 40_000), forKey: round) }
            try store.checkpoint()
            try store.close()
            store = try open()
        }
        #expect(store.log.segments.count == 1)
        let reads = Locked<(free: Int, held: Int)>((0, 0))
        let gate = store.gate
        machine.disk.setObserver { name in
            guard name.hasPrefix("open "), name.hasSuffix(".segment") else { return }
            let isFree = capture { () throws(StoreError) in try gate.checkNotInside() }
            reads.withLock { reads in
                if case .success = isFree { reads.free += 1 } else { reads.held += 1 }
            }
        }
        try store.loadOlderSegments()
        machine.disk.setObserver(nil)
        #expect(reads.withLock { $0.free } >= 2)
        #expect(reads.withLock { $0.held } == 0)
        #expect(store.log.segments.count > 2)
        #expect(store.log.olderSegments == nil)
        try store.close()
    }
}
