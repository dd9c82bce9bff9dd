import Locks
import SegmentLog
import SimulatedDisk
import StoreWorkload
import TestSupport
import Testing

@testable import StoreFixtures
@testable import StoreMaintenance
@testable import TravertineStore

/// Every call to the disk goes wrong once, in a fixed short life of a store: open, write,
/// checkpoint, write, close.
@Suite struct FaultTests {
    /// How a life went.
    private struct Life {
        let machine: SimulatedMachine
        let seed: UInt64
        let workload: Workload
        var store: Store?
        /// The newest transaction whose commit was attempted, was visible, was durable.
        var attempted: UInt64 = 0
        var visible: UInt64 = 0
        var durable: UInt64 = 0
        /// Errors that calls of the store threw, in order.
        var errors: [StoreError] = []
        var eventCodes: [StoreError.Code] = []

        init(seed: UInt64) {
            self.seed = seed
            machine = SimulatedMachine(seed: seed)
            workload = Workload(seed: seed, keyCount: 20, valueByteCountMax: 200)
        }

        /// Opens the store, writes and closes, to the end or to the first error.
        mutating func live() {
            do {
                var options = machine.options(segmentByteCount: 16 << 10)
                options.createIfMissing = true
                let store = try Store.open(at: SimulatedMachine.path, options: options)
                self.store = store
                for _ in 0..<4 { try write(store) }
                try store.checkpoint()
                for _ in 0..<4 { try write(store) }
                try store.sync()
                durable = visible
                try store.close()
            } catch let error as StoreError {
                errors.append(error)
            } catch {
                Issue.record("an error without a type: \(error); seed \(seed)")
            }
        }

        private mutating func write(_ store: Store) throws {
            attempted += 1
            let isDurable = attempted % 2 == 0
            try store.write(durability: isDurable ? .commit : Durability.unsynced) {
                try workload.apply(attempted, to: $0)
            }
            visible = attempted
            if isDurable { durable = attempted }
            machine.executor.drain()
        }

        /// Whether the open store still shows what was published.
        func checkReads() throws -> String? {
            guard let store else { return nil }
            if store.closing.load(ordering: .relaxed) { return nil }
            let snapshot = try store.snapshot()
            let number = try Workload.counter(in: snapshot)
            if number < durable || number > attempted { return "shows transaction \(number)" }
            var model = WorkloadModel(workload)
            model.advance(to: number)
            return try Workload.difference(of: snapshot, in: store, from: model)
        }

        /// Opens the store again on a disk that works: a prefix that has all that was durable.
        mutating func checkReopened() throws -> String? {
            store = nil
            let store = try Store.open(at: SimulatedMachine.path, options: machine.options())
            self.store = store
            defer { self.store = nil }
            let number = try Workload.counter(in: store.snapshot())
            if number < durable { return "\(durable) was durable, only \(number) are there" }
            if number > attempted { return "\(number) are there, \(attempted) were attempted" }
            if let difference = try checkReads() { return difference }
            try write(store)
            try store.close()
            let report = try StoreVerifier.verify(
                path: SimulatedMachine.path, environment: machine.environment)
            return report.isSound ? nil : "fsck finds \(report.findings)"
        }
    }

    /// The number of calls that a whole life makes.
    private func callCount(seed: UInt64) -> Int {
        var life = Life(seed: seed)
        life.live()
        #expect(life.errors.isEmpty, "a life without faults: \(life.errors)")
        return life.machine.disk.callCount
    }

    private static let ioCodes: Set<StoreError.Code> = [
        .io, .commitOutcomeUnknown, .poisoned, .damaged, .closed,
    ]

    @Test("EIO at any call is a typed error; reads go on, and nothing durable is lost")
    func inputOutputError() throws {
        let seed = UInt64.random(in: 0..<1 << 32)
        for call in SampledNumbers(below: callCount(seed: seed), oneOf: 3) {
            var life = Life(seed: seed)
            life.machine.disk.setFault(.inputOutput, atCall: call)
            life.live()
            let place = "call \(call), seed \(seed), \(life.errors)"
            #expect(life.errors.allSatisfy { Self.ioCodes.contains($0.code) }, "\(place)")
            try #expect(life.checkReads() == nil, "\(place)")
            // The process ends; what a failed sync left in the cache may be gone with the machine.
            if call % 2 == 0 { life.machine.crashAndRestart() }
            try #expect(life.checkReopened() == nil, "\(place)")
        }
    }

    @Test("a disk that is full from any call on is a typed error, and nothing durable is lost")
    func noSpace() throws {
        let seed = UInt64.random(in: 0..<1 << 32)
        let codes = Self.ioCodes.union([.diskFull])
        for call in SampledNumbers(below: callCount(seed: seed), oneOf: 3) {
            var life = Life(seed: seed)
            for number in call..<call + 300 {
                life.machine.disk.setFault(.noSpace, atCall: number)
            }
            life.live()
            life.machine.disk.clearFaults()
            let place = "call \(call), seed \(seed), \(life.errors)"
            #expect(life.errors.allSatisfy { codes.contains($0.code) }, "\(place)")
            try #expect(life.checkReads() == nil, "\(place)")
            if call % 2 == 0 { life.machine.crashAndRestart() }
            try #expect(life.checkReopened() == nil, "\(place)")
        }
    }

    @Test("a crash before or during any call leaves a prefix with everything durable")
    func crash() throws {
        let seed = UInt64.random(in: 0..<1 << 32)
        for fault in [DiskFault.crashBefore, .crashDuring] {
            for call in SampledNumbers(below: callCount(seed: seed), oneOf: 3) {
                var life = Life(seed: seed)
                life.machine.disk.setFault(fault, atCall: call)
                life.live()
                let place = "\(fault) call \(call), seed \(seed), \(life.errors)"
                life.machine.crashAndRestart()
                try #expect(life.checkReopened() == nil, "\(place)")
            }
        }
    }

    @Test("interrupted and short calls are nothing that anybody notices")
    func interruptedAndShort() throws {
        let seed = UInt64.random(in: 0..<1 << 32)
        for fault in [DiskFault.interrupted, .short] {
            for call in SampledNumbers(below: callCount(seed: seed), oneOf: 3) {
                var life = Life(seed: seed)
                life.machine.disk.setFault(fault, atCall: call)
                life.live()
                #expect(life.errors.isEmpty, "\(fault) call \(call), seed \(seed)")
            }
        }
    }

    @Test("after a failed sync the outcome is unknown, writes are refused, and no sync is repeated")
    func failedSync() throws {
        let seed = UInt64.random(in: 0..<1 << 32)
        let machine = SimulatedMachine(seed: seed)
        let events = EventLog()
        var options = machine.options()
        options.eventHandler = { events.add($0) }
        let store = try Store.open(at: SimulatedMachine.path, options: options)
        for _ in 0..<3 { try store.write { try $0.put("1", forKey: "a") } }
        machine.executor.drain()
        // From now on each of these commits makes the same calls: a write and a sync.
        let before = machine.disk.callCount
        try store.write { try $0.put("2", forKey: "a") }
        let calls = machine.calls(since: before)
        let sync = try #require(calls.lastIndex { $0.hasPrefix("sync ") }, "\(calls)")
        machine.disk.setFault(.inputOutput, atCall: sync)
        let failing = machine.disk.callCount
        #expect { try store.write { try $0.put("3", forKey: "a") } } throws: {
            ($0 as? StoreError)?.code == .commitOutcomeUnknown
                && ($0 as? StoreError)?.lsn != nil
        }
        let file = try #require(machine.calls(since: failing).last { $0.hasPrefix("sync ") })
        let failed = machine.disk.callCount
        for _ in 0..<2 {
            #expect { try store.write { try $0.put("4", forKey: "a") } } throws: {
                ($0 as? StoreError)?.code == .poisoned
            }
        }
        #expect(errorCode { try store.sync() } == .commitOutcomeUnknown)
        #expect(errorCode { try store.checkpoint() } == .commitOutcomeUnknown)
        #expect(store.readsAsText("a") == "2", "the published state stays")
        try #expect(store.statistics.isPoisoned)
        #expect(events.poisonedCount == 1)
        #expect(errorCode { try store.close() } == .commitOutcomeUnknown)
        #expect(machine.disk.callCount - failed <= 20, "the trace is too short for this test")
        #expect(!machine.calls(since: failed).contains(file), "a failed sync was repeated")
        // Opening shows it: the commit is there or it is not, and writes work again.
        machine.crashAndRestart()
        let again = try Store.open(at: SimulatedMachine.path, options: machine.options())
        #expect(["2", "3"].contains(again.readsAsText("a")), "seed \(seed)")
        try again.write { try $0.put("5", forKey: "a") }
        try again.close()
    }

    @Test("commits built on one whose sync fails are not seen")
    func failedSyncWithSuccessors() throws {
        let machine = SimulatedMachine(seed: 3)
        let store = try Store.open(at: SimulatedMachine.path, options: machine.options())
        try store.write { try $0.put("1", forKey: "a") }
        try store.write(durability: Durability.unsynced) { try $0.put("2", forKey: "a") }
        machine.executor.drain()
        let before = try store.snapshot()
        for call in 0..<40 { machine.disk.setFault(.inputOutput, atCall: call) }
        #expect(errorCode { try store.sync() } == .commitOutcomeUnknown)
        #expect(errorCode { try store.waitUntilDurable(before.lsn) } == .commitOutcomeUnknown)
        machine.disk.clearFaults()
        // Level none was published at its commit, and stays so although it may not survive.
        #expect(store.readsAsText("a") == "2")
        #expect(errorCode { try store.close() } == .commitOutcomeUnknown)
    }
}

/// The events of a store, in order.
final class EventLog: Sendable {
    private let events = Locked<[StoreEvent]>([])

    func add(_ event: StoreEvent) { events.withLock { $0.append(event) } }

    var all: [StoreEvent] { events.withLock { $0 } }

    var poisonedCount: Int {
        all.count { if case .poisoned = $0 { true } else { false } }
    }

    var checkpointFailures: [StoreError] {
        all.compactMap { if case .checkpointFailed(let error) = $0 { error } else { nil } }
    }

    var checkpointLSNs: [UInt64] {
        all.compactMap { if case .checkpointWritten(let lsn, _) = $0 { lsn } else { nil } }
    }
}
