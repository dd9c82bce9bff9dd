import SegmentLog
import SimulatedDisk
import TestSupport
import Testing

@Suite("Crashes and faults at every call")
struct CrashTests {
    /// The calls that the workload of a seed makes without any fault.
    private static func callCount(seed: UInt64, steps: Int) throws -> Int {
        var simulation = LogSimulation(seed: seed)
        let log = try simulation.fixture.openLog().log
        let before = simulation.fixture.disk.callCount
        simulation.work(log, steps: steps)
        return simulation.fixture.disk.callCount - before
    }

    /// One run: a fault at call `call`, a restart, more work, a crash, a last look.
    private static func run(
        seed: UInt64, fault: DiskFault, call: Int, steps: Int, assumptions: DiskAssumptions
    ) -> String? {
        var simulation = LogSimulation(seed: seed, assumptions: assumptions)
        let log: SegmentLog
        do {
            log = try simulation.fixture.openLog().log
        } catch {
            return "a new log does not open: \(error)"
        }
        simulation.fixture.disk.setFault(fault, atCall: call)
        simulation.work(log, steps: steps)
        for life in 0..<3 {
            let isCrash = simulation.fixture.disk.hasCrashed || (life + call) % 3 != 0
            guard let log = simulation.recover(afterMachineCrash: isCrash) else { break }
            if life == 1, let next = faultWhileRecovering(&simulation, call: call) {
                simulation.work(next, steps: steps / 2)
                continue
            }
            simulation.work(log, steps: steps / 2)
        }
        return simulation.complaint.map { "\(fault) at call \(call), \($0)" }
    }

    /// Recovers once more with a fault on the way, and then without.
    private static func faultWhileRecovering(
        _ simulation: inout LogSimulation, call: Int
    ) -> SegmentLog? {
        simulation.fixture.disk.setFault(
            call % 2 == 0 ? .inputOutput : .crashBefore, atCall: call % 40)
        if let (log, replay, report) = try? simulation.fixture.openLog() {
            simulation.fixture.disk.clearFaults()
            simulation.check(replay, report)
            return log
        }
        return simulation.recover(afterMachineCrash: simulation.fixture.disk.hasCrashed)
    }

    @Test("a crash at any call loses nothing that was acknowledged", arguments: UInt64(0)..<6)
    func crashAtEveryCall(seed: UInt64) throws {
        let steps = 60
        let count = try Self.callCount(seed: seed, steps: steps)
        #expect(count > 50)
        for call in SampledNumbers(below: count, oneOf: 4) {
            let fault: DiskFault = (UInt64(call) + seed) % 2 == 0 ? .crashBefore : .crashDuring
            let complaint = Self.run(
                seed: seed, fault: fault, call: call, steps: steps,
                assumptions: DiskAssumptions())
            #expect(complaint == nil)
            if complaint != nil { return }
        }
    }

    @Test(
        "an error at any call is reported and loses nothing",
        arguments: [DiskFault.inputOutput, .noSpace, .interrupted, .short], UInt64(100)..<102)
    func errorAtEveryCall(fault: DiskFault, seed: UInt64) throws {
        let steps = 50
        let count = try Self.callCount(seed: seed, steps: steps)
        #expect(count > 20)
        for call in SampledNumbers(below: count, oneOf: 4) {
            let complaint = Self.run(
                seed: seed, fault: fault, call: call, steps: steps,
                assumptions: DiskAssumptions())
            #expect(complaint == nil)
            if complaint != nil { return }
        }
    }

    @Test(
        "many machines crash at random",
        arguments: SampledNumbers.some(8, of: UInt64(1000)..<1064))
    func randomCrashes(seed: UInt64) throws {
        var simulation = LogSimulation(seed: seed)
        var log = try simulation.fixture.openLog().log
        for _ in 0..<12 {
            simulation.work(log, steps: simulation.random.below(60))
            let isCrash = simulation.random.chance(75)
            guard let next = simulation.recover(afterMachineCrash: isCrash) else { break }
            log = next
        }
        #expect(simulation.complaint == nil)
    }

    @Test("an ordered directory is one of the disks that the log works on")
    func orderedDirectories() {
        var assumptions = DiskAssumptions()
        assumptions.directoryOperationsAreOrdered = true
        for seed in UInt64(2000)..<2010 {
            let complaint = Self.run(
                seed: seed, fault: .crashBefore, call: 60, steps: 60, assumptions: assumptions)
            #expect(complaint == nil)
        }
    }

    @Test("the simulator finds what breaks on a disk that endangers durable bytes")
    func brokenAssumptionIsFound() {
        // The log appends into the sector that its last durable bytes share. On a disk that can't
        // overwrite a sector safely it must fail; if it did not here, the simulator would be blind.
        var assumptions = DiskAssumptions()
        assumptions.overwriteKeepsDurableBytes = false
        let isFound = (UInt64(3000)..<3060).contains { seed in
            let complaint = Self.run(
                seed: seed, fault: .crashBefore, call: 80, steps: 80, assumptions: assumptions)
            return complaint != nil
        }
        #expect(isFound)
    }
}
