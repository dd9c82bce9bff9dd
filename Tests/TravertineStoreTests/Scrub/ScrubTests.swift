import Locks
import SegmentLog
import SimulatedDisk
import Testing

@testable import StoreFixtures
@testable import StoreMaintenance
@testable import TravertineStore

/// Verification of sealed files in the background (S1 to S4): it reads everything, slowly, reports
/// what is damaged, and changes nothing.
@Suite struct ScrubTests {
    /// What the event handler was notified of.
    private final class Events: Sendable {
        private let state = Locked<(damage: [StoreError], passes: [ScrubReport])>(([], []))
        /// Done once, at the first event.
        let reaction = Locked<(@Sendable () -> Void)?>(nil)
        func note(_ event: StoreEvent) {
            let react = reaction.withLock { reaction in
                defer { reaction = nil }
                return reaction
            }
            react?()
            state.withLock { state in
                switch event {
                case .scrubFoundDamage(let error): state.damage.append(error)
                case .scrubbed(let report): state.passes.append(report)
                default: break
                }
            }
        }
        var damage: [StoreError] { state.withLock { $0.damage } }
        var passes: [ScrubReport] { state.withLock { $0.passes } }
    }

    private let fixture = CompactionFixture(seed: 21)
    private let events = Events()
    private var machine: SimulatedMachine { fixture.machine }

    private func open(rate: Int = 1 << 20) throws -> Store {
        let executor = machine.executor
        return try fixture.open { options in
            var scrub = ScrubOptions()
            scrub.bytesPerSecond = rate
            options.scrub = scrub
            options.eventHandler = { [events] in events.note($0) }
            options.environment.calendarSeconds = { 1_000_000 + executor.now / 1_000_000_000 }
        }
    }

    /// A store with a dozen sealed segments and a checkpoint.
    private func prepare() throws -> CompactionModel {
        let store = try open()
        store.pauseCompaction()
        var model = CompactionModel()
        for number in 0..<250 { try model.put(number, 1, store) }
        try store.close()
        return model
    }

    /// Lets time pass, and runs what comes due.
    private func live(seconds: UInt64) {
        for _ in 0..<seconds * 10 {
            machine.executor.advance(byNanoseconds: 100_000_000)
            while machine.executor.runNext() {}
        }
    }

    /// Lets time pass until a pass more is complete; false if none is within ten minutes.
    private func liveThroughPass() -> Bool {
        let count = events.passes.count
        for _ in 0..<600 {
            if events.passes.count > count { return true }
            live(seconds: 1)
        }
        return false
    }

    private func segmentNames() -> [String] {
        machine.files.map(\.name).filter { $0.hasSuffix(".segment") }.sorted()
    }

    @Test("a pass reads every sealed segment and page file, and is remembered by the next opening")
    func wholePass() throws {
        _ = try prepare()
        let store = try open()
        #expect(try store.statistics.scrub.lastPassEnd == nil)
        #expect(liveThroughPass())
        let report = try #require(events.passes.first)
        let found = try store.statistics
        let sealed = found.segments.filter { !$0.isActive }
        #expect(sealed.count >= 9)
        #expect(report.findings == [])
        #expect(report.fileCount >= sealed.count)
        let written = sealed.reduce(0) { $0 + $1.writtenByteCount - SegmentHeader.byteCount }
        #expect(report.byteCount >= UInt64(written))
        let end = try #require(found.scrub.lastPassEnd)
        #expect(end >= 1_000_000)
        #expect(found.scrub.verifiedByteCount == report.byteCount)
        try store.close()
        let again = try open()
        #expect(try again.statistics.scrub.lastPassEnd == end)
        #expect(try again.statistics.scrub.lastPassByteCount == report.byteCount)
        // The next pass is a week away.
        live(seconds: 100)
        #expect(try again.statistics.scrub.verifiedByteCount == 0)
        try again.close()
        let verified = try StoreVerifier.verify(
            path: SimulatedMachine.path, environment: machine.environment)
        #expect(verified.isSound, "\(verified.findings)")
    }

    @Test("a damaged byte in a segment is reported with its place, and nothing is changed")
    func damagedSegment() throws {
        let model = try prepare()
        let name = segmentNames()[2]
        let path = SimulatedMachine.path + "/" + name
        let store = try open()
        machine.disk.corrupt(path, at: 3000)
        let before = machine.disk.contents(of: path)
        #expect(liveThroughPass())
        let error = try #require(events.damage.first)
        #expect(events.damage.count == 1)
        #expect(error.code == .damaged)
        #expect(error.file == path)
        #expect(try #require(error.offset) <= 3000)
        let number = try #require(SegmentNumber(fileName: name)).rawValue
        let segment = try #require(store.statistics.segments.first { $0.number == number })
        #expect((segment.firstLSN...segment.lastLSN).contains(try #require(error.lsn)))
        let statistics = try store.statistics.scrub
        #expect(statistics.lastPassFindingCount == 1)
        #expect(statistics.findings == [error.description])
        #expect(machine.disk.contents(of: path) == before)
        // The others were read all the same, and writing goes on.
        #expect(try #require(events.passes.first).fileCount >= segmentNames().count - 3)
        try store.write { try $0.put([1], forKey: "another") }
        #expect(try store.snapshot().count() == model.rounds.count + 1)
        try store.close()
    }

    @Test("a damaged index page is reported with its place")
    func damagedPage() throws {
        _ = try prepare()
        let store = try open()
        let path = try #require(
            machine.disk.paths.filter { $0.hasSuffix(".pages") }.max())
        machine.disk.corrupt(path, at: 4096 + 100)
        let report = try store.scrub()
        #expect(report.findings.count == 1)
        #expect(events.damage.first?.file == path)
        #expect(events.damage.first?.offset == 4096)
        try store.close()
    }

    @Test("a file that can't be read is reported, and the pass goes on")
    func unreadableFile() throws {
        _ = try prepare()
        let store = try open()
        #expect(try !store.statistics.segments.isEmpty)
        machine.disk.setFault(.inputOutput, atCall: 4)
        let report = try store.scrub()
        machine.disk.clearFaults()
        #expect(report.findings.count == 1)
        #expect(report.fileCount >= 9)
        #expect(try store.scrub().findings == [])
        // What the second pass did not find again is forgotten by the third.
        try store.scrub()
        #expect(try store.statistics.scrub.findings == [])
        try store.close()
    }

    @Test("it reads no faster than it may, and not at all while it is paused")
    func rateAndPause() throws {
        _ = try prepare()
        let store = try open(rate: 4096)
        func verified() throws -> UInt64 { try store.statistics.scrub.verifiedByteCount }
        live(seconds: 29)
        #expect(try verified() == 0)
        live(seconds: 11)
        let first = try verified()
        #expect(first > 0)
        // A step ends with the segment, so that it takes up to one segment at once.
        #expect(first <= 4096 * 11 + UInt64(CompactionFixture.segmentByteCount))
        store.pauseScrub()
        live(seconds: 60)
        #expect(try verified() == first)
        #expect(try store.statistics.scrub.isPaused)
        store.resumeScrub()
        live(seconds: 10)
        #expect(try verified() > first)
        #expect(try store.statistics.scrub.verifiedFileCount > 0)
        try store.close()
    }

    @Test("a pass that closing interrupts goes on where it was in the next opening")
    func resumedPass() throws {
        _ = try prepare()
        let store = try open(rate: 4096)
        live(seconds: 40)
        let first = try store.statistics.scrub
        #expect(first.verifiedFileCount >= 2)
        try store.close()
        let again = try open()
        #expect(liveThroughPass())
        let report = try #require(events.passes.first)
        let count = segmentNames().count
        #expect(report.fileCount <= count + 2 - first.verifiedFileCount)
        try again.close()
    }

    @Test("a store that is closed leaves no job that waits for the next step")
    func closedStoreLeavesNoJob() throws {
        let store = try open()
        #expect(machine.executor.jobCount > 0)
        try store.close()
        store.resumeScrub()
        #expect(machine.executor.jobCount == 0)
    }

    @Test("what a pass found before closing interrupted it counts when the next opening ends it")
    func resumedFindings() throws {
        _ = try prepare()
        let whole = try open()
        #expect(liveThroughPass())
        let byteCount = try whole.statistics.scrub.lastPassByteCount
        try whole.close()
        machine.disk.lose(SimulatedMachine.path + "/scrub")
        machine.disk.corrupt(SimulatedMachine.path + "/" + segmentNames()[0], at: 3000)
        let store = try open(rate: 4096)
        live(seconds: 40)
        #expect(try store.statistics.scrub.verifiedFileCount >= 2)
        #expect(try store.statistics.scrub.findings.count == 1)
        try store.close()
        let again = try open()
        #expect(liveThroughPass())
        #expect(try #require(events.passes.last).findings == [])
        let found = try again.statistics.scrub
        #expect(found.lastPassFindingCount == 1)
        #expect(found.lastPassByteCount <= byteCount)
        let damaged = UInt64(CompactionFixture.segmentByteCount)
        #expect(found.lastPassByteCount + damaged >= byteCount)
        // The next pass counts anew.
        try again.scrub()
        #expect(try again.statistics.scrub.lastPassFindingCount == 1)
        try again.close()
    }

    @Test("the descriptor of the older checkpoint is verified too")
    func damagedDescriptor() throws {
        _ = try prepare()
        let store = try open()
        store.pauseCompaction()
        for number in 0..<3 {
            try store.write { try $0.put([UInt8(number)], forKey: "key \(number)") }
            try store.checkpoint()
        }
        #expect(try store.scrub().findings == [])
        let older = try #require(store.checkpoints.manifest.checkpoints.last?.file)
        let path = SimulatedMachine.path + "/" + StoreFiles.pageFile(older)
        let size = try #require(machine.disk.contents(of: path)).count
        machine.disk.corrupt(path, at: size - 1)
        #expect(try store.scrub().findings.count == 1)
        #expect(events.damage.first?.file == path)
        machine.disk.corrupt(path, at: size - 1)
        machine.disk.corrupt(path, at: 5000)
        #expect(try store.scrub().findings.count == 1)
        try store.close()
    }

    @Test("the event handler may verify, and may not close the store")
    func insideHandler() throws {
        _ = try prepare()
        let store = try open()
        machine.disk.corrupt(SimulatedMachine.path + "/" + segmentNames()[2], at: 3000)
        let inner = Locked<ScrubReport?>(nil)
        events.reaction.withLock { reaction in
            reaction = { inner.withLock { $0 = try? store.scrub() } }
        }
        #expect(try store.scrub().findings.count == 1)
        #expect(inner.withLock { $0?.findings.count } == 1)
        let closing = Locked<StoreError?>(nil)
        events.reaction.withLock { reaction in
            reaction = {
                let closed = capture { () throws(StoreError) in try store.close() }
                if case .failure(let error) = closed { closing.withLock { $0 = error } }
            }
        }
        #expect(try store.scrub().findings.count == 1)
        #expect(closing.withLock { $0?.code } == .misuse)
        events.reaction.withLock { $0 = nil }
        try store.close()
    }

    @Test("files that wait to be removed are known to verification before they go")
    func waitingIsShared() throws {
        _ = try prepare()
        let store = try open()
        store.pauseCompaction()
        for number in 0..<2 {
            try store.write { try $0.put([UInt8(number)], forKey: "another") }
            try store.checkpoint()
        }
        try store.log.loadOlderSegments()
        let older = try #require(store.checkpoints.manifest.checkpoints.last?.lsn)
        let sealed = store.log.sealedSegments.filter { $0.lastLSN < older }
        #expect(sealed.count >= 2)
        let pass = CompactionPass(Array(sealed.prefix(2)), now: 1)
        var seen = 0
        while !pass.isDone {
            try pass.step(store)
            let shared = store.compaction.shared.withLock { $0.waiting.map(\.number) }
            #expect(shared == store.compaction.waiting.map(\.number))
            seen = max(seen, shared.count)
        }
        #expect(seen == 2)
        try store.close()
    }

    @Test("segments that compaction removes during a pass are no finding")
    func besideCompaction() throws {
        var model = try prepare()
        let store = try open(rate: 4096)
        live(seconds: 32)
        for number in 0..<250 { try model.put(number, 2, store) }
        try store.compact()
        #expect(liveThroughPass())
        #expect(events.damage == [])
        try model.check(store)
        try store.close()
    }

    @Test("a damaged record of earlier passes is forgotten, and disturbs nobody")
    func damagedRecord() throws {
        _ = try prepare()
        let store = try open()
        #expect(liveThroughPass())
        try store.close()
        let path = SimulatedMachine.path + "/scrub"
        let size = try #require(machine.disk.contents(of: path)).count
        #expect(size == ScrubRecord.byteCount)
        for offset in 0..<size {
            machine.disk.corrupt(path, at: offset)
            let again = try open()
            #expect(try again.statistics.scrub.lastPassEnd == nil, "offset \(offset)")
            try again.scrub()
            #expect(try again.statistics.scrub.lastPassEnd != nil)
            #expect(try again.statistics.scrub.lastPassFindingCount == 0)
            try again.close()
        }
        // A longer file is never whole, and is made anew.
        machine.disk.setContents(of: path, (machine.disk.contents(of: path) ?? []) + [0])
        for round in 0..<2 {
            let again = try open()
            #expect(try (again.statistics.scrub.lastPassEnd == nil) == (round == 0))
            try again.scrub()
            try again.close()
        }
        #expect(machine.disk.contents(of: path)?.count == size)
    }
}
