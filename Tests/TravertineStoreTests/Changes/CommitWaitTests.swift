import Dispatch
import Foundation
import Locks
import SegmentLog
import SimulatedDisk
import Synchronization
import TestSupport
import Testing

@testable import StoreFixtures
@testable import TravertineStore

/// Waiting for commits.
@Suite struct CommitWaitTests {
    private let directory = TemporaryDirectory()
    private var path: String { directory.path("store") }
    /// Longer than any test takes.
    private let long = Duration.seconds(60)

    private func put(_ key: UInt64, _ store: Store, _ durability: Durability = .unsynced) throws {
        try store.write(durability: durability) { try $0.put("v", forKey: key) }
    }

    @Test("a wait for what is there already returns at once, and one for nothing when time is over")
    func atOnce() throws {
        let store = try Store.open(at: path)
        #expect(try !store.waitForCommit(after: 0, timeout: .zero))
        try put(1, store)
        #expect(try store.waitForCommit(after: 0, timeout: .zero))
        let lsn = try store.snapshot().lsn
        #expect(try !store.waitForCommit(after: lsn, timeout: .milliseconds(1)))
        try store.close()
    }

    @Test("threads and tasks that wait are woken by the next commit of any level")
    func wakes() async throws {
        let store = try Store.open(at: path)
        for durability in [Durability.unsynced, .commit, .interval(milliseconds: 1)] {
            let lsn = try store.snapshot().lsn
            try await withThrowingTaskGroup(of: UInt64.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        try await store.waitForCommit(after: lsn)
                        return try store.snapshot().lsn
                    }
                }
                let thread = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    let seen = capture { () throws(StoreError) in
                        try store.waitForCommit(after: lsn)
                    }
                    if case .success(true) = seen { thread.signal() }
                }
                // Some are asleep by now, others are not: both must come back.
                for _ in 0..<20 { await Task.yield() }
                try put(1, store, durability)
                for try await seen in group { #expect(seen > lsn) }
                #expect(thread.wait(timeout: .now() + 60) == .success)
            }
        }
        try store.close()
    }

    // A compaction has its own LSNs, and a later snapshot shows them.
    @Test("compaction and checkpoints end no wait, and call no subscriber")
    func maintenance() throws {
        var options = StoreOptions()
        options.segmentByteCount = 64 << 10
        options.indexMemoryBudget = 0
        let store = try Store.open(at: path, options: options)
        for round in 0..<4 as Range<UInt64> {
            for key in 0..<500 as Range<UInt64> {
                try store.write(durability: .unsynced) {
                    try $0.put([UInt8](repeating: UInt8(round), count: 200), forKey: key)
                }
            }
        }
        let lsn = try store.snapshot().lsn
        let calls = Atomic<Int>(0)
        let subscription = store.commitSignal.subscribe { calls.add(1, ordering: .relaxed) }
        #expect(try store.compact().movedRecordCount > 0)
        try store.checkpoint()
        #expect(try store.snapshot().lsn > lsn)
        #expect(try !store.waitForCommit(after: lsn, timeout: .zero))
        #expect(calls.load(ordering: .relaxed) == 0)
        try put(1, store)
        #expect(try store.waitForCommit(after: lsn, timeout: .zero))
        #expect(calls.load(ordering: .relaxed) == 1)
        subscription.cancel()
        try put(2, store)
        #expect(calls.load(ordering: .relaxed) == 1)
        try store.close()
    }

    @Test("a durable commit is announced after its sync, with no lock held")
    func durableCommits() throws {
        let machine = SimulatedMachine(seed: 71)
        let store = try Store.open(at: SimulatedMachine.path, options: machine.options())
        try put(1, store, .commit)
        let events = Locked<[String]>([])
        machine.disk.setObserver { name in
            if name.hasPrefix("sync ") && name.hasSuffix(".segment") {
                events.withLock { $0.append("sync") }
            }
        }
        let lsn = try store.snapshot().lsn
        let subscription = store.commitSignal.subscribe {
            // What a subscriber must not do, and what would stop here with a lock held.
            let found = capture { () throws(StoreError) in
                try store.beginWrite().rollback()
                return try store.snapshot().lsn
            }
            events.withLock { $0.append("\((try? found.get()) == lsn + 1)") }
        }
        try put(2, store, .commit)
        machine.disk.setObserver(nil)
        #expect(events.withLock { $0 } == ["sync", "true"])
        subscription.cancel()
        try store.close()
    }

    @Test("waits end with an error when the store is closed, and when a sync fails")
    func endsOfStores() async throws {
        var poisonedCount = 0
        for call in 0..<8 {
            let machine = SimulatedMachine(seed: 72)
            let store = try Store.open(at: SimulatedMachine.path, options: machine.options())
            try put(1, store, .commit)
            let wait = Task { try await store.waitForCommit(after: 99) }
            for _ in 0..<20 { await Task.yield() }
            machine.disk.setFault(.inputOutput, atCall: call)
            _ = errorCode { try put(2, store, .commit) }
            machine.disk.clearFaults()
            let isPoisoned = store.log.isPoisoned
            if isPoisoned { poisonedCount += 1 }
            if !isPoisoned { try store.close() }
            await #expect("call \(call)") {
                try await wait.value
            } throws: {
                ($0 as? StoreError)?.code == (isPoisoned ? .poisoned : .closed)
            }
            _ = capture { () throws(StoreError) in try store.close() }
        }
        #expect(poisonedCount > 0)
    }

    @Test("a task that is cancelled stops to wait")
    func cancelling() async throws {
        let store = try Store.open(at: path)
        for _ in 0..<50 {
            let task = Task { try await store.waitForCommit(after: 99) }
            if Bool.random() { await Task.yield() }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        try store.close()
    }

    @Test("a wait inside a write transaction, which would be for itself, is refused")
    func insideATransaction() throws {
        let store = try Store.open(at: path)
        try store.write { transaction in
            try transaction.put("v", forKey: "k")
            #expect(errorCode { try store.waitForCommit(after: 0) } == .misuse)
        }
        try store.close()
    }

    @Test("a reader is woken by what its writer makes durable, and then shows it")
    func readers() async throws {
        let store = try Store.open(at: path)
        try put(0, store, .commit)
        let reader = try StoreReader.open(at: path)
        for key in 1...20 as ClosedRange<UInt64> {
            let lsn = reader.lsn
            #expect(try !reader.waitForCommit(after: lsn, timeout: .zero))
            if key % 2 == 0 {
                async let wait: Void = reader.waitForCommit(after: lsn)
                await Task.yield()
                try put(key, store, .commit)
                try await wait
            } else {
                let done = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    // Without a look once a second: only the watch of the file ends the wait.
                    let seen = capture { () throws(StoreError) in
                        try reader.waitForCommit(after: lsn, timeout: .seconds(60), pause: nil)
                    }
                    if case .success(true) = seen { done.signal() }
                }
                try put(key, store, .commit)
                #expect(done.wait(timeout: .now() + 60) == .success)
            }
            #expect(try reader.refresh())
            #expect(try reader.snapshot().contains(key))
        }
        reader.close()
        #expect(errorCode { try reader.waitForCommit(after: 0) } == .closed)
        try store.close()
    }

    @Test("a reader is woken by a writer in another process")
    func otherProcess() throws {
        let seed = UInt64.random(in: 0..<1 << 32)
        let writer = try RunningProgram(
            BuiltProgram.url("store-crash-writer"), [path, "\(seed)"])
        _ = writer.readLine()
        let reader = try StoreReader.open(at: path)
        for _ in 0..<10 {
            let lsn = reader.lsn
            while reader.lsn == lsn {
                _ = writer.readLine()
                try #require(try reader.waitForCommit(after: lsn, timeout: long), "seed \(seed)")
                try reader.refresh()
            }
        }
    }
}
