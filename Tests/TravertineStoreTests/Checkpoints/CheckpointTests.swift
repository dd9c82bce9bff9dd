import Foundation
import SegmentLog
import SimulatedDisk
import TestSupport
import Testing

@testable import StoreFixtures
@testable import StoreMaintenance
@testable import TravertineStore

/// When checkpoints are written, what happens when they can't be, and what opening makes of them.
@Suite struct CheckpointTests {
    private let machine = SimulatedMachine(seed: 6)
    private let events = EventLog()

    private func open(interval: Int? = nil) throws -> Store {
        let events = events
        var options = machine.options()
        options.checkpointInterval = interval
        options.eventHandler = { events.add($0) }
        return try Store.open(at: SimulatedMachine.path, options: options)
    }

    private func put(_ value: String, _ key: String, _ store: Store) throws {
        try store.write { try $0.put(value, forKey: key) }
    }

    private var pageFiles: [String] {
        machine.disk.paths.filter { $0.hasSuffix(".pages") }
    }

    @Test("a checkpoint inside a transaction of the same thread is refused")
    func checkpointInsideATransaction() throws {
        let store = try open()
        try store.write { transaction in
            try transaction.put("v", forKey: "k")
            #expect { try store.checkpoint() } throws: { ($0 as? StoreError)?.code == .misuse }
        }
        try store.checkpoint()
        try store.close()
    }

    @Test("a checkpoint waits for the transaction in progress and has its changes")
    func checkpointBesideATransaction() throws {
        let directory = TemporaryDirectory()
        let path = directory.path("store")
        let store = try Store.open(at: path)
        let transaction = try store.beginWrite()
        try transaction.put("v", forKey: "k")
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            _ = capture { () throws(StoreError) in try store.checkpoint() }
            done.signal()
        }
        try transaction.commit(durability: Durability.unsynced)
        done.wait()
        let statistics = try store.statistics
        #expect(statistics.checkpointCount <= 1)
        if statistics.checkpointCount == 0 {
            Issue.record("the checkpoint failed: \(statistics.lastCheckpointFailure ?? "")")
        }
        try store.close()
    }

    @Test("checkpoints follow the log at the interval, in the background")
    func automaticCheckpoints() throws {
        let store = try open(interval: 1000)
        for number in 0..<100 as Range<UInt64> {
            try store.write { try $0.put([UInt8](repeating: 1, count: 100), forKey: number) }
            machine.executor.drain()
        }
        // 100 commits of about 200 bytes make one checkpoint each five commits or so.
        let statistics = try store.statistics
        #expect((10...25).contains(statistics.checkpointCount), "\(statistics.checkpointCount)")
        #expect(events.checkpointLSNs.count == statistics.checkpointCount)
        #expect(events.checkpointLSNs == events.checkpointLSNs.sorted())
        #expect(statistics.checkpointLSNs.count == 2)
        #expect(statistics.checkpointLSNs.first == events.checkpointLSNs.last)
        #expect(statistics.lastCheckpointByteCount > 4096)
        #expect(pageFiles.count == 2)
        machine.executor.removeAll()
    }

    @Test("opening after a crash replays what is after the newest checkpoint, and reports it")
    func openingReport() throws {
        let (checkpointLSN, lastLSN) = try liveUntilCrash()
        let again = try open()
        let report = again.openingReport
        #expect(report.source == .newestCheckpoint)
        #expect(again.openingSource == .newestCheckpoint)
        #expect(report.checkpointLSN == checkpointLSN)
        #expect(report.lastLSN == lastLSN)
        #expect(report.replayedTransactions == 7)
        #expect(report.replayedByteCount > 7 * 64)
        #expect(report.ignoredTail == nil)
        #expect(report.damagedCheckpoints.isEmpty)
        #expect(report.invalidDerivedKeyspaces.isEmpty)
        #expect(report.durationNanoseconds > 0)
        try #expect(again.statistics.opening == report)
        guard case .opened(let told)? = events.all.last else {
            Issue.record("no event reports the opening")
            return
        }
        #expect(told == report)
        try #expect(again.snapshot().count() == 12)
        try again.close()
    }

    /// Commits durably before and after a checkpoint; returns its LSN and the last one.
    private func liveUntilCrash() throws -> (checkpointLSN: UInt64, lastLSN: UInt64) {
        let store = try open()
        #expect(store.openingReport.source == .created)
        for number in 0..<5 { try put("a", "\(number)", store) }
        try store.checkpoint()
        let checkpointLSN = try store.statistics.checkpointLSNs[0]
        for number in 5..<12 { try put("b", "\(number)", store) }
        let lastLSN = try store.snapshot().lsn
        machine.crashAndRestart()
        return (checkpointLSN, lastLSN)
    }

    @Test("a damaged checkpoint is skipped, reported, and replaced at the next close")
    func fallBack() throws {
        let store = try open()
        try put("1", "a", store)
        try store.checkpoint()
        try put("2", "a", store)
        try store.close()
        let newest = try #require(pageFiles.last)
        machine.disk.corrupt(newest, at: 100)
        let second = try open()
        #expect(second.openingReport.source == .previousCheckpoint)
        #expect(second.openingReport.damagedCheckpoints.count == 1)
        #expect(second.openingReport.replayedTransactions == 1)
        #expect(second.readsAsText("a") == "2")
        try second.close()
        let third = try open()
        #expect(third.openingReport.source == .newestCheckpoint)
        #expect(third.openingReport.replayedTransactions == 0)
        try third.close()
        try #expect(
            StoreVerifier.verify(path: SimulatedMachine.path, environment: machine.environment)
                .worst == nil)
    }

    @Test("EIO at any call of a checkpoint is reported, harms nothing, and the next one succeeds")
    func failedCheckpoint() throws {
        let callCount = try checkpointWithFault(nil, thenCrash: false)
        var failureCount = 0
        for call in 0..<callCount {
            failureCount += try checkpointWithFault(call, thenCrash: call % 2 == 0)
        }
        // Only the removal of files that nobody needs may fail unnoticed.
        #expect(failureCount >= callCount - 4, "\(failureCount) of \(callCount) calls")
    }

    /// Writes a checkpoint while one call fails; returns 1 if it failed, or without a fault the
    /// number of calls that a checkpoint makes.
    private func checkpointWithFault(_ call: Int?, thenCrash: Bool) throws -> Int {
        let machine = SimulatedMachine(seed: 12)
        var result = 0
        do {
            let store = try Store.open(at: SimulatedMachine.path, options: machine.options())
            try put("1", "a", store)
            try store.checkpoint()
            try put("2", "a", store)
            machine.executor.drain()
            let before = try store.statistics
            let callsBefore = machine.disk.callCount
            if let call { machine.disk.setFault(.inputOutput, atCall: call) }
            do {
                try store.checkpoint()
                if call == nil { result = machine.disk.callCount - callsBefore }
            } catch {
                #expect(error.code == .io, "call \(call ?? 0)")
                result = 1
                let failed = try store.statistics
                #expect(failed.lastCheckpointFailure == error.description)
                #expect(failed.checkpointCount == before.checkpointCount)
                #expect(failed.checkpointLSNs == before.checkpointLSNs)
                #expect(!failed.isPoisoned)
            }
            if !thenCrash {
                try put("3", "a", store)
                try store.checkpoint()
                try #expect(store.statistics.lastCheckpointFailure == nil)
                try #expect(store.statistics.checkpointLSNs.first == 3)
            }
            machine.crashAndRestart()
        }
        let again = try Store.open(at: SimulatedMachine.path, options: machine.options())
        #expect(again.openingReport.source == .newestCheckpoint, "call \(call ?? 0)")
        #expect(again.readsAsText("a") == (thenCrash ? "2" : "3"), "call \(call ?? 0)")
        try again.close()
        return result
    }

    @Test("a background checkpoint that fails notifies the event handler and is tried again")
    func failedBackgroundCheckpoint() throws {
        let store = try open(interval: 500)
        func putOne(_ number: UInt64) throws {
            try store.write { try $0.put([UInt8](repeating: 1, count: 600), forKey: number) }
        }
        try putOne(0)
        machine.executor.drain()
        #expect(events.checkpointLSNs.count == 1)
        try putOne(1)
        // The commit is durable: what the executor does now is the checkpoint alone.
        for call in 0..<3 { machine.disk.setFault(.inputOutput, atCall: call) }
        machine.executor.drain()
        machine.disk.clearFaults()
        #expect(events.checkpointFailures.map(\.code) == [.io])
        let failure = try #require(events.checkpointFailures.first)
        #expect(try store.statistics.lastCheckpointFailure == failure.description)
        try putOne(2)
        machine.executor.drain()
        #expect(events.checkpointLSNs.count == 2)
        try #expect(store.statistics.lastCheckpointFailure == nil)
        try store.close()
    }

    @Test("a background checkpoint that could not begin is tried again")
    func checkpointThatCouldNotBegin() throws {
        let store = try open(interval: 500)
        func putOne(_ number: UInt64) throws {
            try store.write { try $0.put([UInt8](repeating: 1, count: 600), forKey: number) }
        }
        try putOne(0)
        // A pool runs the job on the thread of an open transaction: it can't wait there.
        let transaction = try store.beginWrite()
        machine.executor.drain()
        #expect(events.checkpointFailures.map(\.code) == [.misuse])
        transaction.rollback()
        try putOne(1)
        machine.executor.drain()
        #expect(events.checkpointLSNs.count == 1)
        try store.close()
    }

    @Test("page files that no manifest names are removed at opening")
    func orphans() throws {
        let store = try open()
        try put("1", "a", store)
        try store.close()
        let kept = pageFiles
        // A crash between the page file and the manifest leaves the next number.
        let orphan = SimulatedMachine.path + "/0000000009.pages"
        machine.disk.setContents(of: orphan, [1, 2, 3])
        let report = try StoreVerifier.verify(
            path: SimulatedMachine.path, environment: machine.environment)
        #expect(report.worst == .note)
        #expect(report.findings.first?.file == "0000000009.pages")
        let again = try open()
        #expect(pageFiles == kept)
        #expect(again.readsAsText("a") == "1")
        try again.close()
    }

    @Test("a crash at any call of a checkpoint leaves no page file for ever")
    func crashDuringCheckpoint() throws {
        var call = 0
        while let machine = try crash(duringCheckpointCall: call) {
            let again = try Store.open(at: SimulatedMachine.path, options: machine.options())
            #expect(again.readsAsText("a") == "2", "call \(call)")
            try again.checkpoint()
            try again.close()
            let names = machine.disk.paths.filter { $0.hasSuffix(".pages") }
            #expect(names.count <= 2, "call \(call): \(names)")
            try #expect(
                StoreVerifier.verify(
                    path: SimulatedMachine.path, environment: machine.environment
                ).isSound, "call \(call)")
            call += 1
        }
        #expect(call > 10)
    }

    /// The machine after a crash during a call of a checkpoint; nil if it makes fewer calls.
    private func crash(duringCheckpointCall call: Int) throws -> SimulatedMachine? {
        let machine = SimulatedMachine(seed: UInt64(call))
        let store = try Store.open(at: SimulatedMachine.path, options: machine.options())
        try put("1", "a", store)
        try store.checkpoint()
        try put("2", "a", store)
        machine.executor.drain()
        machine.disk.setFault(.crashDuring, atCall: call)
        _ = capture { () throws(StoreError) in try store.checkpoint() }
        guard machine.disk.hasCrashed else { return nil }
        machine.crashAndRestart()
        return machine
    }
}
