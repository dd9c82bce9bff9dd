import SegmentLog
import SimulatedDisk
import TestSupport
import Testing

@testable import StoreFixtures
@testable import StoreMaintenance
@testable import TravertineStore

/// Crashes and errors in the middle of a backup, on the simulated disk.
@Suite("Interrupted backups")
struct BackupCrashTests {
    private static let target = "/backup"

    private struct Life {
        let machine: SimulatedMachine
        var expected: [[UInt8]: [UInt8]] = [:]

        init(seed: Int, sharing: SimulatedDisk.Sharing) {
            machine = SimulatedMachine(seed: UInt64(seed))
            machine.disk.sharing = sharing
        }

        func open() throws -> Store {
            try Store.open(
                at: SimulatedMachine.path, options: machine.options(segmentByteCount: 4096))
        }

        mutating func write(_ store: Store, round: Int) throws {
            for number in 0..<6 {
                let key = Array("key \((round * 5 + number) % 17)".utf8)
                let value = [UInt8](repeating: UInt8(round), count: 300 + number * 40)
                try store.write { try $0.put(value, forKey: key) }
                expected[key] = value
            }
        }
    }

    /// What the backup holds; nil if there is none. A linked file may have a failed batch at its
    /// end.
    private func restored(
        _ machine: SimulatedMachine, _ place: String, allowsTail: Bool = false
    ) throws -> [[UInt8]: [UInt8]]? {
        let environment = machine.environment
        let verified = capture { () throws(StoreError) in
            try StoreBackup.verify(path: Self.target, environment: environment)
        }
        if case .failure(let error) = verified, [.notAStore, .notFound].contains(error.code) {
            return nil
        }
        let findings = try verified.get().findings
        #expect(findings.isEmpty, "\(place): \(findings)")
        let copy = "/copy"
        try StoreBackup.restore(
            from: Self.target, to: copy, options: BackupOptions(method: .link),
            environment: machine.environment)
        let store = try Store.open(at: copy, options: machine.options(segmentByteCount: 4096))
        #expect(allowsTail || store.openingReport.ignoredTail == nil, "\(place)")
        let found = try store.records()
        try store.close()
        for path in machine.disk.paths where path.hasPrefix(copy + "/") {
            try machine.fileSystem.remove(path)
        }
        return found
    }

    @Test(
        "a crash at any call of a backup leaves the earlier one, or the new one, and the store",
        arguments: [SimulatedDisk.Sharing.none, .links, .clones])
    func everyCall(sharing: SimulatedDisk.Sharing) throws {
        for fault in [DiskFault.crashBefore, .crashDuring, .inputOutput, .noSpace] {
            // Six lives in a row differ in what came before; the longest decides.
            var behindCount = 0
            var last = 0
            for call in SampledNumbers(oneOf: 5) {
                let isBehindEnd = try interrupt(sharing, fault, atCall: call)
                behindCount = isBehindEnd ? behindCount + 1 : 0
                last = call
                if behindCount == 6 { break }
            }
            #expect(last > 35, "the faults reach the backup")
        }
    }

    /// How the life before the crash ended.
    private struct Outcome {
        /// What the backup before the interrupted one holds; nil if there was none.
        var earlier: [[UInt8]: [UInt8]]?
        var isDone = false
        var isBehindEnd = false
    }

    /// Two rounds of writing, each followed by a backup, the second one with a fault; then a crash.
    private func live(
        _ life: inout Life, _ fault: DiskFault, atCall call: Int
    ) throws -> Outcome {
        let disk = life.machine.disk
        var outcome = Outcome()
        let store = try life.open()
        try life.write(store, round: 1)
        // Half of the lives have no earlier backup.
        if call % 2 == 0 {
            try store.backup(to: Self.target)
            outcome.earlier = life.expected
        }
        try life.write(store, round: 2)
        if call % 3 == 0 { try store.checkpoint() }
        disk.setFault(fault, atCall: call)
        let start = disk.callCount
        let backup = capture { () throws(StoreError) in try store.backup(to: Self.target) }
        if case .success = backup { outcome.isDone = true }
        outcome.isBehindEnd = disk.callCount - start <= call
        disk.clearFaults()
        life.machine.crashAndRestart()
        return outcome
    }

    // The backup sealed the segment and linked it; the next sync then found a file with two names,
    // and its unused end was never given back.
    @Test("the unused end of a segment is given back before a backup links it, and not afterwards")
    func linkedTail() throws {
        let machine = SimulatedMachine(seed: 3)
        machine.disk.sharing = .links
        let options = machine.options(segmentByteCount: 1 << 20)
        let store = try Store.open(at: SimulatedMachine.path, options: options)
        try store.write { try $0.put("first", forKey: "key") }
        // Everything is durable: nothing else syncs the segment once it is sealed.
        var start = machine.disk.callCount
        try store.backup(to: Self.target)
        var calls = machine.calls(since: start)
        let punch = try #require(calls.firstIndex { $0.hasPrefix("punchHole") })
        let link = try #require(calls.firstIndex { $0.hasPrefix("link ") })
        #expect(punch < link)
        start = machine.disk.callCount
        try store.write { try $0.put("second", forKey: "key") }
        calls = machine.calls(since: start)
        #expect(calls.contains { $0.hasPrefix("sync") })
        #expect(!calls.contains { $0.contains("punchHole") }, "\(calls)")
        let segment = try #require(store.statistics.segments.first)
        #expect(segment.allocatedByteCount <= 4096)
        try store.close()
    }

    @Test("a backup after a failed write is restored whole", arguments: [false, true])
    func failedWrite(hasData: Bool) throws {
        var failureCount = 0
        for call in 1..<8 {
            var life = Life(seed: call, sharing: .links)
            let store = try life.open()
            if hasData { try life.write(store, round: 1) }
            try store.backup(to: Self.target)
            life.machine.disk.setFault(.noSpace, atCall: call)
            let key = Array("failed".utf8)
            let value = [UInt8](repeating: 9, count: 200)
            let wasWritten = (try? store.write { try $0.put(value, forKey: key) }) != nil
            life.machine.disk.clearFaults()
            if !wasWritten { failureCount += 1 }
            if wasWritten { life.expected[key] = value }
            for _ in 0..<2 {
                let backup = capture { () throws(StoreError) in try store.backup(to: Self.target) }
                if case .failure(let error) = backup {
                    #expect([.commitOutcomeUnknown, .poisoned].contains(error.code), "\(error)")
                    break
                }
                let found = try restored(life.machine, "call \(call)", allowsTail: true)
                #expect(found == life.expected, "call \(call)")
                _ = try? life.write(store, round: 2)
            }
            _ = try? store.close()
        }
        #expect(failureCount > 0)
    }

    /// True if the call was after the end of the backup.
    private func interrupt(
        _ sharing: SimulatedDisk.Sharing, _ fault: DiskFault, atCall call: Int
    ) throws -> Bool {
        let place = "\(sharing), \(fault) at call \(call)"
        var life = Life(seed: call, sharing: sharing)
        let outcome = try live(&life, fault, atCall: call)
        let expected = life.expected
        let machine = life.machine
        let found = try restored(machine, place)
        let isAllowed = found == expected || !outcome.isDone && found == outcome.earlier
        #expect(isAllowed, "\(place)")
        let reopened = try life.open()
        let kept = try reopened.records()
        #expect(kept == expected, "\(place)")
        // The next backup makes good what was left.
        try reopened.backup(to: Self.target)
        let next = try restored(machine, place)
        #expect(next == expected, "\(place)")
        let left = machine.disk.paths.filter { $0.hasSuffix(".part") || $0.hasSuffix("unfinished") }
        #expect(left.isEmpty, "\(place): \(left)")
        try reopened.close()
        return outcome.isBehindEnd
    }
}
