import Locks
import SegmentLog
import Synchronization

/// What verification in the background remembers between its steps.
final class ScrubState: @unchecked Sendable {
    /// Held during each step.
    let stepping = Locked<Void>()
    // Guarded by `stepping`.
    var pass: ScrubPass?
    var record: ScrubRecord?

    /// What other threads ask for.
    struct Shared {
        var isPaused = false
        var isScheduled = false
        /// Whether the store is closed: no step is asked for any more.
        var isEnded = false
        /// Runs the next step. A job that waits for its time would stay in memory after the store.
        var timer: ExecutorTimer?
        var record: ScrubRecord?
        var fileCount = 0
        var verifiedFileCount = 0
        var verifiedByteCount: UInt64 = 0
        var findings: [String] = []
        /// How many of `findings` are of earlier passes.
        var oldFindingCount = 0
    }

    let shared = Locked(Shared())
}

/// Verification of sealed files while the store is in use (4.15).
extension Store {
    /// Bytes that are read at a time.
    static let scrubStepByteCount = 256 << 10
    /// How long after opening the first step waits: short-lived processes verify nothing.
    static let scrubDelayNanoseconds: UInt64 = 30_000_000_000
    private static let scrubWaitMax: UInt64 = 3600

    /// Verifies every sealed segment and page file now, as fast as they can be read; returns when
    /// that is done.
    ///
    /// The store does the same by itself, slowly (`StoreOptions.scrub`). Nothing is changed or
    /// repaired; what is found is also reported to the event handler and shown by `statistics`.
    /// Reads and writes go on at the same time.
    ///
    /// - Throws: `.closed`, `.misuse` inside a write transaction of the same thread.
    @discardableResult
    public func scrub() throws(StoreError) -> ScrubReport {
        try checkUsable()
        try gate.checkNotInside()
        let pass = try newScrubPass(continuing: ScrubRecord())
        var isDone = false
        while !isDone {
            isDone = pass.isDone
            let event = try scrubbing.stepping.withLock { () throws(StoreError) in
                try checkUsable()
                return isDone ? finishScrub(pass) : makeScrubStep(pass).event
            }
            // Not inside: the handler may scrub.
            if let event { notify(event) }
        }
        return pass.report
    }

    /// Stops verification in the background until `resumeScrub()`; `scrub()` works all the same.
    public func pauseScrub() { scrubbing.shared.withLock { $0.isPaused = true } }

    /// Lets verification in the background go on.
    public func resumeScrub() {
        scrubbing.shared.withLock { $0.isPaused = false }
        scheduleScrub(afterNanoseconds: 0)
    }

    /// Asks for the next step of verification, unless one is asked for already.
    func scheduleScrub(afterNanoseconds delay: UInt64) {
        guard options.scrub != nil else { return }
        scrubbing.shared.withLock { shared in
            if shared.isPaused || shared.isScheduled || shared.isEnded { return }
            shared.isScheduled = true
            let timer = shared.timer ?? makeScrubTimer()
            shared.timer = timer
            timer.set(afterNanoseconds: delay)
        }
    }

    private func makeScrubTimer() -> ExecutorTimer {
        options.environment.compactionExecutor.timer { [handle] in
            guard let store = handle.target else { return }
            store.scrubbing.shared.withLock { $0.isScheduled = false }
            let (delay, event) = store.scrubInBackground()
            if let event { store.notify(event) }
            if let delay { store.scheduleScrub(afterNanoseconds: delay) }
        }
    }

    /// Verifies no more in the background: the store closes.
    func endScrub() {
        let timer = scrubbing.shared.withLock { shared in
            defer { shared.timer = nil }
            shared.isEnded = true
            return shared.timer
        }
        timer?.cancel()
    }

    /// One step of the pass in progress, or of the next if it is due; returns how long to wait
    /// until the next step, nil for no further one, and what to report.
    private func scrubInBackground() -> (delay: UInt64?, event: StoreEvent?) {
        scrubbing.stepping.lock()
        defer { scrubbing.stepping.unlock() }
        let isPaused = scrubbing.shared.withLock { $0.isPaused }
        guard let scrubOptions = options.scrub, !isPaused, !closing.load(ordering: .relaxed) else {
            return (nil, nil)
        }
        let record = scrubbing.record ?? readScrubRecord()
        scrubbing.record = record
        if scrubbing.pass == nil {
            let wait = secondsUntilNextPass(record, scrubOptions)
            if wait > 0 { return (min(wait, Self.scrubWaitMax) * 1_000_000_000, nil) }
            do {
                scrubbing.pass = try newScrubPass(continuing: record)
            } catch {
                // Closed, or a header can't be read, which a checkpoint or a compaction reports.
                return (error.code == .closed ? nil : Self.scrubWaitMax * 1_000_000_000, nil)
            }
        }
        guard let pass = scrubbing.pass else { return (nil, nil) }
        if pass.isDone {
            scrubbing.pass = nil
            return (1_000_000_000, finishScrub(pass))
        }
        let (byteCount, event) = makeScrubStep(pass)
        let rate = UInt64(max(4096, scrubOptions.bytesPerSecond))
        return (max(1_000_000, UInt64(byteCount) * 1_000_000_000 / rate), event)
    }

    private func secondsUntilNextPass(_ record: ScrubRecord, _ options: ScrubOptions) -> UInt64 {
        let now = self.options.environment.calendarSeconds()
        // A pass that an earlier process began goes on; a clock that went back delays nothing.
        guard record.position == .none, record.lastPassEnd != 0, record.lastPassEnd <= now else {
            return 0
        }
        let due = record.lastPassEnd + UInt64(max(0, options.secondsBetweenPasses))
        return due > now ? due - now : 0
    }

    private func newScrubPass(continuing record: ScrubRecord) throws(StoreError) -> ScrubPass {
        try loadOlderSegments()
        try gate.enter()
        let sealed = log.sealedSegments
        gate.leave()
        let pass = ScrubPass(
            sealed, continuing: record, pageFiles: checkpoints.filesInUse.sorted())
        scrubbing.shared.withLock { shared in
            // Those of the pass before stay until this one is over.
            shared.findings.removeFirst(shared.oldFindingCount)
            shared.oldFindingCount = shared.findings.count
        }
        return pass
    }

    /// The caller holds `stepping`. Returns how many bytes were read, and what to report
    /// afterwards.
    private func makeScrubStep(_ pass: ScrubPass) -> (byteCount: Int, event: StoreEvent?) {
        let position = pass.position
        let (byteCount, finding) = pass.step(self, byteCount: Self.scrubStepByteCount)
        if pass === scrubbing.pass, pass.position != position {
            scrubbing.record?.position = pass.position
            scrubbing.record?.findingCount = UInt16(clamping: pass.findingCount)
            scrubbing.record?.byteCount = pass.byteCount
            if let record = scrubbing.record { write(record) }
        }
        scrubbing.shared.withLock { shared in
            shared.fileCount = pass.fileCount
            shared.verifiedFileCount = pass.fileCount - pass.remainingCount
            shared.verifiedByteCount += UInt64(byteCount)
            if let finding { shared.findings.append(finding.description) }
        }
        return (byteCount, finding.map { .scrubFoundDamage($0) })
    }

    /// The caller holds `stepping`. Returns what to report afterwards.
    private func finishScrub(_ pass: ScrubPass) -> StoreEvent {
        var record = scrubbing.record ?? readScrubRecord()
        record.position = .none
        record.lastPassEnd = max(1, options.environment.calendarSeconds())
        record.lastPassByteCount = pass.byteCount
        record.lastPassFindingCount = UInt32(clamping: pass.findingCount)
        record.findingCount = 0
        record.byteCount = 0
        scrubbing.record = record
        write(record)
        let copy = record
        scrubbing.shared.withLock { shared in
            shared.record = copy
            shared.fileCount = 0
            shared.verifiedFileCount = 0
        }
        return .scrubbed(pass.report)
    }

    var scrubStatistics: StoreStatistics.ScrubStatistics {
        let record = scrubbing.shared.withLock { $0.record } ?? readScrubRecord()
        return scrubbing.shared.withLock { shared in
            StoreStatistics.ScrubStatistics(
                isEnabled: options.scrub != nil, isPaused: shared.isPaused,
                lastPassEnd: record.lastPassEnd == 0 ? nil : record.lastPassEnd,
                lastPassByteCount: record.lastPassByteCount,
                lastPassFindingCount: Int(record.lastPassFindingCount),
                fileCount: shared.fileCount, verifiedFileCount: shared.verifiedFileCount,
                verifiedByteCount: shared.verifiedByteCount, findings: shared.findings)
        }
    }
}
