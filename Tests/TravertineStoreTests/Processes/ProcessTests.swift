import Dispatch
import Foundation
import StoreWorkload
import Synchronization
import TestSupport
import Testing

@testable import StoreFixtures
@testable import StoreMaintenance
@testable import TravertineStore

/// What the store refuses and survives between processes: `fork`, a second process, and a
/// limit on descriptors.
@Suite struct ProcessTests {
    /// Starts the program that writes to a store for ever.
    private func startWriter(_ arguments: String...) throws -> RunningProgram {
        try RunningProgram(BuiltProgram.url("store-crash-writer"), arguments)
    }

    @Test("a second process learns which one holds the store, and gets it when that one has ended")
    func secondProcess() throws {
        let directory = TemporaryDirectory()
        let path = directory.path("store")
        do {
            let child = try startWriter(path, "1")
            #expect(child.readLine() == "1")
            for _ in 0..<2 {
                #expect { try Store.open(at: path) } throws: { error in
                    guard let error = error as? StoreError else { return false }
                    let holder = "process \(child.identifier) "
                    return error.code == .locked && error.message.contains(holder)
                        && error.message.contains("store-crash-writer")
                }
            }
            #expect { try StoreVerifier.verify(path: path) } throws: {
                ($0 as? StoreError)?.code == .locked
            }
            #expect(child.isRunning)
        }
        // The text in the lock file still names the dead process; the lock itself is gone with it.
        let store = try Store.open(at: path)
        try #expect(Workload.counter(in: store.snapshot()) >= 1)
        try store.close()
    }

    @Test("a child of fork is refused every use of the store, and harms nothing by ending")
    func fork() async throws {
        await #expect(processExitsWith: .success) {
            let directory = TemporaryDirectory()
            let path = directory.path("store")
            let store = try Store.open(at: path)
            try store.write { try $0.put("before", forKey: "k") }
            let transaction = try store.beginWrite()
            try transaction.put("open at the fork", forKey: "k")
            let child = forkProcess()
            if child == 0 { _exit(forkedChildProblem(store, transaction)) }
            var status: Int32 = 0
            waitpid(child, &status, 0)
            try #require(status == 0, "check \(status >> 8) of the child failed")
            // The parent has noticed nothing, and its transaction goes on.
            #expect(store.readsAsText("k") == "before")
            try transaction.commit()
            #expect(store.readsAsText("k") == "open at the fork")
            try store.write { try $0.put("after", forKey: "k") }
            #expect { try Store.open(at: path) } throws: {
                ($0 as? StoreError)?.code == .locked
            }
            try store.close()
            let again = try Store.open(at: path)
            #expect(again.readsAsText("k") == "after")
            try again.close()
        }
    }

    @Test("a child of fork is refused its parent's reader, and moves no pin of it")
    func forkedReader() async throws {
        await #expect(processExitsWith: .success) {
            let directory = TemporaryDirectory()
            let path = directory.path("store")
            // Written by another process: in this one nothing but the reader counts forks.
            let writer = forkProcess()
            if writer == 0 { _exit(writesTwice(path) ? 0 : 1) }
            var status: Int32 = 0
            waitpid(writer, &status, 0)
            try #require(status == 0)
            let reader = try StoreReader.open(at: path)
            let child = forkProcess()
            if child == 0 {
                func isRefused(_ body: () throws -> Void) -> Bool {
                    do {
                        try body()
                        return false
                    } catch {
                        return (error as? StoreError)?.code == .forked
                    }
                }
                let isMoved = !isRefused { _ = try reader.refresh() }
                let isRead = !isRefused { _ = try reader.snapshot() }
                reader.close()
                _exit(isMoved || isRead ? 1 : 0)
            }
            waitpid(child, &status, 0)
            try #require(status == 0, "the child used the reader")
            let store = try Store.open(at: path)
            #expect(store.externalPins() == [reader.lsn])
            try store.close()
            reader.close()
        }
    }

    @Test("a child of fork does not wait for a refresh that another thread was in")
    func forkedDuringRefresh() async throws {
        await #expect(processExitsWith: .success) {
            let directory = TemporaryDirectory()
            let path = directory.path("store")
            let store = try Store.open(at: path)
            try store.write { try $0.put("v", forKey: "k") }
            let reader = try StoreReader.open(at: path)
            let isEnded = Atomic<Bool>(false)
            let hasEnded = DispatchSemaphore(value: 0)
            let hasBegun = DispatchSemaphore(value: 0)
            DispatchQueue(label: "refreshing").async {
                _ = try? reader.refresh()
                hasBegun.signal()
                while !isEnded.load(ordering: .relaxed) { _ = try? reader.refresh() }
                hasEnded.signal()
            }
            hasBegun.wait()
            for _ in 0..<30 {
                let child = forkProcess()
                if child == 0 {
                    // Ends a child that waits.
                    alarm(30)
                    let isRefused: Bool
                    do throws(StoreError) {
                        try reader.refresh()
                        isRefused = false
                    } catch {
                        isRefused = error.code == .forked
                    }
                    let isShown = (try? reader.snapshot()) != nil
                    let lsn = reader.lsn
                    let hasStore = reader.currentStore != nil
                    reader.close()
                    _exit(isRefused && !isShown && lsn == 0 && !hasStore ? 0 : 1)
                }
                var status: Int32 = 0
                waitpid(child, &status, 0)
                try #require(status == 0, "a child waited, or used the reader")
            }
            isEnded.store(true, ordering: .relaxed)
            hasEnded.wait()
            reader.close()
            try store.close()
        }
    }

    @Test("a store that is closed can be opened again while a forked child lives")
    func forkedChildLives() async throws {
        await #expect(processExitsWith: .success) {
            let directory = TemporaryDirectory()
            let path = directory.path("store")
            let store = try Store.open(at: path)
            try store.write { try $0.put("before", forKey: "k") }
            let reader = try StoreReader.open(at: path)
            // The child has copies of every descriptor until its standard input ends.
            var ends: [Int32] = [0, 0]
            try #require(pipe(&ends) == 0)
            let child = forkProcess()
            if child == 0 {
                close(ends[1])
                var byte: UInt8 = 0
                _exit(read(ends[0], &byte, 1) == 0 ? 0 : 1)
            }
            try reader.close()
            try #require(store.externalPins().isEmpty)
            try store.close()
            let again = try Store.open(at: path)
            #expect(again.readsAsText("k") == "before")
            try again.close()
            var status: Int32 = 0
            try #require(waitpid(child, &status, WNOHANG) == 0, "the child has ended already")
            close(ends[1])
            waitpid(child, &status, 0)
            #expect(status == 0)
        }
    }

    @Test("a store of many segments and checkpoints works with forty descriptors")
    func fewDescriptors() async throws {
        await #expect(processExitsWith: .success) {
            let directory = TemporaryDirectory()
            let path = directory.path("store")
            try #require(limitDescriptors(to: 40))
            var options = StoreOptions()
            options.segmentByteCount = 1 << 20
            options.checkpointInterval = 3 << 20
            let value = [UInt8](repeating: 3, count: 100_000)
            let count: UInt64 = 800
            for readMode in [ReadMode.mapped, .verified] {
                options.readMode = readMode
                let store = try Store.open(at: path, options: options)
                for key in 0..<count {
                    try store.write(durability: key % 50 == 0 ? .commit : Durability.unsynced) {
                        try $0.put(value, forKey: key)
                    }
                    // Besides those in the background, which nobody waits for.
                    if key % 100 == 99 { try store.checkpoint() }
                }
                // Every segment is read, and many snapshots are open.
                let snapshots = try (0..<100).map { _ in try store.snapshot() }
                for key in 0..<count {
                    try #require(snapshots[0].get(key)?.count == value.count)
                }
                try #require(store.statistics.segments.count >= 80)
                try #require(store.statistics.checkpointCount > 5)
                try store.close()
            }
            let report = try StoreVerifier.verify(path: path)
            try #require(report.isSound)
        }
    }
}

/// `fork`, which Swift does not import everywhere: right for a test that only calls the store in
/// the child and ends at once.
@_silgen_name("fork")
private func forkProcess() -> Int32

/// The number of the first check that fails in a forked child, or 0.
private func forkedChildProblem(_ store: Store, _ transaction: WriteTransaction) -> Int32 {
    func isRefused(_ body: () throws -> Void) -> Bool {
        do {
            try body()
            return false
        } catch {
            return (error as? StoreError)?.code == .forked
        }
    }
    let calls: [() throws -> Void] = [
        { _ = try store.snapshot() }, { _ = try store.beginWrite() }, { _ = try store.get("k") },
        { try store.write { try $0.put("child", forKey: "k") } }, { try store.sync() },
        // A part of a large transaction is written before the commit: over the parent's log.
        { try transaction.put([UInt8](repeating: 1, count: 3 << 20), forKey: "child") },
        { try transaction.commit() },
        { try store.checkpoint() }, { _ = try store.statistics },
        { _ = try store.keyspace(named: "x") },
    ]
    for (place, call) in calls.enumerated() where !isRefused(call) { return Int32(place + 1) }
    do {
        // Closing in the child does nothing at all.
        try store.close()
    } catch {
        return 100
    }
    return 0
}

private func writesTwice(_ path: String) -> Bool {
    do {
        let store = try Store.open(at: path)
        try store.write { try $0.put("1", forKey: "k") }
        try store.write { try $0.put("2", forKey: "k") }
        try store.close()
        return true
    } catch {
        return false
    }
}
